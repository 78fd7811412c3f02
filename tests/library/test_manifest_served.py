"""The manifest of the Library as it is: for the prompt and over REST."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from library.manifest import current_manifest
from library.mounts import library_mount
from library.places import files_folder
from tests.library.filling import fill

MANIFEST = "/api/v1/library/manifest"


@pytest.fixture(autouse=True)
def _library(db: None, library: Path) -> None:
    """Each test has a Library of its own."""


def test_an_empty_library_has_an_empty_manifest(api: Client):
    answer = api.get(MANIFEST).json()
    assert answer == {"revision": 0, "files": 0, "size": 0, "target": "/library", "text": ""}


def test_the_manifest_lists_the_live_files_in_order_and_follows_each_write(api: Client):
    file = fill({"b.md": "b", "a/x.md": "xx", "Z.md": ""})["b.md"]
    day = file.changed_at.date().isoformat()
    text = (
        f'mounted read-only at /library, revision 1\n- "Z.md" 0 B, {day}\n- "a/x.md" 2 B, {day}\n- "b.md" 1 B, {day}\n'
    )
    assert current_manifest().text() == text
    answer = api.get(MANIFEST, {"target": "/mnt/lib"}).json()
    assert answer["text"] == text.replace("/library", "/mnt/lib")
    fill({"c.md": "c"})
    assert current_manifest().text().startswith("mounted read-only at /library, revision 2\n")
    assert '"c.md" 1 B' in current_manifest().text()


def test_the_same_revision_gives_the_same_bytes_from_one_query(django_assert_num_queries: Any):
    fill({f"{number}/a.md": str(number) for number in range(60)})
    first = current_manifest()
    with django_assert_num_queries(1):
        assert current_manifest() is first
    assert first.text().count("\n") == 51


def test_a_manifest_that_is_known_is_not_sent_again(api: Client):
    fill({"a.md": "a"})
    etag = api.get(MANIFEST)["ETag"]
    known = api.get(MANIFEST, headers={"If-None-Match": etag})
    assert (known.status_code, known.content, known["X-Library-Revision"]) == (304, b"", "1")
    fill({"b.md": "b"})
    assert api.get(MANIFEST, headers={"If-None-Match": etag}).status_code == 200


@pytest.mark.parametrize("target", ["library", "/a b", "/a\nb", "", "/" + "a" * 200])
def test_a_target_is_an_absolute_path_on_one_line(api: Client, target: str):
    answer = api.get(MANIFEST, {"target": target})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "target")


def test_the_mount_is_the_folder_read_only():
    mount = library_mount("/ref")
    assert (mount.source, mount.target, mount.mode) == (files_folder(), "/ref", "ro")
