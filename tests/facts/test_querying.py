"""Asking for facts: every parameter, alone, and what each row says of its fact."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory.facts import reading
from tests.actors import make_scope
from tests.rest.client import Rest, live, seat, stored

SPRING = "2026-03-21T00:00:00Z"


def test_an_answer_says_when_it_was_judged_and_how_many_it_holds(rest: Rest):
    rest.imported(stored("a"), stored("b"))
    answer = rest.get("facts", as_of=SPRING).json()

    assert answer.keys() == {"as_of", "valid_at", "count", "facts", "next"}
    assert (answer["as_of"], answer["valid_at"], answer["count"], answer["next"]) == (SPRING, SPRING, 2, None)


def test_a_row_holds_the_fact_and_what_was_judged_of_it(rest: Rest):
    given = stored("a", subject="c:1", predicate="p", object=0, decay="0.5/30d", confidence=0.8)
    rest.imported(given)
    (row,) = rest.listed(as_of="2026-01-31T00:00:00Z")

    judged = {"effective_confidence", "band", "validity_state", "superseded_by", "advice", "scope", "shared"}
    assert {name: value for name, value in row.items() if name not in judged} == given
    assert row["effective_confidence"] == pytest.approx(0.4, abs=1e-12)
    assert (row["band"], row["advice"], row["validity_state"]) == ("uncertain", "reverify", "current")
    assert (row["superseded_by"], row["scope"], row["shared"]) == (None, "shared", True)


def test_only_an_uncertain_fact_carries_the_advice(rest: Rest):
    rest.imported(*(stored(f"c{tenths}", confidence=tenths / 10) for tenths in (2, 5, 9)))
    assert {row["@id"]: "advice" in row for row in rest.listed()} == {
        "fact:c2": False,
        "fact:c5": True,
        "fact:c9": False,
    }


def test_subject_and_predicate_are_matched_to_the_letter(rest: Rest):
    rest.imported(
        stored("a", subject="c:1", predicate="score"),
        stored("b", subject="C:1", predicate="score"),
        stored("c", subject="c:1", predicate="Score"),
        stored("d"),
    )
    assert rest.ids(subject="c:1", predicate="score") == ["fact:a"]
    assert rest.ids(subject="c:1") == ["fact:a", "fact:c"]
    assert rest.ids(predicate="score") == ["fact:a", "fact:b"]
    assert rest.ids(subject="c:%") == []


def test_a_subject_is_taken_as_it_is_even_where_it_looks_like_a_pattern(rest: Rest):
    subject = "it's 100% \\ “a_b” \u00e9 %s {x} --"
    rest.imported(stored("odd", subject=subject), stored("other", subject="other"))
    assert rest.ids(subject=subject) == ["fact:odd"]


def test_a_classification_is_asked_for_in_any_case(rest: Rest):
    rest.imported(stored("a", classification="PII"), stored("b", classification="PUBLIC"), stored("c"))
    assert rest.ids(classification="pii") == ["fact:a"]


def test_bands_and_the_least_confidence_are_judged_on_the_unrounded_number(rest: Rest):
    below = math.nextafter(0.7, 0)
    rest.imported(
        stored("usable", confidence=0.7),
        stored("just-below", confidence=below),
        stored("uncertain", confidence=0.3),
        stored("stale", confidence=math.nextafter(0.3, 0)),
    )
    assert rest.ids(band="usable") == ["fact:usable"]
    assert rest.ids(band="uncertain") == ["fact:just-below", "fact:uncertain"]
    assert rest.ids(band="stale") == ["fact:stale"]
    assert rest.ids(min_confidence="0.7") == ["fact:usable"]
    assert rest.ids(min_confidence=repr(below)) == ["fact:just-below", "fact:usable"]
    assert {row["@id"]: row["effective_confidence"] for row in rest.listed()}["fact:just-below"] == below


def test_a_fact_that_has_all_but_vanished_breaks_no_query(rest: Rest):
    rest.imported(
        stored("gone", subject="c:1", decay="0.5/1ms"),
        stored("gone-too", subject="c:1", decay="0.0001/0.000001ns", confidence=0.0),
        stored("there", subject="c:1"),
    )
    rows = rest.listed(subject="c:1", as_of="9999-12-31T23:59:59.999999Z", min_confidence="0")

    assert [row["@id"] for row in rows] == ["fact:there", "fact:gone", "fact:gone-too"]
    assert [row["effective_confidence"] for row in rows[1:]] == [0, 0]
    assert rest.ids(subject="c:1", band="stale") == ["fact:gone", "fact:gone-too"]


def test_with_a_subject_the_surest_come_first_then_the_newest_then_by_id(rest: Rest):
    later = "2026-01-02T00:00:00Z"
    rest.imported(
        stored("b", subject="c:1", confidence=0.5),
        stored("a", subject="c:1", confidence=0.5),
        stored("newer", subject="c:1", confidence=0.5, recordedAt=later),
        stored("surest", subject="c:1", confidence=0.6),
    )
    assert rest.ids(subject="c:1") == ["fact:surest", "fact:newer", "fact:a", "fact:b"]
    assert rest.ids(subject="c:1", order="recorded") == ["fact:newer", "fact:a", "fact:b", "fact:surest"]


def test_without_a_subject_the_newest_come_first(rest: Rest):
    rest.imported(
        stored("old", confidence=0.9),
        stored("new", confidence=0.1, recordedAt="2026-02-01T00:00:00Z"),
        stored("a", subject="a", confidence=0.5),
        stored("z", subject="z", confidence=0.5),
    )
    assert rest.ids() == ["fact:new", "fact:a", "fact:old", "fact:z"]
    assert rest.ids(order="confidence") == ["fact:old", "fact:a", "fact:z", "fact:new"]
    assert rest.ids(order="subject") == ["fact:new", "fact:old", "fact:a", "fact:z"]


def test_sorting_too_many_by_what_changes_with_time_asks_to_narrow_first(rest: Rest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "MOST_SORTED", 3)
    rest.imported(*(stored(str(number), subject="c:1", predicate=f"p{number % 2}") for number in range(4)))

    answer = rest.get("facts", order="confidence")
    assert (answer.status_code, answer.json()["code"]) == (422, "narrow_first")
    assert len(rest.ids(order="recorded")) == 4
    assert len(rest.ids(order="confidence", predicate="p1")) == 2
    assert len(rest.ids(order="confidence", subject="c:1")) == 4


def test_exactly_as_many_as_can_be_sorted_are_sorted(rest: Rest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "MOST_SORTED", 3)
    rest.imported(*(stored(str(number)) for number in range(3)))
    assert len(rest.ids(order="subject")) == 3


def test_superseded_and_expired_facts_are_left_out_unless_asked_for(rest: Rest):
    rest.imported(
        stored("old"),
        stored("new", supersedes="fact:old"),
        stored("over", validUntil="2026-02-01T00:00:00Z"),
    )
    assert rest.ids() == ["fact:new"]
    assert rest.ids(include_superseded="true") == ["fact:new", "fact:old"]
    assert rest.ids(include_expired="true") == ["fact:new", "fact:over"]
    rows = rest.listed(include_superseded="true", include_expired="true")
    assert {row["@id"]: (row["superseded_by"], row["validity_state"]) for row in rows} == {
        "fact:old": ("fact:new", "current"),
        "fact:new": (None, "current"),
        "fact:over": (None, "expired"),
    }


def test_one_scope_is_asked_by_either_of_its_names(rest: Rest):
    rest.imported(stored("a"))
    assert rest.ids(scope="shared") == rest.ids(tenant="shared") == rest.ids(scope="*") == ["fact:a"]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("as_of", "2026-01-01T00:00:00"), ("as_of", "soon"), ("valid_at", "2026-13-01"), ("as_of", ""),
        ("min_confidence", "1.1"), ("min_confidence", "-0.1"), ("min_confidence", "nan"), ("min_confidence", "x"),
        ("band", "good"), ("band", ""), ("classification", "SECRET"), ("order", "random"), ("limit", "0"),
        ("limit", "-1"), ("limit", "ten"), ("limit", "9" * 5000), ("include_expired", "maybe"), ("subject", ""),
        ("subject", "x" * 501), ("subject", "a\0b"), ("text", ""), ("text", "x" * 1001), ("text", "\0"),
        ("cursor", "nonsense"), ("cursor", "x" * 5000), ("scope", "\0"), ("_connector", "OR 1=1"),
        ("space__id__gte", "0"), ("sub\0ject", "1"), ("Subject", "c:1"),
    ],
)  # fmt: skip
def test_a_parameter_that_breaks_its_rule_or_is_unknown_is_named(rest: Rest, parameter: str, value: str):
    answer = rest.get("facts", **{parameter: value})
    assert answer.status_code == 400, answer.content
    assert [error["field"] for error in answer.json()["errors"]] == [parameter.replace("\0", "?")]


def test_a_parameter_given_twice_is_refused(rest: Rest):
    answer = rest.client.get(rest.address("facts") + "?subject=a&subject=b&band=stale")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "subject")


def test_filters_of_the_frameworks_own_kind_are_unknown(rest: Rest):
    answer = rest.client.get(rest.address("facts") + "?_connector=OR%201%3D1&space__id__gte=0")
    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == {"_connector", "space__id__gte"}


def test_a_page_never_holds_more_than_a_thousand(rest: Rest):
    rest.imported(*(stored(f"{number:04}") for number in range(1_001)))
    answer = rest.get("facts", limit=1_000_000_000).json()

    assert answer["count"] == len(answer["facts"]) == 1_000
    assert answer["next"] is not None


def test_a_fact_is_read_as_it_stood_at_another_time(rest: Rest):
    rest.imported(stored("a", decay="0.5/30d", confidence=0.8))
    judged = rest.get("facts/fact:a", as_of=SPRING, valid_at="2026-01-31T00:00:00Z").json()

    assert judged["effective_confidence"] == pytest.approx(0.4, abs=1e-12)
    assert rest.get("facts/fact:a", as_of="2025-12-31").status_code == 404


@pytest.mark.parametrize("name", ["fact:nowhere", "fact:\0", "fact:", "x", "fact:a%b", "fact:" + "🎈" * 501])
def test_a_fact_that_is_not_there_is_not_found(rest: Rest, name: str):
    answer = rest.get(f"facts/{name}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_an_id_of_two_scopes_must_be_asked_for_in_one_of_them(north: Any, rest: Rest):
    seat(north, scope=make_scope(north, "annex")).written(**{"@id": "fact:same"})
    rest.written(**{"@id": "fact:same"})
    crossing = seat(north, verbs=("facts:read", "cross_tenant"))

    assert crossing.get("facts/fact:same", scope="*").status_code == 400
    assert crossing.get("facts/fact:same", scope="annex").json()["scope"] == "annex"
    assert crossing.get("facts/fact:same").json()["scope"] == "shared"


def test_the_present_is_what_is_asked_about_when_nothing_is_said(rest: Rest):
    before = datetime.now(UTC)
    made = rest.post("facts", live(decay="0.5/1s")).json()
    answer = rest.get("facts").json()

    asked = datetime.fromisoformat(answer["as_of"])
    assert before <= asked <= datetime.now(UTC)
    age = (asked - datetime.fromisoformat(made["validFrom"])) / timedelta(seconds=1)
    assert answer["facts"][0]["effective_confidence"] == pytest.approx(0.9 * 0.5**age, abs=1e-12)


def test_a_subject_and_a_predicate_together_find_what_is_about_both(rest: Rest):
    rest.imported(
        stored("both", subject="door", predicate="is"),
        stored("other-predicate", subject="door", predicate="was"),
        stored("other-subject", subject="window", predicate="is"),
        stored("run-together", subject="doori", predicate="s"),
        stored("no-predicate", subject="door"),
    )
    assert rest.ids(subject="door", predicate="is") == ["fact:both"]
    assert rest.ids(scope="*", subject="door", predicate="is") == ["fact:both"]
    assert rest.ids(subject="door", predicate="IS") == []
