"""The one way to change the Library: by a person or a running agent, each write one revision.

Contents come first: they are on the disk, whole, before the transaction begins. The mounted folder comes last: it is
brought to the revision when the transaction is over, by the writer or, had that been cut short, by who comes next.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TypeVar

import structlog
from django.db import connections

from audit.recording import Act
from common.errors import Invalid
from library.basing import require_base
from library.changing import Change, Given, Kind
from library.folder import bring_up
from library.limits import current_limits
from library.models import LibraryFile, LibraryRevision
from library.naming import require_path
from library.reading import find_by_id, find_file, version_of
from library.storing import Readable, Received, receive
from library.words.tasks import wake
from spaces.access import Caller
from spaces.databases.transactions import attempted_here

MOST_FILES = 1_000
MOST_TEXT_BYTES = 4 * 1024 * 1024
_MOST_NOTE = 1_000
Source = Readable | Received
Result = TypeVar("Result")
log = structlog.get_logger()


def add(caller: Caller, path: str, stream: Source, *, note: str = "", base: str | None = None) -> LibraryFile:
    """Add the file `path`, or replace it: then `base` is its ETag (`reading.etag_of`), or `*`.

    Raises Invalid for a path that is refused, Conflict for one that is taken, BaseRequired and Stale by the base,
    TooLarge and TypeRefused by the limits, and Unavailable when the disk is full.
    """
    with _received([(require_path(path), stream)]) as contents:
        kind: Kind = "add" if base is None else "replace"
        given = [Given(name, content, base) for name, content in contents]
        return _written(caller, kind, note, lambda change: change.put(given))[1][0]


def add_many(
    caller: Caller, items: Sequence[tuple[str, Source]], note: str = "", *, bases: Mapping[str, str] | None = None
) -> LibraryRevision:
    """Add many files as one revision, all or none; `bases` holds the ETag of each that replaces one, by its path.

    Raises what `add` does, and Invalid for more than 1,000 files, none, or two with one path.
    """
    if not 1 <= len(items) <= MOST_FILES:
        raise Invalid(f"must be 1 to {MOST_FILES:,}", field="files")
    paths = [require_path(path) for path, _ in items]
    if len(set(paths)) != len(paths):
        raise Invalid("must not name a path twice", field="files")
    known = {require_path(path, "bases"): base for path, base in (bases or {}).items()}
    with _received(list(zip(paths, (stream for _, stream in items), strict=True))) as contents:
        given = [Given(name, content, known.get(name)) for name, content in contents]
        return _written(caller, "upload", note, lambda change: change.put(given))[0]


def edit_text(caller: Caller, path: str, text: str, *, base: str | None, note: str = "") -> LibraryFile:
    """Replace the content of a file by a text, in UTF-8. Raises what `add` does, and NotFound."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise Invalid("must be valid Unicode text", field="text") from None
    if len(content) > MOST_TEXT_BYTES:
        raise Invalid(f"must have {MOST_TEXT_BYTES:,} bytes or fewer", field="text")
    with _received([(find_file(path).path, BytesIO(content))]) as contents:
        given = [Given(name, received, base) for name, received in contents]

        def edited(change: Change) -> LibraryFile:
            require_base(find_file(path), base)
            return change.put(given)[0]

        return _written(caller, "edit", note, edited)[1]


def move(caller: Caller, path: str, to: str, *, base: str | None, note: str = "") -> LibraryFile:
    """Rename a file, or move it to another folder. Raises NotFound, and by path and base what `add` does."""
    target = require_path(to)

    def moved(change: Change) -> LibraryFile:
        file = find_file(path)
        require_base(file, base)
        if file.path == target:
            raise Invalid("is its path already", field="path")
        change.move(file, target)
        return file

    return _written(caller, "move", note, moved)[1]


def delete(caller: Caller, path: str, *, base: str | None, note: str = "") -> LibraryFile:
    """Delete a file; it can be restored. Raises NotFound, and by the base what `add` does."""

    def deleted(change: Change) -> LibraryFile:
        file = find_file(path)
        require_base(file, base)
        change.delete(file)
        return file

    return _written(caller, "delete", note, deleted)[1]


def restore(caller: Caller, file_id: uuid.UUID | str, version: int, *, note: str = "") -> LibraryFile:
    """Give a file the content of one of its versions again, as a new one; a deleted file comes back with its path.

    Raises NotFound for a version that is not there or has no content, and Conflict where the path is taken.
    """

    def restored(change: Change) -> LibraryFile:
        file = find_by_id(file_id)
        change.restore(file, version_of(file, version))
        return file

    return _written(caller, "restore", note, restored)[1]


def _written(
    caller: Caller, kind: Kind, note: str, write: Callable[[Change], Result]
) -> tuple[LibraryRevision, Result]:
    """Run `write` in the transaction of one revision; the folder follows when it is over."""
    _require_note(note)

    def attempt(act: Act) -> tuple[LibraryRevision, Result]:
        change = Change.begun(act, caller, note.strip())
        found = write(change)
        revision = change.finish(kind)
        connections[act.using].on_commit(_follow)
        return revision, found

    return attempted_here(attempt)


def _require_note(note: str) -> None:
    if len(note) > _MOST_NOTE or "\0" in note or any("\ud800" <= letter <= "\udfff" for letter in note):
        raise Invalid(f"must be text of {_MOST_NOTE:,} characters or fewer, without NUL", field="note")


def _follow() -> None:
    """Bring the folder up and wake who reads words. What was written is written: the tick does what fails here."""
    try:
        bring_up()
        wake()
    except Exception:
        log.exception("library_left_behind")


@contextmanager
def _received(items: Sequence[tuple[str, Source]]) -> Iterator[list[tuple[str, Received]]]:
    """The contents, on the disk whole; what was not kept is removed."""
    limits = current_limits()
    contents: list[tuple[str, Received]] = []
    try:
        for path, stream in items:
            contents.append((path, stream if isinstance(stream, Received) else receive(stream, limits)))
        yield contents
    finally:
        for _, content in contents:
            content.discard()
