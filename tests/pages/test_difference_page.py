"""The page of what changed between two instants."""

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from common.times import format_instant, now, parse_instant
from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, stored

FEBRUARY, MARCH = "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"


def shown(client: Client, **query: Any) -> Page:
    return page_of(client.get("/spaces/north/facts/difference", {"scope": "shared", **query}))


@pytest.fixture
def february(rest: Rest) -> Rest:
    """One change of each kind."""
    claim = {"subject": "clinic:harrow", "predicate": "places"}
    rest.imported(
        stored("old", object=18, **claim),
        stored("new", object=24, supersedes="fact:old", recordedAt="2026-02-10T00:00:00Z", **claim),
        stored("fades", subject="door", predicate="is", object="open", confidence=0.8, decay="0.5/31d"),
        stored("ends", validUntil="2026-02-20T00:00:00Z"),
        stored("comes", recordedAt="2026-02-25T00:00:00Z", subject="clinic:harrow"),
    )
    return rest


def test_each_change_stands_under_its_kind_with_before_and_after(teammate: Client, february: Rest):
    page = shown(teammate, earlier=FEBRUARY, later=MARCH)

    assert page.status == 200
    assert [row for row in page.rows[1:] if len(row) == 1] == [
        ["Superseded: 1"], ["Left their band: 1"], ["Expired: 1"], ["New: 1"],
    ]  # fmt: skip
    told = [row for row in page.rows[1:] if len(row) > 1]
    assert told[0][0] == "clinic:harrow places 18 24"
    assert told[0][1:3] == ["0.9000 usable", "0.9000 usable"]
    assert told[0][3].startswith("superseded 10 Feb, 00:00 by seat")
    assert told[1][1:4] == ["0.4000 uncertain", "0.2139 stale", "uncertain to stale on 13 Feb, 20:47"]
    assert told[2][3] == "expired 20 Feb, 00:00"
    assert told[3][1] == "not known"
    assert told[3][3].startswith("imported, recorded 25 Feb, 00:00 by seat")
    assert page.html.count("<del") == 2
    assert page.html.count("<ins") == 2


def test_each_number_leads_to_the_fact_as_of_its_instant(teammate: Client, february: Rest):
    page = shown(teammate, earlier=FEBRUARY, later=MARCH)

    before, after = page.links["0.4000 uncertain"], page.links["0.2139 stale"]
    assert parse_qs(urlsplit(before).query)["as_of"] == [FEBRUARY]
    assert parse_qs(urlsplit(after).query)["as_of"] == [MARCH]
    assert "0.4000 uncertain" in page_of(teammate.get(before)).text
    assert "0.2139 stale" in page_of(teammate.get(after)).text


def test_a_subject_narrows_it_and_the_link_of_a_subject_does_so(teammate: Client, february: Rest):
    page = shown(teammate, earlier=FEBRUARY, later=MARCH)

    narrowed = page_of(teammate.get("/spaces/north/facts/difference" + page.links["clinic:harrow"]))

    assert [row for row in narrowed.rows[1:] if len(row) == 1] == [["Superseded: 1"], ["New: 1"]]
    assert narrowed.fields["subject"] == "clinic:harrow"
    assert narrowed.fields["earlier"] == "2026-02-01T00:00:00"


def test_without_instants_it_is_the_last_week_and_presets_lead_to_other_spans(teammate: Client, rest: Rest):
    days = {"days-ago": 3, "weeks-ago": 20}
    rest.imported(*(stored(name, recordedAt=format_instant(now() - timedelta(days=ago))) for name, ago in days.items()))

    page = shown(teammate)

    assert "this is days-ago" in page.text
    assert "this is weeks-ago" not in page.text
    assert "this is weeks-ago" in page_of(teammate.get(page.links["A month"])).text
    assert "Nothing changed" in page_of(teammate.get(page.links["A day"])).text
    begun = parse_instant(parse_qs(urlsplit(page.links["A day"]).query)["earlier"][0])
    assert timedelta(days=1) <= now() - begun < timedelta(days=1, minutes=5)


def test_a_filled_in_form_leads_to_an_address_that_means_the_same_to_everybody(teammate: Client, february: Rest):
    answer = teammate.get(
        "/spaces/north/facts/difference",
        {"scope": "shared", "earlier": "2026-02-01T00:00", "later": "2026-03-01T00:00", "subject": ""},
    )

    assert answer.status_code == 302
    assert parse_qs(urlsplit(answer["Location"]).query) == {
        "scope": ["shared"], "earlier": [FEBRUARY], "later": [MARCH],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"earlier": MARCH, "later": FEBRUARY}, "later"),
        ({"earlier": MARCH, "later": MARCH}, "later"),
        ({"earlier": "yesterday"}, "earlier"),
        ({"later": "0001-01-02T00:00:00Z"}, "later"),
        ({"band": "usable"}, "band"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_field(teammate: Client, rest: Rest, query: dict[str, str], field: str):
    page = shown(teammate, **query)

    assert page.status == 400
    assert "This can’t be asked." in page.text
    assert f">{field}<" in page.html


def test_the_ends_of_the_calendar_are_shown(teammate: Client, february: Rest):
    page = shown(teammate, earlier="0001-01-01T00:00:00Z", later="9999-12-31T23:59:59.999999Z")

    assert page.status == 200
    assert "New: " in page.text


def test_what_is_written_in_a_fact_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    hostile = "<img src=x onerror=alert(1)>"
    fields = {"statement": hostile, "subject": hostile, "predicate": hostile, "object": hostile}
    rest.imported(stored("a", **fields), stored("b", supersedes="fact:a", recordedAt="2026-02-10T00:00:00Z", **fields))

    page = shown(teammate, earlier=FEBRUARY, later=MARCH)

    assert page.text.count(hostile) >= 4
    assert "img" not in page.tags
