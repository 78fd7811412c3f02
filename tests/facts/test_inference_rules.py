"""Rules that facts are inferred by: kept, counted, and led from to their facts."""

from typing import Any

from memory.facts.inference_rules import counted_rules, facts_of_rule
from tests.actors import make_scope
from tests.facts.reading_directly import reading
from tests.rest.client import Rest, seat, stored

RULE = {"@id": "rule:sum", "name": "Add up", "text": "a and b give c", "version": 2}


def counts(space: Any, purpose: str | None = None) -> list[tuple[str, int]]:
    with reading(space, purpose) as binding:
        return [(counted.rule.id, counted.facts) for counted in counted_rules(binding)]


def test_each_rule_is_counted_with_the_facts_that_name_it_the_newest_rule_first(north: Any, rest: Rest):
    for rule in (RULE, {"@id": "rule:other"}):
        assert rest.post("rules", rule).status_code == 201
    rest.imported(
        stored("a", inference="rule:sum"), stored("b", inference="rule:sum", supersedes="fact:a"),
        stored("c", inference="rule:unknown"), stored("d"),
    )  # fmt: skip

    assert counts(north) == [("rule:other", 0), ("rule:sum", 2)]


def test_the_facts_of_a_rule_come_newest_first_and_no_more_than_asked_for(north: Any, rest: Rest):
    rest.imported(*(stored(f"f{n}", inference="rule:sum", recordedAt=f"2026-02-0{n}T00:00:00Z") for n in (1, 2, 3)))

    with reading(north) as binding:
        views = facts_of_rule(binding, "rule:sum", most=2)
        assert facts_of_rule(binding, "rule:none", most=2) == []

    assert [view.record.id for view in views] == ["fact:f3", "fact:f2"]


def test_a_rule_counts_the_facts_of_its_own_scope(north: Any, rest: Rest):
    other = seat(north, scope=make_scope(north, "second"))
    for caller in (rest, other):
        assert caller.post("rules", RULE).status_code == 201
    rest.imported(stored("a", inference="rule:sum"))

    assert sorted(counts(north)) == [("rule:sum", 0), ("rule:sum", 1)]


def test_by_which_rule_phi_was_inferred_is_sealed_and_it_is_not_counted_for_anybody(north: Any, rest: Rest):
    assert rest.post("rules", RULE).status_code == 201
    given = {"id": "consent:c", "subject": "patient:1", "purposes": ["care"], "granted_by": "human://patient"}
    assert rest.post("consents", given).status_code == 201
    phi = {"classification": "PHI", "consent": "consent:c", "subject": "patient:1"}
    rest.imported(stored("phi", inference="rule:sum", **phi), stored("plain", inference="rule:sum"))

    assert counts(north) == counts(north, "care") == [("rule:sum", 1)]
    with reading(north, "care") as binding:
        assert [view.record.id for view in facts_of_rule(binding, "rule:sum", most=9)] == ["fact:plain"]


def test_the_same_rule_again_changes_nothing_and_another_under_its_id_is_refused(rest: Rest):
    assert rest.post("rules", RULE).status_code == 201
    assert rest.post("rules", RULE).status_code == 201
    refused = rest.post("rules", RULE | {"text": "something else"})

    assert (refused.status_code, refused.json()["code"]) == (409, "id_taken")
    assert rest.get("rules").json()["rules"] == [RULE]
