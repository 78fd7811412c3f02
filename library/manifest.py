"""What a seat is told of the Library: the current revision as a part of its prompt."""

from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock

from library.models import LibraryFile, LibraryRevision
from library.mounts import TARGET
from library.rules.manifest import Entry, prompt_block, rows_of


@dataclass(frozen=True)
class Manifest:
    """The files of one revision, in words. `size` is bytes; `text` is empty where the Library is."""

    revision: int
    files: int
    size: int
    rows: str

    def text(self, target: str = TARGET) -> str:
        """The part of the prompt of a seat that has the Library at `target`."""
        return prompt_block(target, self.revision, self.rows)


_Key = tuple[int, datetime | None]
_lock = Lock()
# Of the last revision that was asked for; its instant tells it from one of the same number before a restored backup.
_kept: dict[_Key, Manifest] = {}


def current_manifest() -> Manifest:
    """The manifest of the current revision; the same bytes for the same revision, kept in the process."""
    while True:
        key = _current()
        with _lock:
            if (kept := _kept.get(key)) is not None:
                return kept
        made = _made(key[0])
        # A write in between would have raised the number: what was read is all of one revision.
        if key == _current():
            with _lock:
                _kept.clear()
                _kept[key] = made
            return made


def _current() -> _Key:
    found = LibraryRevision.objects.order_by("-number").values_list("number", "at").first()
    return found or (0, None)


def _made(revision: int) -> Manifest:
    """The files in order of their code points, which no database's way of sorting changes."""
    live = LibraryFile.objects.filter(deleted_at=None).values_list("path", "blob__size", "changed_at")
    entries = sorted(Entry(path, size, at.astimezone(UTC).date()) for path, size, at in live)
    return Manifest(revision, len(entries), sum(entry.size for entry in entries), rows_of(entries))
