"""A scope's facts as the files of a memory folder."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async

from common.jsonio import dumps
from memory.facts.importing import FILE_KEY
from memory.facts.reading import all_facts
from memory.facts.rules.folder import CONTEXT_PATH, SUFFIX, file_of
from memory.facts.rules.record import as_document
from memory.facts.views import FactView
from spaces.access import Binding
from spaces.databases.entering import entered

CONTEXT_FILE = Path(__file__).parent / "context" / "v1.jsonld"


def exported(binding: Binding, *, asynchronous: bool) -> Iterator[bytes] | AsyncIterator[bytes]:
    """The released facts of the bound scope as lines of JSON, each with the name of its file under `kndl:file`.

    In pieces of 2,000 facts, so that neither end holds them all. Raises Invalid, before the answer has begun, when
    several scopes are bound.
    """
    export = _Export(binding, binding.one.pk)
    return export.pieces_async() if asynchronous else export.pieces()


class _Export:
    """Where an export stands. It outlives the view that began it, so each piece enters the Space for itself."""

    def __init__(self, binding: Binding, scope: int) -> None:
        self._binding = binding
        self._scope = scope
        self._last = 0
        self._names: set[str] = set()

    def pieces(self) -> Iterator[bytes]:
        while piece := self._next():
            yield piece

    async def pieces_async(self) -> AsyncIterator[bytes]:
        while piece := await sync_to_async(self._next)():
            yield piece

    def _next(self) -> bytes:
        with entered(self._binding.space):
            views = all_facts(self._binding, after=self._last)
        if views:
            self._last = views[-1].number
        return b"".join(self._line(view) for view in views)

    def _line(self, view: FactView) -> bytes:
        record, file = view.record, view.file
        document = as_document(record) if file else as_document(record, CONTEXT_PATH)
        return dumps(document | {FILE_KEY: self._name(file_of(record.id, file), view.number)}).encode() + b"\n"

    def _name(self, name: str, number: int) -> str:
        """The file's name, told apart where `fact:a:b` and `fact:a-b`, or a folder that ignores case, would meet."""
        if name.casefold() in self._names:
            name = f"{name.removesuffix(SUFFIX)}-{number}{SUFFIX}"
        self._names.add(name.casefold())
        return name


def context_document() -> dict[str, Any]:
    """Our own JSON-LD context, which goes with every export."""
    found: dict[str, Any] = json.loads(CONTEXT_FILE.read_text("utf-8"))
    return found
