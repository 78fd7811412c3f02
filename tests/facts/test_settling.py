"""Settling contradictions: what is written, what is not, and who was first."""

import threading
from typing import Any

import pytest
from django.db import connections

from audit.models import AuditRow
from memory.models import ContradictionDecision, Predicate
from spaces.databases.entering import entered
from tests.facts.test_contradictions import FEBRUARY, about, conflicts, consent, ranked
from tests.rest.client import Rest, seat

DECISIONS = "contradictions/decisions"


def settle(rest: Rest, *names: str, **decision: Any) -> Any:
    return rest.post(DECISIONS, {"facts": [f"fact:{name}" for name in names]} | decision)


def choose(rest: Rest, *names: str, chosen: str) -> Any:
    return settle(rest, *names, decision="choose", chosen=f"fact:{chosen}")


def standing(rest: Rest, **query: Any) -> list[tuple[Any, bool]]:
    """What is said of the door now, each thing once."""
    found = {(str(fact["object"]), fact.get("negated", False)) for fact in rest.listed(subject="door", **query)}
    return sorted(found)


def test_the_chosen_claim_is_written_again_in_the_place_of_the_one_that_lost(rest: Rest):
    rest.imported(about("open", "open", confidence=0.6, decay="0.9/30d"), about("shut", "shut", recordedAt=FEBRUARY))

    answer = settle(rest, "open", "shut", decision="choose", chosen="fact:open", reason="I looked.")

    assert answer.status_code == 201
    assert (answer.json()["decision"], answer.json()["reason"]) == ("superseded", "I looked.")
    (made,) = [fact for fact in rest.listed(subject="door") if fact["@id"] != "fact:open"]
    assert (made["object"], made["confidence"], made["supersedes"]) == ("open", 0.6, "fact:shut")
    assert (made["derivedFrom"], made["reason"]) == (["fact:open"], "I looked.")
    assert made["validFrom"] == made["recordedAt"]
    assert conflicts(rest) == []
    assert ranked(conflicts(rest, as_of=FEBRUARY)[0]) == ["fact:shut", "fact:open"]


def test_a_choice_supersedes_only_what_it_cannot_stand_beside(rest: Rest):
    rest.imported(
        about("x", "x"), about("same", "x"), about("y", "y", recordedAt=FEBRUARY), about("not-x", "x", negated=True)
    )

    assert choose(rest, "x", "same", "y", "not-x", chosen="not-x").status_code == 201

    assert standing(rest) == [("x", True), ("y", False)]
    assert conflicts(rest) == []


def test_a_choice_leaves_others_contradicting_each_other_where_it_says_nothing_of_them(rest: Rest):
    rest.imported(about("x", "x"), about("y", "y"), about("z", "z"), about("not-x", "x", negated=True))

    choose(rest, "x", "y", "z", "not-x", chosen="not-x")

    assert ranked(conflicts(rest)[0]) == ["fact:y", "fact:z"]


def test_a_choice_under_a_multi_valued_predicate_leaves_the_other_values(rest: Rest):
    rest.post("predicates", {"predicate": "state", "multi_valued": True})
    names = ("x", "not-x", "y", "not-y")
    rest.imported(*(about(name, name[-1], negated=name.startswith("not")) for name in names))

    choose(rest, *names, chosen="x")

    assert standing(rest) == [("x", False), ("y", False), ("y", True)]


def test_values_that_only_python_takes_for_equal_are_told_apart(rest: Rest):
    rest.imported(about("one", 1), about("true", True, recordedAt=FEBRUARY), about("float", 1.0))

    choose(rest, "one", "true", "float", chosen="one")

    assert conflicts(rest) == []
    assert [fact["supersedes"] for fact in rest.listed(subject="door") if "supersedes" in fact] == ["fact:true"]


