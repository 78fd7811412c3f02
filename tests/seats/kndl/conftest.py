"""A service that plays the REST contract, and the command run against it."""

import os

import pytest

from tests.seats.kndl.rest import serving
from tests.seats.kndl.shell import TOKEN, Ran, ran


@pytest.fixture
def rest():
    with serving() as service:
        yield service


@pytest.fixture
def run(rest):
    """Run the command with the settings of `rest`, save for those that are given; None unsets one."""

    def run(*words: str | bytes, **environ: str | None) -> Ran:
        return ran(words, {"KNDL_STORAGE": rest.storage, "KNDL_TOKEN": TOKEN, "PATH": os.defpath, **environ})

    return run
