"""The Space of the trio with somebody signed in before each page, and a seat that writes what the pages show."""

import pytest
from django.test import Client

from tests.accounts.factors import governing_client
from tests.actors import Trio
from tests.rest.client import Rest, seat


@pytest.fixture
def rest(trio: Trio) -> Rest:
    """A seat of the Space, in its shared scope."""
    return seat(trio.space)


@pytest.fixture
def owner(trio: Trio) -> Client:
    """The browser of the Space's owner."""
    return governing_client(trio.owner)


@pytest.fixture
def teammate(trio: Trio) -> Client:
    """The browser of a member."""
    return trio.client("teammate")


@pytest.fixture
def stranger(trio: Trio) -> Client:
    """The browser of somebody who owns another Space."""
    return governing_client(trio.stranger)
