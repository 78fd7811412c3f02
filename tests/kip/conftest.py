"""KIP over the wire, for a seat with a new scope."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.kip.wired import Wired


@pytest.fixture
def kip(settings: Any, token: str) -> Wired:
    """A seat at `/kip`, with every verb but `cross_tenant`."""
    settings.ROOT_URLCONF = "tests.kip.wired"
    return Wired(Client(headers={"Authorization": f"Bearer {token}"}))


@pytest.fixture
def post(kip: Wired) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Send a method with its params; the answer, whatever its status."""
    return kip.post
