"""What recall told a seat, and comes back in a conversation, is not learnt again."""

from typing import Any

import pytest

from tests.actors import make_scope, make_seat_token
from tests.layers.told import Talk
from tests.rest.client import Rest, bearer
from tests.sessions.conftest import appended, opened

HIVES = "The hives behind the chapel were moved to the meadow"
PUMP = "The pump of the lower well leaks at night"


@pytest.fixture
def talk(north: Any) -> Talk:
    talk = Talk(north)
    talk.say(HIVES, PUMP, client="before")
    talk.distilled()
    return talk


def recalled(rest: Rest, query: str) -> list[str]:
    return [item["text"] for item in rest.post("recall", {"query": query, "limit": 1}).json()["items"]]


def told(talk: Talk, rest: Rest, *texts: str) -> list[str]:
    """What is heard of these lines, said by that seat."""
    appended(rest, opened(rest, f"after {len(texts)}"), list(texts))
    talk.distiller.given.clear()
    talk.distilled()
    return [text for lines in talk.distiller.given for text in lines]


def test_what_was_recalled_is_not_heard_and_new_words_around_it_are(talk: Talk, rest: Rest):
    assert recalled(rest, "where are the hives") == [HIVES]
    heard = told(talk, rest, f"I remember: {HIVES}.", f"{HIVES}. The honey tastes of clover now.", "Good to know")
    assert heard == ["The honey tastes of clover now.", "Good to know"]
    assert talk.strength(HIVES).tau == 14 + 7, "the recall alone made it stronger"


def test_what_was_not_recalled_is_heard(talk: Talk, rest: Rest):
    recalled(rest, "where are the hives")
    assert told(talk, rest, PUMP) == [PUMP]


def test_a_batch_of_echoes_alone_is_in_the_ledger_and_nothing_comes_of_it(talk: Talk, rest: Rest):
    recalled(rest, "where are the hives")
    assert told(talk, rest, HIVES) == []
    assert talk.ledger()[-1] in [(0, 0, 0), (0, 0, 1)]
    assert talk.texts() == [HIVES, PUMP]


def test_it_is_known_that_came_from_a_shared_scope_into_a_seats_own(talk: Talk, north: Any):
    own = make_scope(north, "own")
    rest = bearer(make_seat_token(north, scope=own, reads_shared=True))
    assert recalled(rest, "where are the hives") == [HIVES]
    appended(rest, opened(rest, "mine"), [HIVES, "The meadow is wet"])
    answer = rest.post("distillations", {})
    talk.work(answer.json()["id"])
    assert talk.distiller.given[-1] == ["The meadow is wet"]
