"""The mounted folder: a true copy of the Library's current revision. What the rows say wins.

A note beside the folder says which revision it is at; it is written last. Whoever finds an older one puts right what
the revisions since then touched, so a write that was cut short is finished by the next write or the next tick.
"""

import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

import structlog

from common.folders.walking import Seen, opened_folder, seen_as
from common.folders.writing import FILE_MODE, FOLDER_MODE, locked, make_folder, put, remove, set_mode, sync_folders
from library.models import FileRevision, LibraryFile
from library.places import files_folder, library_folder
from library.reading import current_revision, live_files, open_blob
from library.rules.names import folders_of

_AT_A_TIME = 5_000
_IN_THE_WAY = {errno.EISDIR, errno.ENOTDIR, errno.ELOOP}
_NOTHING = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
TIME_STEP_NS = 2_000_000_000  # the coarsest time that a disk keeps
log = structlog.get_logger()


@dataclass(frozen=True)
class Note:
    """The folder is at `revision`; whatever changed on the disk before `checked_ns` was found right."""

    revision: int
    checked_ns: int = 0


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file of the folder is to be; its time is in nanoseconds since 1970."""

    sha256: str
    size: int
    changed_ns: int


def bring_up() -> int:
    """Bring the folder to the current revision, which is returned. Raises OSError where the disk refuses."""
    with locked(files_folder()):
        return bring_up_locked()


def bring_up_locked() -> int:
    """The same, for who holds the folder."""
    if not root_is_folder():
        make_root()
    note, number = read_note(), current_revision()
    if note is not None and note.revision == number:
        return number
    known = note is not None and note.revision < number
    since = note.revision if known and note else 0
    settle(_touched(since, number))
    write_note(Note(number, note.checked_ns if known and note else 0))
    return number


def root_is_folder() -> bool:
    """Whether the folder itself is there, and is no link."""
    try:
        return stat.S_ISDIR(files_folder().lstat().st_mode)
    except FileNotFoundError:
        return False


def make_root() -> None:
    """Let the folder itself be there, with its mode."""
    files = files_folder()
    if not root_is_folder():
        files.unlink(missing_ok=True)
    files.mkdir(mode=0o700, parents=True, exist_ok=True)
    set_mode(files_folder(), "", FOLDER_MODE)


def settle(paths: Iterable[str]) -> None:
    """Let each of these paths be what the rows say: this file with its content, or nothing."""
    every = sorted(set(paths))
    wanted = wanted_at(every)
    for path in reversed(every):
        if path not in wanted and not is_folder_of_files(path):
            remove(files_folder(), path)
    placed = [path for path, file in wanted.items() if not is_right(path, expected_of(file)) and _place(file)]
    sync_folders(files_folder(), placed)


def wanted_at(paths: Iterable[str]) -> dict[str, LibraryFile]:
    """The files that belong at some of these paths; a path that is no Unicode text has none."""
    asked = [path for path in paths if _is_text(path)]
    some = (asked[start : start + _AT_A_TIME] for start in range(0, len(asked), _AT_A_TIME))
    return {file.path: file for part in some for file in live_files().filter(path__in=part)}


def is_folder_of_files(path: str) -> bool:
    """Whether `path` is a folder on the disk, and the rows say that files are in it."""
    found = seen_at(path)
    return found is not None and found.kind == "folder" and _is_text(path) and live_files(path + "/").exists()


def expected_of(file: LibraryFile) -> Expected:
    """What the file is to be in the folder."""
    return Expected(file.blob_id, file.blob.size, nanoseconds(file.changed_at))


def looks_right(found: Seen, expected: Expected) -> bool:
    """Whether all but the content is as expected."""
    return (
        found.kind == "file"
        and found.mode == FILE_MODE
        and found.size == expected.size
        and abs(found.mtime_ns - expected.changed_ns) < TIME_STEP_NS
    )


def is_right(path: str, expected: Expected) -> bool:
    """Whether the file on the disk is as expected, its content read."""
    found = seen_at(path)
    return found is not None and looks_right(found, expected) and hash_at(path) == expected.sha256


def seen_at(path: str) -> Seen | None:
    """What is at `path` in the folder, no link followed; None where nothing is."""
    try:
        with _opened_above(path) as (parent, name):
            return seen_as(path, os.stat(name, dir_fd=parent, follow_symlinks=False))
    except OSError as error:
        if error.errno in _NOTHING:
            return None
        raise


def nanoseconds(at: datetime) -> int:
    """A time as the disk keeps it: whole microseconds in nanoseconds since 1970."""
    return (int(at.timestamp()) * 1_000_000 + at.microsecond) * 1_000


def read_note() -> Note | None:
    """The note beside the folder; None where there is none that can be read."""
    try:
        found = json.loads(_note_path().read_bytes())
        return Note(int(found["revision"]), int(found["checked_ns"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_note(note: Note) -> None:
    """Keep the note, whole or not at all. It is not waited for: who finds an older one does a little more."""
    place = _note_path()
    place.with_suffix(".new").write_text(json.dumps(vars(note)))
    place.with_suffix(".new").replace(place)


def _place(file: LibraryFile) -> bool:
    """Let the file appear, in place of whatever is in its way; whether it did."""
    try:
        content = open_blob(file.blob)
    except FileNotFoundError:
        log.error("library_content_missing", sha256=file.blob_id)
        return False
    with content:
        try:
            _put(file, content)
        except OSError as error:
            if error.errno not in _IN_THE_WAY:
                raise
            _clear_way(file.path)
            _put(file, content)
    return True


def _put(file: LibraryFile, content: BinaryIO) -> None:
    put(files_folder(), file.path, content, mtime_ns=nanoseconds(file.changed_at), sync_folder=False)


def _clear_way(path: str) -> None:
    """Remove what is no folder on the way to `path`, and a folder that has its name."""
    for folder in folders_of(path):
        found = seen_at(folder)
        if found is not None and found.kind != "folder":
            remove(files_folder(), folder, tidy=False)
        make_folder(files_folder(), folder)
    found = seen_at(path)
    if found is not None and found.kind == "folder":
        remove(files_folder(), path, tidy=False)


def _touched(since: int, until: int) -> set[str]:
    """Every path that the files had which were written to after the revision `since`."""
    files = FileRevision.objects.filter(revision_id__gt=since, revision_id__lte=until).values("file_id")
    return set(FileRevision.objects.filter(file_id__in=files).values_list("path", flat=True).distinct())


def hash_at(path: str) -> str:
    """The SHA-256 of a file of the folder, in hexadecimal digits, no link followed."""
    with _opened_above(path) as (parent, name):
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    with os.fdopen(opened, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


@contextmanager
def _opened_above(path: str) -> Iterator[tuple[int, str]]:
    """The open folder that `path` lies in, and its name there."""
    above, _, name = path.rpartition("/")
    with ExitStack() as stack:
        root = os.open(files_folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        stack.callback(os.close, root)
        parent = opened_folder(root, above)
        stack.callback(os.close, parent)
        yield parent, name


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _note_path() -> Path:
    return library_folder() / "files.json"
