"""Searching more facts than are looked at one by one: what is found does not depend on where it was looked for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.facts.reading import MOST_LOOKED_AT
from tests.actors import make_scope
from tests.rest.client import Rest, seat, stored

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def said(number: int, words: str) -> dict[str, Any]:
    at = (BEGINNING + timedelta(seconds=number)).isoformat()
    return stored(f"{number:05}", statement=words, recordedAt=at, validFrom=at, predicate=words.split()[0])


@pytest.fixture
def many(rest: Rest) -> Rest:
    """Five old facts that speak of lighthouses, and above them so many of harbours that no search looks at all."""
    old = [said(number, "lighthouse") for number in range(5)]
    rest.imported(*old, *(said(number, "harbour town") for number in range(5, 5 + MOST_LOOKED_AT)))
    return rest


def test_a_word_is_found_wherever_it_stands(many: Rest):
    newest = MOST_LOOKED_AT + 4
    assert many.ids(text="lighthouse") == [f"fact:{number:05}" for number in (4, 3, 2, 1, 0)]
    assert many.ids(text="harbour town", limit=3) == [f"fact:{number:05}" for number in range(newest, newest - 3, -1)]
    assert many.ids(text="harbour lighthouse") == []
    assert many.ids(predicate="lighthouse") == many.ids(text="lighthouse")


def test_the_pages_of_a_search_go_on_in_the_old_facts(many: Rest):
    first = many.get("facts", text="lighthouse", limit=2).json()
    second = many.get("facts", text="lighthouse", limit=2, cursor=first["next"]).json()
    third = many.get("facts", text="lighthouse", limit=2, cursor=second["next"]).json()
    found = [[fact["@id"] for fact in page["facts"]] for page in (first, second, third)]
    assert found == [["fact:00004", "fact:00003"], ["fact:00002", "fact:00001"], ["fact:00000"]]
    assert third["next"] is None


def test_a_superseded_fact_is_not_found_among_the_newest_nor_among_the_old(many: Rest):
    for old in ("fact:00004", f"fact:{MOST_LOOKED_AT:05}"):
        many.written(statement="something else", supersedes=old)
    assert many.ids(text="lighthouse")[0] == "fact:00003"
    assert f"fact:{MOST_LOOKED_AT:05}" not in many.ids(text="harbour", limit=10)


def test_several_scopes_are_searched_each_for_itself_and_shown_in_one_order(many: Rest, north: Any):
    annex = make_scope(north, "annex")
    at = (BEGINNING + timedelta(seconds=2, milliseconds=500)).isoformat()
    seat(north, scope=annex).imported(stored("annex", statement="A lighthouse", recordedAt=at, validFrom=at))
    both = seat(north, verbs=("facts:read", "cross_tenant"))
    assert both.ids(text="lighthouse", scope="*")[1:4] == ["fact:00003", "fact:annex", "fact:00002"]
    assert both.ids(text="lighthouse", scope="*", limit=2) == ["fact:00004", "fact:00003"]
