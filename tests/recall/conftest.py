"""A Space with nobody in it but a seat, and memories in the seat's scope."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.facts.conftest import north, rest
from tests.recall.memories import Memories
from tests.rest.client import Rest

__all__ = ["north", "rest"]


@pytest.fixture
def memories(north: Any) -> Memories:
    """Memories of the Space's shared scope."""
    return Memories(north, north.scopes.get().pk)


@pytest.fixture
def ask(rest: Rest) -> Callable[..., dict[str, Any]]:
    """Ask memory over REST, which must answer: `ask("who baked?", limit=5)`."""
    return lambda query, **more: asked(rest, query, **more)


def asked(rest: Rest, query: str, /, scope: str | None = None, **more: Any) -> dict[str, Any]:
    """The answer to a question of `rest`; nothing is strengthened unless `reinforce` says so."""
    answer = rest.post("recall", {"query": query, "reinforce": False} | more, query={"scope": scope} if scope else None)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def texts(answer: dict[str, Any]) -> list[str]:
    """What the items of an answer say, in their order."""
    return [item["text"] for item in answer["items"]]


def node_ids(answer: dict[str, Any]) -> list[str]:
    """The ids of the items of an answer, in their order."""
    return [item["id"] for item in answer["items"]]
