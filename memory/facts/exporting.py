"""A scope's facts as the files of a memory folder."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.jsonio import dumps
from memory.facts.folder import CONTEXT_PATH, SUFFIX, file_of
from memory.facts.importing import FILE_KEY
from memory.facts.reading import all_facts
from memory.facts.record import as_document
from spaces.access import Binding
from spaces.databases.entering import entered

CONTEXT_FILE = Path(__file__).parent / "context" / "v1.jsonld"


def exported_lines(binding: Binding) -> Iterator[bytes]:
    """Each fact of the bound scope as one line of JSON, with the name of its file under `kndl:file`.

    A generator outlives the view that made it, so it enters the Space for itself.
    """
    binding.one  # noqa: B018 - raises before the answer has begun
    return _lines(binding)


def _lines(binding: Binding) -> Iterator[bytes]:
    taken: set[int] = set()
    with entered(binding.space):
        for number, (record, file) in enumerate(all_facts(binding), start=1):
            document = as_document(record) if file else as_document(record, CONTEXT_PATH)
            name = file_of(record.id, file)
            if hash(name) in taken:
                # `fact:a:b` and `fact:a-b` are told apart by their place in the export.
                name = f"{name.removesuffix(SUFFIX)}-{number}{SUFFIX}"
            taken.add(hash(name))
            yield dumps(document | {FILE_KEY: name}).encode() + b"\n"


def context_document() -> dict[str, Any]:
    """Our own JSON-LD context, which goes with every export."""
    found: dict[str, Any] = json.loads(CONTEXT_FILE.read_text("utf-8"))
    return found
