"""One write to the Library: its lock, its revision, and the rows of the files it changes, in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.db import connections

from audit.recording import Act
from common.errors import NotFound
from common.times import now
from library.basing import require_absent, require_base
from library.limits import current_limits, require_room
from library.models import FileRevision, LibraryFile, LibraryRevision, LibrarySettings
from library.naming import Names
from library.storing import Received, keep
from spaces.access import Caller

Kind = Literal["add", "replace", "edit", "upload", "move", "delete", "restore"]
_LOCK = 0x6B6E646C6C  # of the Library's writers, taken before any row; the audit's is taken last


@dataclass(frozen=True)
class Given:
    """A content for a path, and the ETag of the file it is to replace."""

    path: str
    content: Received
    base: str | None = None


def lock_library() -> None:
    """Hold the Library against other writers until the transaction ends."""
    with connections["default"].cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s)", [_LOCK])


@dataclass
class Change:
    """A write that is being made: rows are collected by its methods and written by `finish`."""

    act: Act
    caller: Caller
    note: str
    number: int
    at: datetime
    file_count: int
    total_size: int
    held_before: tuple[int, int]
    limits: LibrarySettings
    _new: list[LibraryFile] = field(default_factory=list)
    _changed: list[LibraryFile] = field(default_factory=list)
    _revisions: list[FileRevision] = field(default_factory=list)

    @classmethod
    def begun(cls, act: Act, caller: Caller, note: str) -> "Change":
        """Take the lock and the next number."""
        lock_library()
        last = LibraryRevision.objects.order_by("-number").first()
        number, count, size = (last.number, last.file_count, last.total_size) if last else (0, 0, 0)
        return cls(act, caller, note, number + 1, now(), count, size, (count, size), current_limits())

    def put(self, given: Sequence[Given]) -> list[LibraryFile]:
        """Add or replace files. Raises Conflict, Stale and BaseRequired; the first fault ends it all."""
        names = Names([item.path for item in given])
        files = [self._put(names, item) for item in given]
        names.save()
        keep([item.content for item in given])
        return files

    def move(self, file: LibraryFile, to: str) -> None:
        """Give the file another path."""
        names = Names([file.path, to])
        names.leave(file.path)
        folded = names.take(to, file)
        names.save()
        file.path, file.folded = to, folded
        self._note(file, "move")

    def delete(self, file: LibraryFile) -> None:
        """Let the file be gone; what it was stays readable."""
        file.deleted_at = self.at
        self.file_count -= 1
        self.total_size -= file.blob.size
        self._note(file, "delete", without_content=True)

    def restore(self, file: LibraryFile, former: FileRevision) -> None:
        """Give the file the content of a former revision and, where it was deleted, its last path again."""
        if former.blob is None:
            raise NotFound("The file has no such version.")
        if file.deleted_at is not None:
            names = Names([file.path])
            names.take(file.path, file)
            names.save()
            self.file_count += 1
        else:
            self.total_size -= file.blob.size
        file.deleted_at = None
        file.blob = former.blob
        self.total_size += former.blob.size
        self._note(file, "restore")

    def finish(self, kind: Kind) -> LibraryRevision:
        """Write the rows and the record. Raises TooLarge where the Library would hold more than it may."""
        count, size = self.held_before
        if self.file_count > count or self.total_size > size:
            require_room(self.limits, files=self.file_count, size=self.total_size)
        actor = self.caller.actor
        revision = LibraryRevision.objects.create(
            number=self.number,
            at=self.at,
            act=kind,
            actor_kind=actor.kind,
            actor_id=actor.id,
            note=self.note,
            file_count=self.file_count,
            total_size=self.total_size,
        )
        LibraryFile.objects.bulk_create(self._new)
        for file in self._changed:
            file.save(update_fields=["path", "folded", "blob", "version", "revision", "changed_at", "deleted_at"])
        FileRevision.objects.bulk_create(self._revisions)
        self._record(kind)
        return revision

    def _put(self, names: Names, given: Given) -> LibraryFile:
        file, content = names.file_at(given.path), given.content
        if file is None:
            require_absent(given.path, given.base)
            file = LibraryFile(path=given.path, version=0)
            file.folded = names.take(given.path, file)
            self.file_count += 1
            self._new.append(file)
        else:
            require_base(file, given.base)
            self.total_size -= file.blob.size
        self.total_size += content.size
        file.blob = content.row()
        self._note(file, "replace" if file.version else "add")
        return file

    def _note(self, file: LibraryFile, act: str, *, without_content: bool = False) -> None:
        file.version += 1
        file.revision_id = self.number
        file.changed_at = self.at
        if file.version > 1:
            self._changed.append(file)
        blob = None if without_content else file.blob
        self._revisions.append(
            FileRevision(file=file, version=file.version, revision_id=self.number, act=act, path=file.path, blob=blob)
        )

    def _record(self, kind: Kind) -> None:
        """One row of the audit a write: what, and of which content. Of many files their number; the rows say which."""
        stated: dict[str, Any] = {"revision": self.number}
        if self.note:
            stated["note"] = self.note
        if len(self._revisions) == 1:
            done = self._revisions[0]
            stated |= {"file": str(done.file_id), "version": done.version}
            if done.blob is not None:
                stated |= {"size": done.blob.size, "sha256": done.blob.sha256}
            target = done.path
        else:
            stated["files"] = len(self._revisions)
            target = f"revision:{self.number}"
        self.act.record(self.caller.actor, f"library.{kind}", target, **stated)
