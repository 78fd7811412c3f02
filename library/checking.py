"""The tick's look at the mounted folder: what somebody changed by hand is put right, and on record."""

import time
from dataclasses import dataclass, field, replace

from django.db.models import BigIntegerField, F, Func
from django.db.models.functions import Cast

from audit.recording import SYSTEM, audited
from common.folders.walking import Seen, walk
from common.folders.writing import FOLDER_MODE, locked, set_mode
from library.folder import (
    TIME_STEP_NS,
    Expected,
    bring_up_locked,
    expected_of,
    hash_at,
    is_folder_of_files,
    is_right,
    looks_right,
    make_root,
    read_note,
    seen_at,
    settle,
    wanted_at,
    write_note,
)
from library.models import LibraryFile
from library.places import files_folder
from library.reading import live_files
from library.rules.names import folders_of

_ROOT = ""
_MOST_NAMED = 50
# Read as a number: fifty thousand times would take longer to read than all the rest.
_MICROSECONDS = Cast(
    Func(F("changed_at"), template="extract(epoch from %(expressions)s) * 1000000", output_field=BigIntegerField()),
    BigIntegerField(),
)


@dataclass
class _Look:
    """What one look at the whole folder found; `was_read` says whether it had to read any content."""

    unchanged_since_ns: int
    differing: list[str] = field(default_factory=list)
    was_read: bool = False


def check_folder() -> int:
    """Compare the folder with the rows and put right what differs; returns how many paths did.

    Contents are read only of what changed on the disk since the last check. This holds up no writer: what looks wrong
    is looked at again under the folder's lock. Raises OSError where the disk refuses.
    """
    with locked(files_folder()):
        bring_up_locked()
        note = read_note()
    began = time.time_ns()
    look = _looked(note.checked_ns if note else 0)
    if not look.differing and not look.was_read:
        return 0
    with locked(files_folder()):
        bring_up_locked()
        wanted = wanted_at(look.differing)
        wrong = [path for path in look.differing if not _is_as_expected(path, wanted.get(path))]
        if wrong:
            _record(wrong)
            _put_right(wrong)
        note = read_note()
        if note is not None:
            write_note(replace(note, checked_ns=began))
    return len(wrong)


def _looked(unchanged_since_ns: int) -> _Look:
    """Walk the folder beside the rows."""
    look = _Look(unchanged_since_ns)
    wanted = _wanted()
    folders = {folder for path in wanted for folder in folders_of(path)}
    if _mode_of_root() != FOLDER_MODE:
        look.differing.append(_ROOT)
    for seen in walk(files_folder()):
        expected = wanted.pop(seen.path, None)
        if expected is not None:
            is_fine = _is_fine(look, seen, expected)
        else:
            is_fine = seen.kind == "folder" and seen.path in folders and seen.mode == FOLDER_MODE
        if not is_fine:
            look.differing.append(seen.path)
    look.differing.extend(wanted)
    return look


def _wanted() -> dict[str, Expected]:
    """What belongs in the folder, by path."""
    rows = live_files().order_by().values_list("path", "blob_id", "blob__size", _MICROSECONDS)
    return {path: Expected(sha256, size, at * 1_000) for path, sha256, size, at in rows.iterator(chunk_size=10_000)}


def _is_fine(look: _Look, seen: Seen, expected: Expected) -> bool:
    if not looks_right(seen, expected):
        return False
    if seen.changed_ns < look.unchanged_since_ns - TIME_STEP_NS:
        return True
    look.was_read = True
    try:
        return hash_at(seen.path) == expected.sha256
    except OSError:
        return False


def _is_as_expected(path: str, file: LibraryFile | None) -> bool:
    """Whether a path is as the rows say after all, which have `file` there; asked under the folder's lock."""
    if path == _ROOT:
        return _mode_of_root() == FOLDER_MODE
    if file is not None:
        return is_right(path, expected_of(file))
    found = seen_at(path)
    return found is None or (is_folder_of_files(path) and found.mode == FOLDER_MODE)


def _put_right(wrong: list[str]) -> None:
    settle(path for path in wrong if path != _ROOT)
    for path in wrong:
        if path == _ROOT:
            make_root()
        elif is_folder_of_files(path):
            set_mode(files_folder(), path, FOLDER_MODE)


def _record(wrong: list[str]) -> None:
    """On record before it is done: what is put right twice is said twice, and never not at all."""
    named = [path.encode(errors="backslashreplace").decode() for path in wrong[:_MOST_NAMED]]
    with audited("default") as act:
        act.record(SYSTEM, "library.folder_repaired", "library", count=len(wrong), paths=named)


def _mode_of_root() -> int:
    return files_folder().lstat().st_mode & 0o7777
