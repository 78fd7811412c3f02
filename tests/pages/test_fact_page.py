"""The page of one fact: what it says, where it came from, and what stood in its place."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client

from common.times import format_instant, now
from seats.models import Seat
from tests.actors import Trio, make_scope
from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, seat, stored

HOSTILE = "<img src=x onerror=document.title='pwn'>"


def shown(client: Client, fact_id: str, scope: str = "shared", **query: str) -> Page:
    return page_of(client.get(f"/spaces/north/facts/{fact_id}", {"scope": scope, **query}))


def test_a_fact_shows_its_triple_and_how_sure_one_may_be(teammate: Client, rest: Rest):
    made = rest.written(
        statement="Harrow Street has 24 places.", subject="clinic:harrow", predicate="places", object={"n": 24},
        confidence=0.5, decay="0.9/30d", classification="PII", retention="P1Y", observedAt="2026-01-05",
    )  # fmt: skip

    page = shown(teammate, made["@id"])

    assert page.status == 200
    assert 'Subject clinic:harrow Predicate places Object {"n": 24}' in page.text
    assert "0.5000 uncertain Verify it before you rely on it." in page.text
    assert "0.5, which keeps 90 % every 30 days." in page.text
    assert "Retention P1Y, due for deletion" in page.text
    assert "Observed 5 Jan 2026, 00:00" in page.text
    assert page.links["clinic:harrow"].startswith("/spaces/north/facts?scope=shared")


def test_a_known_false_fact_and_one_without_a_triple_say_so(teammate: Client, rest: Rest):
    false = rest.written(subject="door", object=False, negated=True)
    bare = rest.written()

    assert "Object known false false" in shown(teammate, false["@id"]).text
    assert "Subject none Predicate none Object none" in shown(teammate, bare["@id"]).text


def test_the_history_leads_from_each_fact_to_the_one_before_and_after(teammate: Client, rest: Rest):
    rest.imported(
        stored("one"),
        stored("two", supersedes="fact:one", recordedAt="2026-02-01T00:00:00Z"),
        stored("three", supersedes="fact:two", recordedAt="2026-03-01T00:00:00Z"),
    )
    name = Seat.objects.get().name

    page = shown(teammate, "fact:two")
    order = [page.text.index(f"this is {word}", page.text.index("History")) for word in ("three", "two", "one")]
    assert order == sorted(order)
    assert page.text.count(f"imported by seat {name}") == 3
    assert "Superseded 1 Mar 2026, 00:00." in page.text
    assert page_of(teammate.get(page.links["Open what superseded it"])).links["this is two"]
    assert "Superseded" not in shown(teammate, "fact:three").text
    assert page_of(teammate.get(page.links["this is one"])).links["this is two"]


def test_a_fact_of_a_person_says_who_wrote_it(owner: Client, teammate: Client, rest: Rest):
    answer = owner.post(
        "/spaces/north/facts/new", {"scope": "shared", "statement": "x", "confidence": "0.5", "source": "urn:x"}
    )

    assert "written by Owner" in page_of(teammate.get(answer["Location"])).text


def test_a_parent_is_a_link_and_a_missing_one_says_that_it_is_missing(teammate: Client, rest: Rest):
    rest.imported(stored("parent"), stored("child", derivedFrom=["fact:parent", "fact:never"]))

    page = shown(teammate, "fact:child")

    assert page_of(teammate.get(page.links["this is parent"])).status == 200
    assert "fact:never missing" in page.text


def test_only_an_https_source_is_a_link(teammate: Client, rest: Rest):
    for source, is_link in [
        ("https://example.test/a", True),
        ("http://example.test/a", False),
        ("session://s-1#L2", False),
        ("javascript:alert(1)", False),
    ]:
        page = shown(teammate, rest.written(source=source)["@id"])
        assert source in page.text
        assert (source in page.links.values()) == is_link


def test_the_past_is_shown_as_it_was_and_says_so(teammate: Client, rest: Rest):
    rest.imported(
        stored("old", decay="0.5/31d"), stored("new", supersedes="fact:old", recordedAt="2026-03-01T00:00:00Z")
    )

    page = shown(teammate, "fact:old", as_of="2026-02-01T00:00:00Z")
    assert "As it stood known 1 Feb 2026, 00:00." in page.text
    assert "0.4500 uncertain" in page.text
    assert "Superseded 1 Mar" not in page.text
    assert "Superseded 1 Mar 2026, 00:00." in page_of(teammate.get(page.links["Now"])).text
    assert shown(teammate, "fact:old", as_of="2025-12-31T00:00:00Z").status == 404
    assert shown(teammate, "fact:old", as_of="long ago").status == 400


def test_the_document_is_the_one_an_export_gives(teammate: Client, rest: Rest):
    given = stored("kept", **{"@context": "./context/v1.jsonld", "x:own": {"a": [1, "<b>"]}}, negated=False)
    rest.imported(given)

    text = shown(teammate, "fact:kept").html.split("<code>")[1].split("</code>")[0]
    for escaped, char in (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&#x27;", "'"), ("&amp;", "&")):
        text = text.replace(escaped, char)
    exported = rest.exported()[0]
    exported.pop("kndl:file")
    assert json.loads(text) == exported


@pytest.mark.parametrize("fact_id", ["fact:zoë-日本", "fact:a+b&c=d", "fact:a:b:c", "fact:..", "fact:(x);@,~!$'*"])
def test_an_id_of_any_characters_has_a_page_that_its_links_lead_to(teammate: Client, rest: Rest, fact_id: str):
    rest.imported(stored("x") | {"@id": fact_id})

    page = page_of(teammate.get("/spaces/north/facts", {"scope": "shared"}))

    assert page_of(teammate.get(page.links["this is x"])).text.count(fact_id) >= 1


def test_what_is_not_there_for_a_reader_looks_like_what_is_not_there(
    owner: Client, teammate: Client, stranger: Client, trio: Trio, rest: Rest
):
    private = make_scope(trio.space, "owners-own", trio.owner)
    hidden = seat(trio.space, scope=private).written(statement="private")["@id"]
    there = rest.written()["@id"]

    assert shown(owner, hidden, "owners-own").status == 200
    alike = [
        (shown(teammate, hidden), shown(teammate, "fact:never")),
        (shown(teammate, hidden, "*"), shown(teammate, "fact:never", "*")),
        (shown(teammate, hidden, "owners-own"), shown(teammate, hidden, "nobodys")),
        (shown(stranger, there), page_of(stranger.get(f"/spaces/nowhere/facts/{there}", {"scope": "shared"}))),
    ]
    for page, missing in alike:
        assert (page.status, page.words) == (missing.status, missing.words) == (404, missing.words)


def test_an_id_that_two_scopes_have_is_asked_for_by_scope(teammate: Client, trio: Trio, rest: Rest):
    other = make_scope(trio.space, "second")
    rest.imported(stored("same"))
    seat(trio.space, scope=other).imported(stored("same"))

    assert shown(teammate, "fact:same", "*").status == 400
    assert "Scope second" in shown(teammate, "fact:same", "second").text


def test_a_hostile_fact_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    old = rest.written(statement=HOSTILE, subject=HOSTILE, predicate=HOSTILE, object=HOSTILE, inference="<b>x</b>")
    made = rest.written(statement=HOSTILE + "2", supersedes=old["@id"], derivedFrom=[old["@id"]])

    for fact_id in (old["@id"], made["@id"]):
        page = shown(teammate, fact_id)
        assert page.text.count(HOSTILE) >= 3
        assert "img" not in page.tags


@pytest.mark.parametrize(("days", "marks"), [(0, 2), (20, 3), (179, 3), (180, 3), (900, 3)])
def test_the_days_beneath_a_slider_are_told_apart(teammate: Client, rest: Rest, days: int, marks: int):
    recorded = format_instant(now() - timedelta(days=days))
    rest.imported(stored("young", recordedAt=recorded, validFrom=recorded))

    html = shown(teammate, "fact:young").html

    scales = re.findall(r'class="asof-scale" aria-hidden="true">(.*?)</div>', html, re.DOTALL)
    said = re.findall(r"<span>(.*?)</span>", scales[1])
    assert len(said) == len(set(said)) == marks
