"""A Space with nobody in it but a seat, and memories in the seat's scope."""

from typing import Any

import pytest

from tests.facts.conftest import north, rest
from tests.layers.remembered import Remembered

__all__ = ["north", "rest"]


@pytest.fixture
def remembered(north: Any) -> Remembered:
    """Memories of the Space's shared scope."""
    return Remembered(north, north.scopes.get().pk)
