"""The page of facts: what is asked of it, what it shows, and what it says when it cannot."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from memory.facts import reading
from spaces.models import Scope
from tests.actors import Trio, make_scope
from tests.pages.reading import Page, page_of, statements
from tests.rest.client import Rest, seat, stored

HOSTILE = "<img src=x onerror=document.title='pwn'>"


def shown(client: Client, scope: str = "shared", **query: str) -> Page:
    return page_of(client.get("/spaces/north/facts", {"scope": scope, **query}))


def test_a_row_says_what_is_held_true_and_how_sure_one_may_be(teammate: Client, rest: Rest):
    rest.written(
        statement="Harrow Street has 24 places.", subject="clinic:harrow", predicate="places", object=24,
        confidence=0.5, classification="PII",
    )  # fmt: skip

    page = shown(teammate)

    assert page.status == 200
    statement, about, value, sure, valid, recorded, kind = page.rows[1]
    assert (statement, about, value) == ("Harrow Street has 24 places.", "clinic:harrow places", "24")
    assert (sure, kind) == ("0.5000 uncertain", "PII")
    assert valid == f"since {recorded}"


def test_the_address_without_a_scope_leads_to_one(teammate: Client, rest: Rest):
    assert teammate.get("/spaces/north/facts")["Location"] == "/spaces/north/facts?scope=shared"


def test_at_first_it_is_the_shared_scope_and_then_the_one_seen_last(teammate: Client, trio: Trio, rest: Rest):
    make_scope(trio.space, "own", trio.teammate)
    address = "/spaces/north/facts"

    assert teammate.get(address)["Location"] == f"{address}?scope=shared"
    shown(teammate, "own")
    assert teammate.get(address)["Location"] == f"{address}?scope=own"


def test_without_a_shared_scope_it_is_ones_own(teammate: Client, trio: Trio):
    make_scope(trio.space, "own", trio.teammate)
    Scope.objects.filter(space=trio.space, owner=None).delete()

    assert teammate.get("/spaces/north/facts")["Location"] == "/spaces/north/facts?scope=own"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"subject": "b"}, ["two"]),
        ({"predicate": "likes"}, ["one"]),
        ({"text": "thirds"}, ["the third"]),
        ({"band": "stale"}, ["the third"]),
        ({"classification": "pii"}, ["two"]),
        ({"min_confidence": "0.8"}, ["one"]),
    ],
)
def test_a_filter_leaves_what_passes_it(teammate: Client, rest: Rest, query: dict[str, str], found: list[str]):
    rest.written(statement="one", subject="a", predicate="likes", confidence=0.9)
    rest.written(statement="two", subject="b", confidence=0.7, classification="PII")
    rest.written(statement="the third", subject="c", confidence=0.1)

    assert statements(shown(teammate, **query)) == found


def test_an_active_filter_is_a_chip_that_takes_itself_away(teammate: Client, rest: Rest):
    rest.written(statement="one", subject="a", confidence=0.9)
    rest.written(statement="two", subject="a", confidence=0.2)

    page = shown(teammate, subject="a", band="stale")
    assert statements(page) == ["two"]
    assert statements(page_of(teammate.get(page.links["band stale"]))) == ["one", "two"]
    assert page.links["Clear"] == "?scope=shared"


def test_a_superseded_fact_is_shown_struck_through_only_when_it_is_asked_for(teammate: Client, rest: Rest):
    old = rest.written(statement="old", subject="a")
    rest.written(statement="new", subject="a", supersedes=old["@id"])

    assert statements(shown(teammate)) == ["new"]
    page = shown(teammate, include_superseded="true", order="recorded")
    assert statements(page) == ["new", "old"]
    assert page.html.count("is-superseded") == 1
    assert page.rows[2][0] == "old superseded"


def test_an_expired_fact_and_one_not_yet_valid_say_so(teammate: Client, rest: Rest):
    rest.imported(
        stored("gone", validUntil="2026-02-01T00:00:00Z"), stored("to-come", validFrom="2199-01-01T00:00:00Z")
    )

    assert statements(shown(teammate)) == ["this is to-come"]
    states = {row[0]: row[4] for row in shown(teammate, include_expired="true").rows[1:]}
    assert states == {"this is gone": "expired on 1 Feb 2026", "this is to-come": "not yet valid from 1 Jan 2199"}


def test_both_axes_of_time_bring_back_what_stood_then(teammate: Client, rest: Rest):
    rest.imported(
        stored("old"), stored("new", supersedes="fact:old", recordedAt="2026-03-01T00:00:00Z", validFrom="2026-05-01")
    )

    assert statements(shown(teammate)) == ["this is new"]
    assert statements(shown(teammate, as_of="2026-02-01T00:00:00Z")) == ["this is old"]
    page = shown(teammate, as_of="2026-04-01T00:00:00Z")
    assert page.rows[1][4] == "not yet valid from 1 May 2026"
    page = shown(teammate, as_of="2026-04-01T00:00:00Z", valid_at="2026-06-01T00:00:00Z")
    assert page.rows[1][4] == "since 1 May 2026"
    assert page.links["this is new"].endswith("as_of=2026-04-01T00%3A00%3A00Z&valid_at=2026-06-01T00%3A00%3A00Z")


def test_a_date_of_the_form_is_one_of_the_spaces_clock_and_becomes_exact(teammate: Client, rest: Rest, trio: Trio):
    trio.space.zone = "Asia/Kathmandu"
    trio.space.save(update_fields=["zone"])
    rest.imported(stored("old"))
    form = {"scope": "shared", "subject": "", "band": "", "as_of": "2026-02-01T12:00", "valid_at": ""}

    answer = teammate.get("/spaces/north/facts", form)

    assert answer["Location"] == "/spaces/north/facts?scope=shared&as_of=2026-02-01T06%3A15%3A00Z"
    assert page_of(teammate.get(answer["Location"])).fields["as_of"] == "2026-02-01T12:00:00"


def test_the_pager_keeps_the_filters_and_leads_through_every_fact_once(teammate: Client, rest: Rest):
    rest.imported(*(stored(f"n{number:02}", subject="a") for number in range(7)), stored("other", subject="b"))

    seen, page = [], shown(teammate, subject="a", order="recorded", limit="3")
    assert "First page" not in page.links
    seen += statements(page)
    while "Next page" in page.links:
        page = page_of(teammate.get("/spaces/north/facts" + page.links["Next page"]))
        assert page.fields["subject"] == "a"
        assert "First page" in page.links
        seen += statements(page)

    assert seen == [f"this is n{number:02}" for number in range(7)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("band", "great"),
        ("min_confidence", "2"),
        ("min_confidence", "much"),
        ("classification", "SECRET"),
        ("as_of", "yesterday"),
        ("valid_at", "2026-02-30"),
        ("order", "size"),
        ("limit", "0"),
        ("cursor", "abc"),
        ("subject", "x" * 501),
        ("include_expired", "perhaps"),
        ("colour", "blue"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_field(teammate: Client, rest: Rest, name: str, value: str):
    rest.written(statement="kept back")

    page = shown(teammate, **{name: value})

    assert page.status == 400
    assert f"Nothing is shown until it is put right. {name} " in page.text
    assert "kept back" not in page.text
    assert page.fields["scope"] == "shared"


def test_what_was_filled_in_stays_in_the_form_when_it_is_refused(teammate: Client, rest: Rest):
    page = shown(teammate, subject="clinic:harrow", min_confidence="much", as_of="2026-02-01T12:00:00Z")

    kept = (page.fields["subject"], page.fields["min_confidence"], page.fields["as_of"])
    assert kept == ("clinic:harrow", "much", "2026-02-01T12:00:00")


def test_too_many_facts_to_sort_are_answered_with_what_to_do(
    teammate: Client, rest: Rest, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(reading, "MOST_SORTED", 1)
    rest.imported(stored("a"), stored("b"))

    page = shown(teammate, order="subject")

    assert page.status == 422
    assert "Too many facts to sort like this." in page.text
    assert len(page_of(teammate.get("/spaces/north/facts" + page.links["Newest first"])).rows) == 3


def test_an_empty_scope_says_how_facts_come_and_an_empty_answer_which_way_is_out(teammate: Client, rest: Rest):
    page = shown(teammate)
    assert "No facts in this scope yet" in page.text
    assert page.links["Import a memory folder"] == "/spaces/north/facts/import?scope=shared"

    old = rest.written(statement="old", subject="a")
    rest.written(statement="new", subject="b", supersedes=old["@id"])
    page = shown(teammate, subject="a")
    assert "Nothing matches" in page.text
    way_out = page.links["Superseded and expired too"]
    assert statements(page_of(teammate.get("/spaces/north/facts" + way_out))) == ["old"]


def test_every_scope_one_may_see_is_shown_with_its_name(owner: Client, teammate: Client, trio: Trio, rest: Rest):
    private = make_scope(trio.space, "owners-own", trio.owner)
    seat(trio.space, scope=private).written(statement="private")
    rest.written(statement="for all")

    assert {row[0]: row[6] for row in shown(owner, "*").rows[1:]} == {"private": "owners-own", "for all": "shared"}
    assert {row[0]: row[6] for row in shown(teammate, "*").rows[1:]} == {"for all": "shared"}
    assert shown(teammate, "owners-own").status == 404


def test_a_stranger_finds_the_same_page_as_for_a_space_that_is_not_there(stranger: Client, rest: Rest):
    answers = [stranger.get(f"/spaces/{name}/facts", {"scope": "shared"}) for name in ("north", "nowhere")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert page_of(answers[0]).words == page_of(answers[1]).words


def test_a_hostile_statement_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    rest.written(statement=HOSTILE, subject=HOSTILE, predicate=HOSTILE, object=HOSTILE)

    page = shown(teammate, subject=HOSTILE)

    assert page.rows[1][:3] == [HOSTILE, f"{HOSTILE} {HOSTILE}", HOSTILE]
    assert "img" not in page.tags
    assert page.fields["subject"] == HOSTILE
    assert f"subject {HOSTILE}" in page.links


def test_htmx_gets_what_stands_in_the_middle_and_a_history_step_the_whole(teammate: Client, rest: Rest):
    query = {"scope": "shared"}
    part = teammate.get("/spaces/north/facts", query, headers={"HX-Request": "true"})
    restored = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    whole = teammate.get("/spaces/north/facts", query, headers=restored)

    assert page_of(part).tags.isdisjoint({"html", "nav", "main"})
    assert "Write a fact" in page_of(part).text
    assert {"html", "nav", "main"} <= page_of(whole).tags
    assert "HX-Request" in part["Vary"]


def test_the_export_link_gives_every_fact_of_the_scope_to_the_session(teammate: Client, rest: Rest):
    rest.imported(stored("a"), stored("b"))

    answer = teammate.get(shown(teammate).links["Export JSON Lines"])

    assert answer.status_code == 200
    assert answer.getvalue().count(b"\n") == 2


def test_a_page_asks_the_databases_no_more_for_many_facts_than_for_few(
    teammate: Client, rest: Rest, trio: Trio, django_assert_max_num_queries
):
    def asked(count: int) -> int:
        rest.imported(*(stored(f"{count}-{number}") for number in range(count)))
        with django_assert_max_num_queries(40) as queries:
            assert shown(teammate).status == 200
        return len(queries)

    shown(teammate)
    assert asked(2) == asked(60)


def test_an_auditor_reads_and_is_not_asked_to_write(trio: Trio, rest: Rest):
    from spaces.models import Membership
    from tests.accounts.factors import governing_client

    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    client = governing_client(trio.teammate)

    assert "Write a fact" not in shown(client).links
    assert client.get("/spaces/north/facts/new", {"scope": "shared"}).status_code == 403


def test_a_page_of_the_latest_instant_there_is_does_not_break(teammate: Client, rest: Rest):
    rest.imported(stored("long", validUntil="9999-12-31T23:59:59Z"))

    latest = datetime.max.replace(tzinfo=UTC, microsecond=0).isoformat().replace("+00:00", "Z")
    assert shown(teammate, valid_at=latest, include_expired="true").status == 200
