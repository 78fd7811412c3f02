"""Where the `up` on a data folder is, told to other commands on it: they may run with another KNDL_BIND, or none."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kndl_site.embedded import Address
from kndl_site.embedded.locks import opened


@contextmanager
def announced(data_dir: Path, origin: str) -> Iterator[None]:
    """Keep `origin` in a file while the block runs; the caller is the only `up` on `data_dir`.

    The file is locked as long, so that what an `up` left behind that was killed is not taken for true.
    """
    path = _file(data_dir)
    descriptor = opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, origin.encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def origin_of_running(data_dir: Path) -> str | None:
    """The address of the `up` that runs on `data_dir`; None when none does."""
    try:
        descriptor = os.open(_file(data_dir), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 2_000).decode() or None
    finally:
        os.close(descriptor)
    return None


def _file(data_dir: Path) -> Path:
    return Address.of(data_dir).locks / "up.origin"
