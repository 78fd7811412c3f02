"""A Space with nobody in it but seats: what most tests of facts need, without the cost of people."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.rest.client import Rest, seat


@pytest.fixture
def north(new_space: Callable[..., Any]) -> Any:
    """An empty Space named north."""
    return new_space("north")


@pytest.fixture
def rest(north: Any) -> Rest:
    """A seat in its shared scope, with every verb but `cross_tenant`."""
    return seat(north)
