"""A memory folder that a browser sends is written to no file that has a name, however large it is."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files import temp
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.actors import Trio
from tests.phi.patients import stored_phi
from tests.rest.client import stored


def named(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("a file with a name was made")


@pytest.mark.parametrize("facts", [3, 9_000])
def test_a_file_is_imported_and_leaves_nothing_behind(
    trio: Trio, facts: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for module in (tempfile, temp):
        monkeypatch.setattr(module, "NamedTemporaryFile", named)
    lines = [stored_phi("p", statement="x" * 300), *(stored(f"f{number}", note="y" * 200) for number in range(facts))]
    content = b"\n".join(json.dumps(line).encode() for line in lines)
    assert (len(content) > settings.FILE_UPLOAD_MAX_MEMORY_SIZE) == (facts > 3)

    file = SimpleUploadedFile("facts.jsonl", content)
    answer = trio.client("teammate").post("/spaces/north/facts/import?scope=shared", {"uploads": file})
    assert f"{facts + 1:,}" in answer.content.decode()
    assert not list(tmp_path.iterdir())
