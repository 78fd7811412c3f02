"""A domain's files as they are on the disk. Members write there too, so nothing found there is trusted."""

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Literal

from common.folders import writing
from domains.models import Domain
from domains.places import KEYS, aside_folder, folder_of

FOLDER_MODE = 0o755
FILE_MODE = 0o644
SECRET_MODE = 0o600
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting for a writer where a pipe stands in a file's place.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_STEADY = 0.1  # seconds without a change, after which a writer is taken to be done
_TRIES = 10

Kind = Literal["missing", "file", "link", "folder", "unreadable", "other"]


@dataclass(frozen=True, repr=False)
class Found:
    """What stands under a name. `content` is empty but for a file; one cut off at the limit says so.

    Times are nanoseconds since 1970; `changed_ns` is of the last change of any kind, which no program can set.
    """

    kind: Kind
    content: bytes = b""
    whole: bool = True
    size: int = 0
    mtime_ns: int = 0
    changed_ns: int = 0
    inode: int = 0
    mode: int = 0
    links: int = 1


MISSING = Found("missing")


def mode_of(file: str) -> int:
    """The permission bits of a file."""
    return SECRET_MODE if file == KEYS else FILE_MODE


def ensure_folder(domain: Domain) -> None:
    """Let the domain's directory be there. Raises NotADirectoryError where something else stands in its place."""
    folder = folder_of(domain)
    folder.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=FOLDER_MODE)
    os.close(os.open(folder, _FOLDER))


def look(domain: Domain, file: str) -> Found:
    """What stands under the name, without its content."""
    with _opened(domain) as folder:
        if folder is None:
            return MISSING
        try:
            return _found(os.stat(file, dir_fd=folder, follow_symlinks=False))
        except FileNotFoundError:
            return MISSING


def read(domain: Domain, file: str, limit: int) -> Found:
    """What stands under the name, with up to `limit` bytes of content; another user's file may be unreadable."""
    with _opened(domain) as folder:
        if folder is None:
            return MISSING
        try:
            opened = os.open(file, _READ, dir_fd=folder)
        except FileNotFoundError:
            return MISSING
        except PermissionError:
            return replace(look(domain, file), kind="unreadable")
        except OSError as error:
            if error.errno not in {errno.ELOOP, errno.ENXIO, errno.EMLINK}:
                raise
            return look(domain, file)
    try:
        found = _found(os.fstat(opened))
        if found.kind != "file":
            return found
        content = _read(opened, limit + 1)
        return _found(os.fstat(opened), content[:limit], whole=len(content) <= limit)
    finally:
        os.close(opened)


def steady(domain: Domain, file: str) -> None:
    """Wait until whoever writes the file has paused, a second at most."""
    before = look(domain, file)
    for _ in range(_TRIES):
        time.sleep(_STEADY)
        after = look(domain, file)
        if after == before:
            return
        before = after


def put(domain: Domain, file: str, content: bytes) -> None:
    """Let the file have this content, whatever stands in its place."""
    if look(domain, file).kind == "folder":
        set_aside(domain, file)
    writing.put(folder_of(domain), file, content, mode=mode_of(file), folder_mode=FOLDER_MODE)


def append(domain: Domain, file: str, content: bytes) -> None:
    """Add to the end of the file in place, so that one who adds to it at the same time loses nothing."""
    with _opened(domain) as folder:
        if folder is None:
            raise FileNotFoundError(file)
        opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise FileNotFoundError(file)
        view = memoryview(content)
        while view:
            view = view[os.write(opened, view) :]
        os.fsync(opened)
    finally:
        os.close(opened)


def set_mode(domain: Domain, file: str) -> None:
    """Give the file the permission bits it is to have."""
    writing.set_mode(folder_of(domain), file, mode_of(file))


def set_aside(domain: Domain, file: str) -> bytes:
    """Take away what stands in the place of a file: kept in a folder aside; of a link its target is returned."""
    found = look(domain, file)
    with _opened(domain) as folder:
        if folder is None or found.kind == "missing":
            return b""
        if found.kind == "link":
            target = os.fsencode(os.readlink(file, dir_fd=folder))
            os.unlink(file, dir_fd=folder)
            return target
        aside_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        os.rename(file, aside_folder() / f"{domain.slug}-{file}-{secrets.token_hex(6)}", src_dir_fd=folder)
        return b""


@contextmanager
def kept_open(domain: Domain, file: str) -> Iterator[int | None]:
    """The file as it is now, open for as long as the block lasts, also when another takes its name."""
    opened = None
    with _opened(domain) as folder, suppress(OSError):
        if folder is not None:
            opened = os.open(file, _READ, dir_fd=folder)
    try:
        yield opened
    finally:
        if opened is not None:
            os.close(opened)


def grown(opened: int | None, before: int, limit: int) -> bytes:
    """What was added to an open file beyond its first `before` bytes."""
    if opened is None or not stat.S_ISREG(os.fstat(opened).st_mode):
        return b""
    return os.pread(opened, limit, before)


def clear_leftovers(domain: Domain) -> None:
    """Remove what a writer that was killed left on its way; it may be a KEYS.md."""
    beside = writing.incoming(folder_of(domain))
    with suppress(FileNotFoundError):
        for entry in list(beside.iterdir()):
            entry.unlink()


def names(domain: Domain) -> list[str]:
    """What is in the directory, by name."""
    with _opened(domain) as folder:
        return [] if folder is None else sorted(entry.name for entry in os.scandir(folder))


@contextmanager
def _opened(domain: Domain) -> Iterator[int | None]:
    try:
        folder = os.open(folder_of(domain), _FOLDER)
    except FileNotFoundError:
        yield None
        return
    try:
        yield folder
    finally:
        os.close(folder)


def _read(opened: int, most: int) -> bytes:
    pieces, got = [], 0
    while got < most and (piece := os.read(opened, min(most - got, 1 << 20))):
        pieces.append(piece)
        got += len(piece)
    return b"".join(pieces)


def _found(seen: os.stat_result, content: bytes = b"", *, whole: bool = True) -> Found:
    kind: Kind = "other"
    if stat.S_ISREG(seen.st_mode):
        kind = "file"
    elif stat.S_ISLNK(seen.st_mode):
        kind = "link"
    elif stat.S_ISDIR(seen.st_mode):
        kind = "folder"
    mode = stat.S_IMODE(seen.st_mode)
    return Found(
        kind, content, whole, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, mode, seen.st_nlink
    )