def test_either_of_a_tie_can_be_chosen(rest: Rest):
    rest.imported(about("a", 1), about("b", 2))

    assert choose(rest, "a", "b", chosen="b").status_code == 201
    assert standing(rest) == [("2", False)]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"decision": "choose"}, "chosen"),
        ({"decision": "choose", "chosen": "fact:c"}, "chosen"),
        ({"decision": "dismiss"}, "reason"),
        ({"decision": "dismiss", "reason": "  "}, "reason"),
        ({"decision": "forget"}, "decision"),
    ],
)
def test_a_decision_that_is_none_is_refused_by_its_field(rest: Rest, given: dict[str, Any], field: str):
    rest.imported(about("a", 1), about("b", 2), about("c", 1, subject="other"))

    answer = settle(rest, "a", "b", **given)

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
    assert len(conflicts(rest)) == 1


def test_facts_that_are_not_here_or_of_different_claims_settle_nothing(rest: Rest):
    rest.imported(about("a", 1), about("b", 2), about("c", 1, subject="other"))

    for names in (("a", "never"), ("a", "c")):
        assert settle(rest, *names, decision="dismiss", reason="r").status_code == 404


def test_a_declared_predicate_may_have_several_values_everywhere_in_the_space(rest: Rest):
    rest.imported(about("a", 1), about("b", 2), about("c", 1, subject="other"), about("d", 2, subject="other"))

    assert settle(rest, "a", "b", decision="multi_valued").status_code == 201

    assert conflicts(rest) == []
    assert rest.get("predicates").json()["predicates"][0]["predicate"] == "state"


def test_several_values_do_not_settle_that_one_is_denied(rest: Rest):
    rest.imported(about("a", 1), about("not-a", 1, negated=True))

    answer = settle(rest, "a", "not-a", decision="multi_valued")

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "decision")
    assert rest.get("predicates").json()["count"] == 0


def test_a_seat_declares_a_predicate_only_with_the_verb_for_it(north: Any, rest: Rest):
    rest.imported(about("a", 1), about("b", 2))
    writer = seat(north, verbs=("facts:read", "facts:write"))

    assert settle(writer, "a", "b", decision="multi_valued").status_code == 403
    assert settle(writer, "a", "b", decision="dismiss", reason="r").status_code == 201


def test_a_dismissed_contradiction_is_gone_until_a_new_claim_comes(rest: Rest):
    rest.imported(about("a", 1), about("b", 2))

    settle(rest, "a", "b", decision="dismiss", reason="two doors")

    assert conflicts(rest) == []
    (found,) = conflicts(rest, include_dismissed="true")
    assert found["dismissed"]["reason"] == "two doors"
    assert len(conflicts(rest, as_of="2026-02-01")) == 1
    rest.imported(about("c", 3))
    assert ranked(conflicts(rest)[0]) == ["fact:a", "fact:b", "fact:c"]


def test_a_claim_that_came_in_meanwhile_is_not_decided_with_the_others(rest: Rest):
    rest.imported(about("a", 1), about("b", 2), about("unseen", 3, recordedAt=FEBRUARY))

    assert choose(rest, "a", "b", chosen="a").status_code == 201

    assert standing(rest) == [("1", False), ("3", False)]
    assert len(conflicts(rest)) == 1


def test_what_was_settled_meanwhile_is_told_and_left_as_it_is(rest: Rest):
    rest.imported(about("a", 1), about("b", 2))
    choose(rest, "a", "b", chosen="a")
    before = rest.ids(subject="door")

    for given in ({"decision": "choose", "chosen": "fact:b"}, {"decision": "dismiss", "reason": "r"}):
        answer = settle(rest, "a", "b", **given)
        assert (answer.status_code, answer.json()["type"].rpartition("/")[2]) == (409, "settled_meanwhile")
    assert rest.ids(subject="door") == before


