"""The Space and seat of most tests here, and sessions as a client speaks of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from allauth.mfa.models import Authenticator

from tests.accounts.factors import give_app
from tests.actors import Trio
from tests.facts.conftest import north, rest
from tests.rest.client import Rest

__all__ = ["north", "rest"]

AT = "2026-03-02T09:00:00Z"


def line(text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    """A line as a client sends it."""
    return {"role": role, "speaker": "Ana" if role == "user" else "", "text": text, "at": AT} | more


def opened(rest: Rest, client_id: str = "chat-1", *, query: dict[str, Any] | None = None, **more: Any) -> str:
    """Open a session, which must be taken, and return its id."""
    answer = rest.post("sessions", {"client_id": client_id} | more, query=query)
    assert answer.status_code in {200, 201}, answer.content
    return str(answer.json()["id"])


def append(rest: Rest, session: str, lines: Sequence[Any], start: int = 0, **query: Any) -> Any:
    """Send lines, texts standing for whole ones, and return the answer."""
    sent = [line(each) if isinstance(each, str) else each for each in lines]
    return rest.post(f"sessions/{session}/lines", {"from_index": start, "lines": sent}, query=query or None)


def appended(rest: Rest, session: str, lines: Sequence[Any], start: int = 0, **query: Any) -> dict[str, Any]:
    """The same for lines that must be taken."""
    answer = append(rest, session, lines, start, **query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def lines_of(rest: Rest, session: str, **query: Any) -> list[dict[str, Any]]:
    """All lines of a session, page after page."""
    found: list[dict[str, Any]] = []
    start: int | None = 0
    while start is not None:
        answer = rest.get(f"sessions/{session}/lines", from_index=start, **query)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        found += page["lines"]
        start = page["next"]
    return found


def texts(rest: Rest, session: str, **query: Any) -> list[str]:
    """What a session's lines say."""
    return [each["text"] for each in lines_of(rest, session, **query)]


def person(trio: Trio, who: str) -> Rest:
    """REST in a browser in which one of the three is signed in, with the second factor that governing takes."""
    user = getattr(trio, who)
    if not Authenticator.objects.filter(user=user).exists():
        give_app(user)
    return Rest(trio.client(who))


@pytest.fixture
def session(rest: Rest) -> str:
    """The id of an empty session."""
    return opened(rest)
