"""A view: a folder of copies that is brought up to date in place, since running seats have it mounted.

Only Kndl writes here, and each file appears whole. Copies share the disk's blocks where they can; they never are
another name of the original, which would share its mode and inode.
"""

import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from common.folders.copying import copy
from common.folders.walking import Seen, opened_folder, walk
from common.folders.writing import incoming
from domains.looking import LARGEST_FILE, Looked

_OPEN = 0o755
_SHUT = 0o555
_FILE = 0o444
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def bring_up_to_date(source: Path, target: Path, found: Looked) -> None:
    """Let `target` hold copies of what was found in `source`, and no more; `found` tells afterwards what it has."""
    target.mkdir(mode=_OPEN, parents=True, exist_ok=True)
    beside = incoming(target)
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    touched: set[Path] = set()
    try:
        there = _without_the_rest(target, found, touched)
        for folder in sorted(found.folders):
            if folder not in there:
                _opened_up(target / folder, touched)
                (target / folder).mkdir(exist_ok=True)
                touched.add(target / folder)
        changed = [seen for path, seen in found.files.items() if not _is_current(there.get(path), seen)]
        if changed:
            for seen in _not_copied(source, changed, target, beside, touched):
                found.files.pop(seen.path)
                found.left_out["what can’t be read"] += 1
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        for place in {target, *touched}:
            # One that went may have left its name to a file.
            if place.is_dir():
                place.chmod(_SHUT)


def take_away(target: Path) -> None:
    """Let the view be gone."""
    for seen in walk(target):
        if seen.kind == "folder":
            with suppress(FileNotFoundError):
                (target / seen.path).chmod(_OPEN)
    if target.is_dir() and not target.is_symlink():
        target.chmod(_OPEN)
        shutil.rmtree(target)


def _without_the_rest(target: Path, found: Looked, touched: set[Path]) -> dict[str, Seen]:
    """Remove what is not to be there any more; returns what stays."""
    stays: dict[str, Seen] = {}
    gone: list[Seen] = []
    for seen in list(walk(target)):
        wanted = (seen.kind == "file" and seen.path in found.files) or (
            seen.kind == "folder" and seen.path in found.folders
        )
        if wanted:
            stays[seen.path] = seen
            if seen.kind == "folder" and seen.mode != _SHUT:
                touched.add(target / seen.path)
        else:
            gone.append(seen)
    for seen in sorted(gone, key=lambda one: one.path, reverse=True):
        place = target / seen.path
        _opened_up(place, touched)
        if seen.kind == "folder":
            place.chmod(_OPEN)
            place.rmdir()
        else:
            place.unlink()
    return stays


def _is_current(there: Seen | None, seen: Seen) -> bool:
    return there is not None and (there.size, there.mtime_ns) == (seen.size, seen.mtime_ns)


def _not_copied(source: Path, changed: list[Seen], target: Path, beside: Path, touched: set[Path]) -> list[Seen]:
    """Copy the files; returns those that could not be read."""
    root = os.open(source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return [seen for seen in changed if not _copied(root, seen, target, beside, touched)]
    finally:
        os.close(root)


def _copied(root: int, seen: Seen, target: Path, beside: Path, touched: set[Path]) -> bool:
    """Copy one file, if it can be read and still is none that is left out; returns whether that was done."""
    above, _, name = seen.path.rpartition("/")
    try:
        folder = opened_folder(root, above)
        try:
            opened = os.open(name, _READ, dir_fd=folder)
        finally:
            os.close(folder)
    except OSError:
        return False
    temporary = beside / secrets.token_hex(12)
    made = os.open(temporary, _NEW, 0o600)
    try:
        now = os.fstat(opened)
        if not stat.S_ISREG(now.st_mode) or now.st_nlink != 1 or now.st_size > LARGEST_FILE:
            return False
        copy(opened, made)
        os.fchmod(made, _FILE)
        os.utime(made, ns=(now.st_mtime_ns, now.st_mtime_ns))
    finally:
        os.close(opened)
        os.close(made)
    _opened_up(target / seen.path, touched)
    temporary.rename(target / seen.path)
    return True


def _opened_up(place: Path, touched: set[Path]) -> None:
    """Let the folder that holds `place` be written to for the moment."""
    if place.parent not in touched or place.parent.stat().st_mode & 0o200 == 0:
        place.parent.chmod(_OPEN)
        touched.add(place.parent)