def test_a_dismissal_is_decided_again_only_by_who_has_seen_it(rest: Rest):
    rest.imported(about("a", 1), about("b", 2))
    number = settle(rest, "a", "b", decision="dismiss", reason="two doors").json()["id"]

    assert choose(rest, "a", "b", chosen="a").status_code == 409
    answer = settle(rest, "a", "b", decision="choose", chosen="fact:a", reopens=number)
    assert answer.status_code == 201
    assert standing(rest) == [("1", False)]


def test_phi_is_settled_only_for_a_purpose_and_leaves_no_word_in_the_clear(north: Any, rest: Rest):
    rest.post("consents", consent("consent:c"))
    sealed = {"classification": "PHI", "consent": "consent:c", "predicate": "diagnosis"}
    rest.imported(about("a", "marker-one", **sealed), about("b", "marker-two", **sealed))
    decision = {"facts": ["fact:a", "fact:b"], "decision": "choose", "chosen": "fact:a"}

    assert rest.post(DECISIONS, decision).status_code == 404
    assert rest.post(DECISIONS, decision, query={"purpose": "care"}).status_code == 201

    assert standing(rest, purpose="care") == [("marker-one", False)]
    assert standing(rest) == []
    with entered(north) as here, connections[here.alias].cursor() as cursor:
        cursor.execute("select string_agg(f::text, ' ') from fact f")
        assert "marker" not in cursor.fetchone()[0]


def test_a_phi_predicate_is_declared_under_its_hash(north: Any, rest: Rest):
    rest.post("consents", consent("consent:c"))
    sealed = {"classification": "PHI", "consent": "consent:c", "predicate": "prescription"}
    rest.imported(about("a", 1, **sealed), about("b", 2, **sealed))

    answer = rest.post(
        DECISIONS, {"facts": ["fact:a", "fact:b"], "decision": "multi_valued"}, query={"purpose": "care"}
    )

    assert answer.status_code == 201
    assert conflicts(rest, purpose="care") == []
    assert rest.get("predicates").json()["count"] == 0
    with entered(north):
        assert "prescription" not in Predicate.objects.get().name


def test_each_decision_is_on_record_with_who_and_why(north: Any, rest: Rest):
    rest.imported(about("a", 1), about("b", 2))
    number = settle(rest, "a", "b", decision="choose", chosen="fact:a", reason="I looked.").json()["id"]

    with entered(north) as here:
        decision = ContradictionDecision.objects.get(number=number)
        assert (decision.kind, decision.facts, decision.chosen, decision.reason) == (
            "superseded", ["fact:a", "fact:b"], "fact:a", "I looked."
        )  # fmt: skip
        assert decision.decided_by.startswith("seat:")
        acts = list(AuditRow.objects.using(here.alias).order_by("sequence").values_list("act", "object"))
    assert acts[-1] == ("contradiction.settle", f"decision:{number}")
    assert acts[-2][0] == "fact.supersede"


@pytest.mark.parametrize("second", [{"decision": "choose", "chosen": "fact:b"}, {"decision": "dismiss", "reason": "r"}])
def test_of_two_who_settle_at_once_one_wins_and_the_other_is_told(
    committed_db: None, north: Any, second: dict[str, str]
):
    first = {"decision": "choose", "chosen": "fact:a"}
    for number in range(5):
        rest = seat(north)
        names = [f"a{number}", f"b{number}"]
        rest.imported(*(about(name, name, subject=f"s{number}") for name in names))
        answers: list[int] = []
        ready = threading.Barrier(2)

        def decide(
            given: dict[str, str],
            number: int = number,
            answers: list[int] = answers,
            ready: threading.Barrier = ready,
        ) -> None:
            other = seat(north)
            stated = {key: f"{value}{number}" if key == "chosen" else value for key, value in given.items()}
            ready.wait()
            answers.append(settle(other, f"a{number}", f"b{number}", **stated).status_code)
            connections.close_all()

        threads = [threading.Thread(target=decide, args=(given,)) for given in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(answers) == [201, 409]
        assert conflicts(rest, subject=f"s{number}") == []
