"""A Library on a disk of its own."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.conf import LazySettings

from spaces.access import Caller, person_caller
from tests.actors import Trio


@pytest.fixture
def library(settings: LazySettings, tmp_path: Path) -> Iterator[Path]:
    """The folder of the room, in a data folder of the test's own; in memory where it can be, since it syncs a lot."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as base:
        settings.KNDL = settings.KNDL.model_copy(update={"data_dir": Path(base) / "data"})
        folder = Path(base) / "data" / "library"
        yield folder
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)


@pytest.fixture
def member(committed_db: None, library: Path, trio: Trio) -> Caller:
    """A member of a Space, where commits are real."""
    return person_caller(trio.teammate)
