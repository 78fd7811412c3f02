"""Changes to a folder that others read at the same time: whole or not at all, and never through a link.

Whoever calls these holds `locked(folder)`. Folders are made writable for the moment of the change, and get the mode
`folder_mode` afterwards. New contents are written beside the folder, on the same disk, in `<name>.incoming`.
"""

import errno
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from common.folders.copying import PIECE, copy
from common.folders.walking import opened_folder

FILE_MODE = 0o444
FOLDER_MODE = 0o555
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def incoming(folder: Path) -> Path:
    """Where contents for `folder` are written before they appear in it; what lies there for long is a leftover."""
    return folder.with_name(f"{folder.name}.incoming")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold `folder` against every other writer, thread or process, that does the same. Not to be nested."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = folder.with_name(f"{folder.name}.lock")
    lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def put(
    folder: Path,
    path: str,
    content: BinaryIO | bytes,
    *,
    mode: int = FILE_MODE,
    folder_mode: int = FOLDER_MODE,
    mtime_ns: int | None = None,
    sync_folder: bool = True,
) -> None:
    """Let the file `path` (see `names.checked_path`) appear with `content`, in place of any file or link of the name.

    It is on the disk for good when this returns; with `sync_folder` false, once `sync_folders` was called.

    Folders on the way are made. Raises IsADirectoryError where a folder has the name, NotADirectoryError where a part
    of the way is a file or a link, and OSError for what the disk refuses; then nothing has changed but such folders.
    """
    temporary = _written(folder, content, mode, mtime_ns)
    try:
        name = path.rpartition("/")[2]
        with _opened_parent(folder, path, folder_mode, make=True) as parent:
            os.rename(temporary, name, dst_dir_fd=parent)
            if sync_folder:
                os.fsync(parent)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def sync_folders(folder: Path, paths: Iterable[str]) -> None:
    """Let the names of these files be on the disk for good, after many calls of `put`; each folder is synced once."""
    root = os.open(folder, _FOLDER)
    try:
        for above in {path.rpartition("/")[0] for path in paths}:
            opened = opened_folder(root, above)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
    finally:
        os.close(root)


def make_folder(folder: Path, path: str, *, folder_mode: int = FOLDER_MODE) -> None:
    """Let the folder `path` be there. Raises NotADirectoryError as `put` does."""
    with _opened_parent(folder, f"{path}/-", folder_mode, make=True):
        pass


