"""Contradictions as REST finds them: by the rules, at an instant, in the scopes of one caller."""

import json
import random
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from common.times import format_instant, now
from memory.facts.counting import open_contradictions
from memory.facts.groups import rebuild
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Scope
from tests.actors import make_scope
from tests.rest.client import Rest, live, seat, stored

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "facts.json"
SHARED: list[dict[str, Any]] = json.loads(CASES.read_text())["contradictions"] if CASES.is_file() else []
OVER_TENANTS = {"tenant", "allow_cross_tenant"}
JANUARY, FEBRUARY, MARCH = (f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3))


def about(name: str, value: Any = 1, **more: Any) -> dict[str, Any]:
    return stored(name, **{"subject": "door", "predicate": "state", "object": value} | more)


def conflicts(rest: Rest, **query: Any) -> list[dict[str, Any]]:
    answer = rest.get("contradictions", **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["conflicts"]
    return found


def ranked(conflict: dict[str, Any]) -> list[str]:
    preferred = [conflict["preferred"]] if conflict["preferred"] else []
    return [claim["id"] for claim in (*preferred, *conflict["conflicts_with"])]


@pytest.mark.skipif(not SHARED, reason="the shared cases are not here")
@pytest.mark.parametrize(
    "case", [case for case in SHARED if not OVER_TENANTS & case["params"].keys()], ids=lambda case: case["id"]
)
def test_the_shared_cases(rest: Rest, case: dict[str, Any]):
    for fact in case["facts"]:
        if "consent" in fact:
            rest.post("consents", consent(fact["consent"], fact["subject"]))
    rest.imported(*case["facts"])

    found = conflicts(rest, **case["params"])

    assert len(found) == case["expect"]["count"]
    for got, wanted in zip(found, case["expect"]["groups"], strict=True):
        assert (got["preferred"] or {}).get("id") == wanted["preferred"]
        assert got["tied"] == wanted["tied"]
        assert sorted(ranked(got)) == sorted(wanted["ranked"])
        assert wanted["tied"] or ranked(got) == wanted["ranked"]


def consent(name: str, subject: str = "door") -> dict[str, Any]:
    return {
        "id": name, "subject": subject, "purposes": ["care"], "valid_from": "2020-01-01T00:00:00Z",
        "granted_by": "human://subject",
    }  # fmt: skip


def test_a_conflict_says_what_decided_and_whether_confidence_disagrees(rest: Rest):
    rest.imported(about("open", "open", confidence=0.9), about("shut", "shut", confidence=0.4, recordedAt=FEBRUARY))

    (found,) = conflicts(rest)

    assert (found["subject"], found["predicate"], found["scope"]) == ("door", "state", "shared")
    assert (found["rule"], found["tied"], found["confidence_disagrees"]) == ("newer record", False, True)
    assert ranked(found) == ["fact:shut", "fact:open"]
    assert found["preferred"]["object"] == "shut"


def test_a_full_tie_has_no_preferred_claim_and_shows_both(rest: Rest):
    rest.imported(about("a", 1), about("b", 2))

    (found,) = conflicts(rest)

    assert (found["preferred"], found["tied"]) == (None, True)
    assert ranked(found) == ["fact:a", "fact:b"]


def test_time_travel_finds_what_stood_against_each_other_then(rest: Rest):
    rest.imported(
        about("open", "open"),
        about("shut", "shut", recordedAt=FEBRUARY),
        about("ajar", "ajar", recordedAt=MARCH, supersedes="fact:open"),
        about("agrees", "ajar", recordedAt="2026-04-01T00:00:00Z", supersedes="fact:shut"),
    )

    assert conflicts(rest, as_of="2026-01-15") == []
    assert ranked(conflicts(rest, as_of="2026-02-15")[0]) == ["fact:shut", "fact:open"]
    assert ranked(conflicts(rest, as_of="2026-03-15")[0]) == ["fact:ajar", "fact:shut"]
    assert conflicts(rest, as_of="2026-04-15") == []
    assert conflicts(rest) == []


def test_a_claim_that_is_not_valid_yet_or_any_more_contradicts_nothing(rest: Rest):
    rest.imported(
        about("old", "open", validUntil=FEBRUARY),
        about("now", "shut"),
        about("later", "ajar", validFrom="2199-01-01T00:00:00Z"),
    )

    assert ranked(conflicts(rest, as_of="2026-01-15")[0]) == ["fact:now", "fact:old"]
    assert conflicts(rest) == []
    assert ranked(conflicts(rest, as_of="2199-06-01")[0]) == ["fact:later", "fact:now"]


def test_a_multi_valued_predicate_contradicts_only_where_one_value_is_denied(rest: Rest):
    rest.imported(about("a", 1), about("b", 2), about("c", 3), about("not-c", 3, negated=True))
    assert len(ranked(conflicts(rest)[0])) == 4

    answer = rest.post("predicates", {"predicate": "state", "multi_valued": True})
    assert answer.status_code == 200
    assert ranked(conflicts(rest)[0]) == ["fact:c", "fact:not-c"]

    rest.post("predicates", {"predicate": "state", "multi_valued": False})
    assert len(ranked(conflicts(rest)[0])) == 4


def test_the_shorter_chain_of_derivation_decides_between_equals(rest: Rest):
    rest.imported(
        stored("root"),
        stored("middle", derivedFrom=["fact:root"]),
        about("far", "x", derivedFrom=["fact:middle"]),
        about("near", "y", derivedFrom=["fact:root", "fact:missing", "fact:gone"]),
    )

    (found,) = conflicts(rest)

    assert (ranked(found), found["rule"]) == (["fact:near", "fact:far"], "shorter derivation chain")


def test_one_thing_said_by_thousands_does_not_drown_who_denies_it_and_stays_quick(rest: Rest):
    rest.imported(*(about(f"r{number:04}", "open") for number in range(5_000)))
    rest.imported(about("denied", "open", negated=True), about("other", "shut", recordedAt="2025-01-01T00:00:00Z"))

    began = time.perf_counter()
    (found,) = conflicts(rest)
    took = time.perf_counter() - began

    names = ranked(found)
    assert {"fact:denied", "fact:other"} <= set(names)
    assert len(names) == 200
    assert took < 1.0


def test_a_long_line_of_readings_that_supersede_each_other_stays_quick(rest: Rest):
    rest.imported(about("r0000", 0))
    rest.imported(*(about(f"r{n:04}", n, supersedes=f"fact:r{n - 1:04}") for n in range(1, 5_000)))
    assert conflicts(rest) == []

    began = time.perf_counter()
    rest.written(subject="door", predicate="state", object="other", supersedes="fact:r4999")
    rest.written(subject="door", predicate="state", object="another")
    (found,) = conflicts(rest, subject="door")
    took = time.perf_counter() - began

    assert len(ranked(found)) == 2
    assert took < 1.0


def test_pages_lead_through_every_conflict_once_in_the_order_of_their_subjects(rest: Rest):
    for number in range(7):
        rest.imported(*(about(f"{n}-{number}", n, subject=f"s{number}") for n in range(2)))

    seen, cursor = [], None
    while True:
        answer = rest.get("contradictions", limit=3, cursor=cursor).json()
        seen += [conflict["subject"] for conflict in answer["conflicts"]]
        cursor = answer["next"]
        if cursor is None:
            break

    assert seen == [f"s{number}" for number in range(7)]


def test_a_cursor_of_another_question_is_refused(rest: Rest):
    for number in range(2):
        rest.imported(*(about(f"{n}-{number}", n, subject=f"s{number}") for n in range(2)))
    cursor = rest.get("contradictions", limit=1).json()["next"]

    answer = rest.get("contradictions", limit=1, cursor=cursor, predicate="state")

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cursor")


@pytest.mark.parametrize(("query", "subjects"), [({"subject": "s1"}, ["s1"]), ({"predicate": "state"}, ["s0", "s1"])])
def test_a_filter_leaves_what_passes_it(rest: Rest, query: dict[str, str], subjects: list[str]):
    for number in range(2):
        rest.imported(*(about(f"{n}-{number}", n, subject=f"s{number}") for n in range(2)))
    rest.imported(*(about(f"{n}-p", n, predicate="colour") for n in range(2)))

    assert [conflict["subject"] for conflict in conflicts(rest, **query)] == subjects


def test_facts_of_two_scopes_never_contradict_each_other(north: Any, rest: Rest):
    other = make_scope(north, "other")
    elsewhere = seat(north, scope=other)
    both = seat(north, verbs=("facts:read", "cross_tenant"))
    rest.imported(about("a", 1))
    elsewhere.imported(about("a", 2))
    assert conflicts(both, scope="*") == []

    rest.imported(about("b", 3))
    elsewhere.imported(about("b", 4))
    found = conflicts(both, scope="*")
    assert [(conflict["scope"], ranked(conflict)) for conflict in found] == [
        ("shared", ["fact:a", "fact:b"]), ("other", ["fact:a", "fact:b"])
    ]  # fmt: skip
    assert [conflict["scope"] for conflict in conflicts(rest)] == ["shared"]


def test_phi_contradicts_only_before_who_may_read_it_and_no_cursor_tells_of_it(rest: Rest):
    rest.post("consents", consent("consent:c"))
    for number in range(3):
        rest.imported(
            about(f"plain-{number}", 1, subject=f"s{number}"),
            about(f"other-{number}", 2, subject=f"s{number}"),
        )
    sealed = {"classification": "PHI", "consent": "consent:c"}
    rest.imported(about("x", "secret", **sealed), about("y", "other secret", **sealed))
    rest.imported(
        about("z", 1, subject="s0", recordedAt="2025-06-01T00:00:00Z", **sealed | {"consent": "consent:none"})
    )

    assert [conflict["subject"] for conflict in conflicts(rest)] == ["s0", "s1", "s2"]
    assert rest.get("contradictions", limit=3).json()["next"] is None
    assert [conflict["subject"] for conflict in conflicts(rest, purpose="care")] == ["s0", "s1", "s2", "door"]
    assert len(ranked(conflicts(rest, purpose="care")[0])) == 2
    assert conflicts(rest, subject="door", purpose="billing") == []
    assert ranked(conflicts(rest, subject="door", purpose="care")[0]) == ["fact:x", "fact:y"]


def test_a_withheld_parent_counts_like_a_missing_one(rest: Rest):
    sealed = {"classification": "PHI", "consent": "consent:none"}
    rest.imported(
        stored("root"),
        stored("hidden", derivedFrom=["fact:root"], **sealed),
        about("a", 1, derivedFrom=["fact:hidden"]),
        about("b", 2, derivedFrom=["fact:gone"]),
    )

    assert conflicts(rest)[0]["tied"]


def _random_facts(chance: random.Random, count: int) -> list[dict[str, Any]]:
    """Facts that supersede each other, in chains too, under a few claims, some of them PHI, in any order."""
    facts = []
    free: list[str] = []
    for number in range(count):
        sealed = {"classification": "PHI", "consent": "consent:c"} if chance.random() < 0.3 else {}
        superseded = free.pop(chance.randrange(len(free))) if free and chance.random() < 0.4 else None
        facts.append(
            about(
                f"n{number}", chance.choice([1, 1.0, "x", {"a": 1, "b": 2}, {"b": 2, "a": 1}]),
                subject=chance.choice("ab"), predicate=chance.choice("pq"),
                negated=chance.random() < 0.2, supersedes=superseded,
                recordedAt=f"2026-01-{chance.randrange(1, 28):02}T00:00:00Z", **sealed,
            )
        )  # fmt: skip
        free.append(f"fact:n{number}")
    chance.shuffle(facts)
    return facts


def _bound(space: Any, purpose: str | None = None) -> Binding:
    return Binding(space, SYSTEM_CALLER, tuple(Scope.objects.filter(space=space).order_by("pk")), purpose=purpose)


@pytest.mark.parametrize("number", range(6))
def test_groups_and_the_count_are_right_after_any_history(north: Any, rest: Rest, number: int):
    chance = random.Random(number)
    facts = _random_facts(chance, 60)
    rest.post("consents", consent("consent:c", "a"))
    while facts:
        size = chance.randrange(1, 12)
        batch, facts = facts[:size], facts[size:]
        rest.imported(*batch)

    with entered(north):
        assert open_contradictions(_bound(north)) == (len(conflicts(rest)), False)
        with memory_transaction() as act:
            assert rebuild() == 0
            act.record(SYSTEM_CALLER.actor, "groups.rebuild")


def test_a_group_that_went_wrong_is_made_again(north: Any, rest: Rest):
    rest.imported(about("a", 1), about("b", 2))
    with entered(north):
        from memory.models import FactGroup

        FactGroup.objects.all().delete()
        assert conflicts(rest) == []
        with memory_transaction() as act:
            assert rebuild() == 1
            act.record(SYSTEM_CALLER.actor, "groups.rebuild")
    assert len(conflicts(rest)) == 1


def test_the_count_leaves_out_what_is_settled_and_is_bounded(north: Any, rest: Rest):
    rest.imported(about("a", 1), about("b", 2))
    for number in range(60):
        rest.imported(*(about(f"{n}-{number}", n, subject=f"s{number:02}", predicate="colour") for n in range(2)))
    with entered(north):
        assert open_contradictions(_bound(north)) == (50, True)

    rest.post("predicates", {"predicate": "colour", "multi_valued": True})
    with entered(north):
        assert open_contradictions(_bound(north)) == (1, False)

    dismissed = {"facts": ["fact:a", "fact:b"], "decision": "dismiss", "reason": "two doors"}
    assert rest.post("contradictions/decisions", dismissed).status_code == 201
    with entered(north):
        assert open_contradictions(_bound(north)) == (0, False)
    rest.imported(about("c", 3))
    with entered(north):
        assert open_contradictions(_bound(north)) == (1, False)


def test_two_who_write_at_once_are_found_to_contradict_each_other(committed_db: None, north: Any):
    """Neither transaction sees the fact of the other while it runs."""
    writers = [seat(north), seat(north)]
    for round_ in range(5):
        ready = threading.Barrier(2)

        def write(rest: Rest, value: int, subject: str = f"s{round_}", ready: threading.Barrier = ready) -> None:
            ready.wait()
            rest.post("facts", live(subject=subject, predicate="p", object=value))
            connections.close_all()

        threads = [threading.Thread(target=write, args=(rest, value)) for value, rest in enumerate(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(conflicts(writers[0])) == 5


def test_a_forecast_judges_confidence_on_its_day(rest: Rest):
    soon = format_instant(now() + timedelta(days=365))
    rest.imported(about("fades", "open", confidence=0.9, decay="0.5/30d"), about("stays", "shut", confidence=0.5))

    assert ranked(conflicts(rest, as_of="2026-01-02")[0]) == ["fact:fades", "fact:stays"]
    assert ranked(conflicts(rest, as_of=soon)[0]) == ["fact:stays", "fact:fades"]
