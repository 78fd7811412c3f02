"""The page of what fades: what it lists, and what people say of it."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from common.times import format_instant, now, parse_instant
from memory.models import Snooze
from spaces.databases.entering import entered
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_scope
from tests.facts.test_fading import DAY, fading
from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, seat

FADING = "/spaces/north/fading"
HOSTILE = "<img src=x onerror=document.title='pwn'>"


def shown(client: Client, scope: str = "shared", **query: Any) -> Page:
    return page_of(client.get(FADING, {"scope": scope, **query}))


def said(page: Page) -> list[str]:
    """The ids of the facts that can be picked, in their order."""
    return re.findall(r'name="fact"\s+value="fact:([^"]+)"', page.html)


def send(client: Client, scope: str = "shared", **fields: Any) -> Page:
    """Press a button of the form."""
    return page_of(client.post(FADING, {"scope": scope, "list": f"scope={scope}"} | fields, follow=True))


def test_facts_stand_by_subject_with_the_band_they_fall_to_and_when(teammate: Client, rest: Rest):
    rest.imported(
        fading("a", 5 * DAY, subject="clinic:harrow", statement="Harrow is open.", predicate="state"),
        fading("b", 40 * DAY, subject="clinic:harrow", statement="Harrow has 24 places.", classification="PII"),
        fading("c", 9 * DAY, subject="clinic:mill", statement="Mill Lane has 2 tills."),
    )

    page = shown(teammate)

    assert page.status == 200
    assert "3 facts of 2 subjects leave their band by" in page.text
    assert said(page) == ["c", "a", "b"]
    row = next(row for row in page.rows if len(row) > 1 and row[1].startswith("Harrow has 24 places."))
    assert row[2].endswith("uncertain")
    assert row[3].startswith("stale on")
    assert row[4] == "7 d"
    assert row[5:7] == ["0.9, halves every 30 days", "PII"]


def test_a_fact_is_said_again_in_one_step(teammate: Client, rest: Rest, trio: Trio):
    rest.imported(fading("a", statement="The door is open.", object="open", predicate="state"))

    page = send(teammate, still_true="fact:a")

    assert "Still true: 1 fact, valid from now." in page.text
    (made,) = rest.listed(subject="door")
    assert (made["supersedes"], made["source"], made["object"]) == ("fact:a", "human://teammate", "open")
    assert now() - parse_instant(made["validFrom"]) < timedelta(minutes=1)


def test_all_facts_of_a_subject_are_said_again_in_one_step(teammate: Client, rest: Rest):
    rest.imported(fading("a"), fading("b"), fading("c", subject="other"))
    page = shown(teammate)

    (ids,) = [unescape(found) for found in re.findall(r'name="still_true"\s+value="(fact:\S+ fact:\S+)"', page.html)]
    page = send(teammate, still_true=ids)

    assert "Still true: 2 facts, valid from now." in page.text
    assert {fact["supersedes"] for fact in rest.listed(subject="door")} == {"fact:a", "fact:b"}
    assert "supersedes" not in rest.listed(subject="other")[0]


def test_those_picked_are_said_again_and_nothing_is_when_none_is_picked(teammate: Client, rest: Rest):
    rest.imported(fading("a"), fading("b"), fading("c"))

    assert "Pick a fact first. Nothing was changed." in send(teammate, still_true="").text
    page = send(teammate, still_true="", fact=["fact:a", "fact:c"])

    assert "Still true: 2 facts" in page.text
    assert {fact.get("supersedes") for fact in rest.listed(subject="door")} == {"fact:a", None, "fact:c"}


def test_of_several_none_is_said_again_when_one_was_superseded_meanwhile(teammate: Client, rest: Rest):
    rest.imported(fading("a"), fading("b"))
    rest.written(subject="door", supersedes="fact:b")

    page = send(teammate, still_true="fact:a fact:b")

    assert "superseded by somebody else meanwhile. Nothing was changed" in page.text
    assert "fact:a" in rest.ids(subject="door")


@pytest.mark.parametrize(("snooze", "days"), [("week", 7), ("month", 30)])
def test_a_fact_is_put_off_and_taken_back(teammate: Client, rest: Rest, trio: Trio, snooze: str, days: int):
    rest.imported(fading("a"), fading("b"))

    page = send(teammate, snooze=snooze, fact="fact:a")

    assert said(page) == ["b"]
    assert "Put off until" in page.text
    with entered(trio.space):
        (kept,) = Snooze.objects.all()
    assert kept.until - now() == pytest.approx(timedelta(days=days), abs=timedelta(minutes=1))
    assert kept.said_by == f"person:{trio.teammate.pk}"
    section = page.html[page.html.index('id="snoozed"') :]
    assert "this is a" in section
    assert "Teammate" in section
    assert sorted(said(send(teammate, wake="fact:a"))) == ["a", "b"]


def test_a_fact_is_put_off_until_a_day_of_the_spaces_clock(teammate: Client, rest: Rest, trio: Trio):
    trio.space.zone = "Asia/Kathmandu"
    trio.space.save(update_fields=["zone"])
    rest.imported(fading("a"))
    day = (now() + timedelta(days=12)).date().isoformat()

    send(teammate, snooze="date", fact="fact:a", until=day)

    with entered(trio.space):
        until = Snooze.objects.get().until
    assert format_instant(until).endswith("T18:15:00Z")


@pytest.mark.parametrize("until", ["", "soon", "2001-01-01", "9999-12-31"])
def test_a_day_that_is_none_puts_nothing_off(teammate: Client, rest: Rest, trio: Trio, until: str):
    rest.imported(fading("a"))

    page = send(teammate, snooze="date", fact="fact:a", until=until)

    assert "Nothing was changed." in page.text
    assert said(page) == ["a"]


def test_filters_lead_to_what_is_asked(teammate: Client, rest: Rest):
    rest.imported(fading("soon", 9 * DAY), fading("later"), fading("low", 40 * DAY, subject="other"))

    assert said(shown(teammate, within="7")) == ["soon"]
    assert said(shown(teammate, falls_to="stale")) == ["low"]
    assert said(shown(teammate, subject="other")) == ["low"]
    assert "Nothing matches" in shown(teammate, subject="nobody").text
    form = {"scope": "shared", "within": "30", "falls_to": "", "subject": ""}
    assert teammate.get(FADING, form)["Location"] == f"{FADING}?scope=shared&within=30"


def test_the_pager_leads_through_every_fact_once(teammate: Client, rest: Rest, monkeypatch: pytest.MonkeyPatch):
    from memory.facts.pages import fading as page_fading

    monkeypatch.setattr(page_fading, "ROWS", 3)
    rest.imported(*(fading(f"n{number}", number * DAY, subject=f"s{number}") for number in range(7)))

    seen, page = [], shown(teammate)
    while True:
        seen += said(page)
        if "Next page" not in page.links:
            break
        page = page_of(teammate.get(FADING + page.links["Next page"]))

    assert seen == [f"n{number}" for number in reversed(range(7))]


@pytest.mark.parametrize(("name", "value"), [("within", "8"), ("falls_to", "low"), ("cursor", "abc"), ("colour", "x")])
def test_a_bad_value_is_refused_by_the_name_of_its_field(teammate: Client, rest: Rest, name: str, value: str):
    rest.imported(fading("a"))

    page = shown(teammate, **{name: value})

    assert page.status == 400
    assert f"This can’t be asked. {name} " in page.text
    assert "this is a" not in page.text


def test_an_empty_page_says_what_would_be_here(teammate: Client, rest: Rest):
    rest.imported(fading("later", -0 * DAY, decay="0.5/90d"))

    page = shown(teammate)

    assert "Here you would see facts that are about to become uncertain or stale" in page.text
    assert said(page_of(teammate.get(FADING + page.links["Look 90 days ahead"]))) == ["later"]


def test_every_scope_is_shown_and_each_fact_is_said_again_where_it_is(owner: Client, trio: Trio, rest: Rest):
    private = make_scope(trio.space, "owners-own", trio.owner)
    inner = seat(trio.space, scope=private)
    rest.imported(fading("a"))
    inner.imported(fading("a", statement="inner a"), fading("b", statement="inner b"))

    page = shown(owner, "*")
    assert "scope owners-own" in page.text
    assert said(page) == []
    forms = dict(re.findall(r'<form id="(fading-\d)".*?name="scope" value="([^"]+)"', page.html, re.DOTALL))
    row = page.html[page.html.index("inner b") :]
    assert forms[re.search(r'form="(fading-\d)"', row)[1]] == "owners-own"

    send(owner, "owners-own", still_true="fact:b")
    (made,) = [fact for fact in inner.listed(subject="door") if fact["statement"] == "inner b"]
    assert made["supersedes"] == "fact:b"


def test_an_auditor_sees_everything_and_says_nothing(trio: Trio, rest: Rest):
    rest.imported(fading("a"))
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    client = governing_client(trio.teammate)

    page = shown(client)
    assert "this is a" in page.text
    assert "still_true" not in page.html
    assert client.post(FADING, {"scope": "shared", "still_true": "fact:a"}).status_code == 403
    assert rest.ids(subject="door") == ["fact:a"]


def test_a_stranger_finds_nothing_and_nobody_says_again_what_is_not_theirs(
    teammate: Client, stranger: Client, trio: Trio, rest: Rest
):
    private = make_scope(trio.space, "owners-own", trio.owner)
    inner = seat(trio.space, scope=private)
    inner.imported(fading("a"))

    assert stranger.get(FADING, {"scope": "shared"}).status_code == 404
    assert shown(teammate, "owners-own").status == 404
    assert teammate.post(FADING, {"scope": "owners-own", "still_true": "fact:a"}).status_code == 404
    assert "Nothing was changed" in send(teammate, still_true="fact:a").text
    assert inner.ids(subject="door") == ["fact:a"]


def test_phi_fades_only_before_who_states_a_purpose(teammate: Client, rest: Rest):
    consent = {"id": "consent:c", "subject": "door", "purposes": ["care"], "granted_by": "human://subject"}
    rest.post("consents", consent)
    rest.imported(fading("sealed", classification="PHI", consent="consent:c"))

    assert "Nothing fades by" in shown(teammate).text
    teammate.post("/spaces/north/purpose", {"purpose": "care"})
    assert said(shown(teammate)) == ["sealed"]
    assert "Still true: 1 fact" in send(teammate, still_true="fact:sealed").text
    (made,) = rest.listed(purpose="care")
    assert (made["supersedes"], made["classification"]) == ("fact:sealed", "PHI")
    assert made["@id"].startswith("fact:phi-")


def test_what_fades_is_counted_in_the_navigation_and_on_the_home_page(teammate: Client, rest: Rest):
    rest.imported(fading("a"), fading("b", statement="The door is open."))

    assert re.search(r'>Fading<span class="count">2<span', shown(teammate).html)
    home = page_of(teammate.get("/spaces/north/"))
    assert "Facts about to fade 2 leave their band within 30 days" in home.text
    assert "Still true?" in home.text


def test_a_hostile_fact_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    rest.imported(fading("a", subject=HOSTILE, predicate=HOSTILE, statement=HOSTILE), fading("b", subject=HOSTILE))

    page = shown(teammate)

    assert page.text.count(HOSTILE) >= 3
    assert "img" not in page.tags


def test_a_page_asks_the_databases_no_more_for_many_facts_than_for_few(
    teammate: Client, rest: Rest, django_assert_max_num_queries: Any
):
    def asked(prefix: str, count: int) -> int:
        rest.imported(*(fading(f"{prefix}{number}", subject=f"s{number % 7}") for number in range(count)))
        with django_assert_max_num_queries(50) as queries:
            assert shown(teammate).status == 200
        return len(queries)

    shown(teammate)
    assert asked("a", 2) == asked("b", 50)