def remove(folder: Path, path: str, *, folder_mode: int = FOLDER_MODE, tidy: bool = True) -> None:
    """Let the file, link or whole folder `path` be gone; nothing happens where it is not there.

    With `tidy`, folders that are empty then go with it, but for `folder` itself.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        with _opened_parent(folder, path, folder_mode, make=False) as parent:
            _remove_entry(parent, path.rpartition("/")[2])
            os.fsync(parent)
        if tidy:
            _remove_empty(folder, path.rpartition("/")[0], folder_mode)


def move(folder: Path, path: str, to: str, *, folder_mode: int = FOLDER_MODE) -> None:
    """Let the file or folder `path` appear as `to`, in place of a file of that name; empty folders go as in `remove`.

    Raises FileNotFoundError where it is not there, and what `put` raises.
    """
    source, target = path.rpartition("/")[2], to.rpartition("/")[2]
    with ExitStack() as stack:
        left = stack.enter_context(_opened_parent(folder, path, folder_mode, make=False))
        entered = stack.enter_context(_opened_parent(folder, to, folder_mode, make=True))
        if stat.S_ISDIR(os.stat(source, dir_fd=left, follow_symlinks=False).st_mode):
            # Its entry “..” changes with it, so the folder itself is written to.
            _open(stack, os.open(source, _FOLDER, dir_fd=left), folder_mode)
        os.rename(source, target, src_dir_fd=left, dst_dir_fd=entered)
        os.fsync(entered)
        os.fsync(left)
    _remove_empty(folder, path.rpartition("/")[0], folder_mode)


def set_mode(folder: Path, path: str, mode: int) -> None:
    """Give the file or folder `path` these permission bits; "" is `folder` itself. A link is left alone."""
    root = os.open(folder, _FOLDER)
    try:
        above, _, name = path.rpartition("/")
        parent = opened_folder(root, above)
        try:
            opened = os.open(name or ".", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
        finally:
            os.close(parent)
        try:
            os.fchmod(opened, mode)
        finally:
            os.close(opened)
    finally:
        os.close(root)


def _written(folder: Path, content: BinaryIO | bytes, mode: int, mtime_ns: int | None) -> Path:
    """A new file with the content, on the disk for good, which is not in the folder yet."""
    beside = incoming(folder)
    beside.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = beside / secrets.token_hex(12)
    opened = os.open(temporary, _NEW_FILE, 0o600)
    try:
        _fill(opened, content)
        os.fchmod(opened, mode)
        if mtime_ns is not None:
            os.utime(opened, ns=(mtime_ns, mtime_ns))
        os.fsync(opened)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        os.close(opened)
    return temporary


def _fill(target: int, content: BinaryIO | bytes) -> None:
    if isinstance(content, bytes):
        with os.fdopen(os.dup(target), "wb") as file:
            file.write(content)
        return
    try:
        source = content.fileno()
    except (OSError, AttributeError):
        with os.fdopen(os.dup(target), "wb") as file:
            shutil.copyfileobj(content, file, PIECE)
        return
    if content.tell() == 0 and stat.S_ISREG(os.fstat(source).st_mode):
        copy(source, target)
        return
    with os.fdopen(os.dup(target), "wb") as file:
        shutil.copyfileobj(content, file, PIECE)


@contextmanager
def _opened_parent(folder: Path, path: str, folder_mode: int, *, make: bool) -> Iterator[int]:
    """The folder that holds `path`, open for changes; the modes of the way are set to `folder_mode` afterwards."""
    if make:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        opened = _open(stack, os.open(folder, _FOLDER), folder_mode)
        for part in path.split("/")[:-1]:
            if make:
                _make(opened, part)
            opened = _open(stack, os.open(part, _FOLDER, dir_fd=opened), folder_mode)
        yield opened


def _open(stack: ExitStack, opened: int, folder_mode: int) -> int:
    stack.callback(os.close, opened)
    if stat.S_IMODE(os.fstat(opened).st_mode) & stat.S_IRWXU != stat.S_IRWXU:
        os.fchmod(opened, folder_mode | stat.S_IRWXU)
    stack.callback(os.fchmod, opened, folder_mode)
    return opened


def _make(parent: int, name: str) -> None:
    try:
        os.mkdir(name, mode=0o700, dir_fd=parent)
    except FileExistsError:
        return
    os.fsync(parent)


def _remove_entry(parent: int, name: str) -> None:
    """Remove the entry; a folder with all that is in it, whatever the modes of the folders in it."""
    try:
        os.unlink(name, dir_fd=parent)
        return
    except IsADirectoryError:
        opened = os.open(name, _FOLDER, dir_fd=parent)
    try:
        os.fchmod(opened, stat.S_IRWXU)
        with os.scandir(opened) as entries:
            names = [entry.name for entry in entries]
        for within in names:
            _remove_entry(opened, within)
    finally:
        os.close(opened)
    os.rmdir(name, dir_fd=parent)


def _remove_empty(folder: Path, path: str, folder_mode: int) -> None:
    """Remove the folder `path` if it is empty, and those above it that are empty then."""
    while path:
        above, _, name = path.rpartition("/")
        with _opened_parent(folder, path, folder_mode, make=False) as parent:
            try:
                os.rmdir(name, dir_fd=parent)
            except OSError as error:
                if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
                    raise
                return
            os.fsync(parent)
        path = above
