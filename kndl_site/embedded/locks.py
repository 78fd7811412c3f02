"""Locks that end with the process that holds them, however it ends (flock).

Python's descriptors are not inherited by programs it runs, so PostgreSQL never holds one of these. A forked child
does inherit them: that is why locks are given up by name, not by closing alone.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kndl_site.embedded.addresses import Address
from kndl_site.embedded.errors import AlreadyRunning


def opened(path: Path) -> int:
    """A descriptor of the lock file `path`, made (0600) when missing. The caller closes it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold `path` alone, after waiting for whoever holds it."""
    descriptor = opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        _give_up(descriptor)


class Users:
    """Who uses the server: each user holds a shared lock on one file."""

    def __init__(self, path: Path) -> None:
        self._descriptor = opened(path)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def alone(self) -> bool:
        """Whether nobody else uses the server. Answers for the caller only while starts and stops are held off."""
        with suppress(BlockingIOError):
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def leave(self) -> None:
        _give_up(self._descriptor)


@contextmanager
def sole_runner(data_dir: Path) -> Iterator[None]:
    """Be the only `up` on `data_dir`. Raises AlreadyRunning, naming the other process, at once."""
    descriptor = opened(Address.of(data_dir).locks / "up.lock")
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise AlreadyRunning(f"Kndl is already running on this folder (process {other}).") from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        _give_up(descriptor)


def _give_up(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)
