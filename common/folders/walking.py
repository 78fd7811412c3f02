"""What is in a folder, without following a link."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["file", "folder", "link", "other"]
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Seen:
    """One entry. `path` is relative to the folder walked; times are nanoseconds since 1970, `mode` the permission bits.

    `changed_ns` is the time of the last change of any kind, which no program can set.
    """

    path: str
    kind: Kind
    size: int
    mtime_ns: int
    changed_ns: int
    inode: int
    mode: int
    links: int


def walk(folder: Path) -> Iterator[Seen]:
    """Every entry below `folder`, a folder before what is in it; nothing where there is no such folder.

    Names that are not UTF-8 come with surrogate escapes, as Python gives them. What vanishes meanwhile is left out.
    Raises OSError where `folder` is a link or not a folder.
    """
    try:
        root = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return
    try:
        yield from _walk(root, "")
    finally:
        os.close(root)


def _walk(root: int, prefix: str) -> Iterator[Seen]:
    """Folders are opened one at a time, so that a deep tree holds few files open."""
    waiting = [prefix]
    while waiting:
        prefix = waiting.pop()
        try:
            opened = opened_folder(root, prefix)
        except (FileNotFoundError, NotADirectoryError):
            continue
        try:
            with os.scandir(opened) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    try:
                        found = _seen(f"{prefix}/{entry.name}" if prefix else entry.name, entry)
                    except FileNotFoundError:
                        continue
                    yield found
                    if found.kind == "folder":
                        waiting.append(found.path)
        finally:
            os.close(opened)


def opened_folder(root: int, path: str) -> int:
    """A descriptor of the folder `path` below the open folder `root`, each part opened without following a link."""
    opened = os.dup(root)
    for part in filter(None, path.split("/")):
        try:
            deeper = os.open(part, _FOLDER, dir_fd=opened)
        finally:
            os.close(opened)
        opened = deeper
    return opened


def _seen(path: str, entry: "os.DirEntry[str]") -> Seen:
    found = entry.stat(follow_symlinks=False)
    return seen_as(path, found)


def seen_as(path: str, found: os.stat_result) -> Seen:
    """What `lstat` says of `path`."""
    mode = found.st_mode
    kind: Kind = "other"
    if stat.S_ISREG(mode):
        kind = "file"
    elif stat.S_ISDIR(mode):
        kind = "folder"
    elif stat.S_ISLNK(mode):
        kind = "link"
    return Seen(
        path,
        kind,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_ino,
        stat.S_IMODE(mode),
        found.st_nlink,
    )
