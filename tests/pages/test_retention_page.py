"""The page of retention: what is due, and holds placed and lifted."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from common.times import format_instant, now
from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, stored

PAGE = "/spaces/north/retention"


def shown(client: Client, **query: Any) -> Page:
    return page_of(client.get(PAGE, {"scope": "shared", **query}))


def acted(client: Client, act: str, fact_id: str, reason: str) -> Any:
    return client.post(PAGE, {"scope": "shared", "act": act, "fact": fact_id, "reason": reason})


@pytest.fixture
def due(rest: Rest) -> Rest:
    """A fact that is past its date, one that comes to it soon, and one that has time."""
    soon = format_instant(now() + timedelta(days=60))
    rest.imported(
        stored("past", retention="P1D"), stored("soon", retention=soon), stored("later", retention="P90Y"),
        stored("free"),
    )  # fmt: skip
    return rest


def test_what_is_due_or_comes_due_is_listed_and_nothing_else(teammate: Client, due: Rest):
    page = shown(teammate)

    assert [row[0] for row in page.rows[1:]] == ["this is past", "this is soon"]
    assert page.rows[1][1] == "due since 2 Jan 2026"
    assert "Nothing is deleted by itself in this version." in page.text
    assert "Owners and admins of the Space place and lift holds." in page.text
    assert "Place a hold…" not in page.text


def test_an_owner_places_a_hold_with_a_reason_and_it_shows_here_and_on_the_fact(owner: Client, due: Rest):
    assert acted(owner, "place", "fact:past", "a court asked").status_code == 302

    assert "held since" in shown(owner).rows[1][2]
    assert "by Owner: a court asked" in shown(owner).rows[1][2]
    fact = page_of(owner.get("/spaces/north/facts/fact:past", {"scope": "shared"}))
    assert "Retention P1D, due for deletion 2 Jan 2026" in fact.text
    assert "a court asked" in fact.text

    assert acted(owner, "lift", "fact:past", "the case is over").status_code == 302
    assert "held since" not in shown(owner).text
    assert "a court asked" not in page_of(owner.get("/spaces/north/facts/fact:past", {"scope": "shared"})).text


def test_a_held_fact_that_is_not_due_is_listed_by_itself(owner: Client, due: Rest):
    acted(owner, "place", "fact:free", "kept for the archive")

    page = shown(owner)

    assert "Held, and not due soon" in page.text
    assert page.rows[-1][:2] == ["this is free", "no date"]


@pytest.mark.parametrize(
    ("act", "fact_id", "reason", "status", "said"),
    [
        ("place", "fact:past", " ", 400, "Put it right and send it again. Reason must be text"),
        ("lift", "fact:past", "why not", 404, "There is no hold on this fact."),
        ("place", "fact:none", "why not", 404, "There is no such fact."),
        ("burn", "fact:past", "why not", 400, "Put it right and send it again. Act must be place or lift"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(
    owner: Client, due: Rest, act: str, fact_id: str, reason: str, status: int, said: str
):
    page = page_of(acted(owner, act, fact_id, reason))

    assert page.status == status
    assert f"Nothing was changed. {said}" in page.text
    assert "held since" not in page.text


def test_a_member_and_a_stranger_place_no_hold(teammate: Client, stranger: Client, due: Rest):
    assert acted(teammate, "place", "fact:past", "why not").status_code == 403
    assert acted(stranger, "place", "fact:past", "why not").status_code == 404
    assert "held since" not in shown(teammate).text


def test_nothing_due_says_what_would_be_here(teammate: Client, rest: Rest):
    assert "Nothing is due" in shown(teammate).text
