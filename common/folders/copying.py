"""Copies of contents between open files, sharing the disk's blocks where it can; never a second name for one file."""

import errno
import fcntl
import os
from pathlib import Path

PIECE = 1024 * 1024
_FICLONE = 0x40049409
# What a disk answers that can't share blocks, or not between these two files.
_CANNOT = {errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.ENOTTY, errno.EPERM, errno.EBADF}


def copy(source: int | Path, target: int) -> int:
    """Copy all of `source`, an open file or a path, into the open, empty file `target`; returns the bytes copied.

    A path is not followed when it is a link. Neither file's place is moved by what was there before.
    """
    if isinstance(source, Path):
        opened = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            return copy(opened, target)
        finally:
            os.close(opened)
    try:
        fcntl.ioctl(target, _FICLONE, source)
        return os.fstat(target).st_size
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    try:
        return _sent(source, target)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
    return _written(source, target)


def _sent(source: int, target: int) -> int:
    done = 0
    while sent := os.sendfile(target, source, done, 64 * PIECE):
        done += sent
    return done


def _written(source: int, target: int) -> int:
    done = 0
    os.ftruncate(target, 0)
    while piece := os.pread(source, PIECE, done):
        view = memoryview(piece)
        while view:
            written = os.pwrite(target, view, done)
            done += written
            view = view[written:]
    return done
