"""Withheld means withheld: no count, cursor, warning, error, history or repeated answer tells of what is there."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from audit.recording import Actor
from memory.facts.reading import find_fact, history
from seats.models import Seat
from spaces.access import Binding, Caller
from spaces.databases.entering import entered
from spaces.models import Scope
from tests.phi.patients import SUBJECT, consent, phi, stored_phi
from tests.rest.client import Rest, live, seat, stored

Ask = Callable[[Rest], Any]

READS: dict[str, Ask] = {
    "list": lambda rest: rest.get("facts"),
    "of a subject": lambda rest: rest.get("facts", subject=SUBJECT),
    "of a predicate": lambda rest: rest.get("facts", predicate="finding"),
    "of the class": lambda rest: rest.get("facts", classification="PHI"),
    "all of the past": lambda rest: rest.get("facts", include_superseded="true", include_expired="true"),
    "words": lambda rest: rest.get("facts", text="rash"),
    "sorted": lambda rest: rest.get("facts", order="confidence"),
    "by subject": lambda rest: rest.get("facts", order="subject", limit=2),
    "by its id": lambda rest: rest.get("facts/fact:phi"),
    "behind its id": lambda rest: rest.get("facts/fact:phi/provenance"),
    "on its id": lambda rest: rest.get("facts/fact:phi/derived"),
    "behind its child": lambda rest: rest.get("facts/fact:child/provenance"),
    "on its parent": lambda rest: rest.get("facts/fact:parent/derived"),
    "contradictions": lambda rest: rest.get("contradictions"),
    "contradictions of a subject": lambda rest: rest.get("contradictions", subject=SUBJECT),
    "contradictions of the past": lambda rest: rest.get("contradictions", as_of="2026-06-01T00:00:00Z"),
    "predicates": lambda rest: rest.get("predicates"),
    "export": lambda rest: rest.get("facts/export"),
    "superseding it": lambda rest: rest.post("facts/fact:phi/supersede", live()),
    "saying it again": lambda rest: rest.post("facts/fact:phi/still-true", b""),
    "resting on it": lambda rest: rest.post("facts", live(derivedFrom=["fact:phi"])),
    "settling it": lambda rest: rest.post(
        "contradictions/decisions", {"facts": ["fact:phi", "fact:phi2"], "decision": "dismiss", "reason": "none"}
    ),
}


@pytest.mark.parametrize("name", READS)
def test_an_answer_is_the_same_as_if_nothing_were_there(rest: Rest, name: str):
    """Asked before and after PHI came in beside what is there, each read answers byte for byte the same."""
    rest.imported(
        stored("parent", subject="clinic:1"),
        stored("child", derivedFrom=["fact:phi"], subject="clinic:1", predicate="open", object=True),
        stored("other", subject="clinic:2"),
    )
    before = answered(READS[name], rest)
    consent(rest)
    rest.imported(
        stored_phi("phi", predicate="finding", object="rash", derivedFrom=["fact:parent"]),
        stored_phi("phi2", predicate="finding", object="none", derivedFrom=["fact:parent"]),
        stored_phi("phi3", subject="clinic:1", predicate="open", object=False),
    )
    assert answered(READS[name], rest) == before


def answered(ask: Ask, rest: Rest) -> tuple[int, Any]:
    answer = ask(rest)
    text = answer.getvalue() if answer.streaming else answer.content
    try:
        found = json.loads(text)
    except ValueError:
        return answer.status_code, text
    for varying in ("as_of", "valid_at", "next"):
        found.pop(varying, None)
    for moving in (
        found.get("facts", []),
        found.get("chain", []),
        [found.get("weakest") or {}],
        found.get("paths", []),
    ):
        for item in moving:
            item.pop("effective_confidence", None)
    return answer.status_code, found


def test_a_list_whose_rest_is_withheld_has_no_next_page(rest: Rest):
    consent(rest)
    rest.imported(stored("a"), stored("b"), *(stored_phi(f"p{number}") for number in range(5)))
    page = rest.get("facts", limit=2).json()
    assert (page["count"], page["next"]) == (2, None)


def test_a_list_of_contradictions_whose_rest_is_withheld_has_no_next_page(rest: Rest):
    consent(rest)
    rest.imported(
        *(stored_phi(f"p{number}", predicate=f"p{number // 2}", object=number) for number in range(120)),
    )
    assert rest.get("contradictions", limit=1).json()["next"] is None
    assert rest.get("contradictions", limit=1, purpose="treatment").json()["next"] is not None


def test_no_cursor_can_be_read_by_who_holds_it(rest: Rest):
    consent(rest)
    rest.imported(*(stored_phi(f"p{number}") for number in range(3)))
    first = rest.get("facts", limit=1, order="subject", purpose="treatment").json()
    raw = base64.urlsafe_b64decode(first["next"] + "==")
    assert b"phi:" not in raw
    assert b"subject" not in raw
    assert rest.get("facts", limit=5, order="subject", purpose="treatment", cursor=first["next"]).json()["count"] == 2


def test_history_ends_at_what_is_withheld(rest: Rest, north: Any):
    consent(rest)
    rest.imported(
        stored("first", recordedAt="2026-01-01T00:00:00Z"),
        stored_phi("second", supersedes="fact:first", recordedAt="2026-01-02T00:00:00Z"),
        stored("third", supersedes="fact:second", recordedAt="2026-01-03T00:00:00Z"),
    )
    caller = Caller(Actor("seat", str(Seat.objects.get().pk)), "seat")
    scope = Scope.objects.get(space=north, owner=None)

    def line(purpose: str | None) -> list[str]:
        binding = Binding(north, caller, (scope,), purpose=purpose)
        return [view.record.id for view in history(binding, find_fact(binding, "fact:first"))]

    with entered(north):
        assert line("treatment") == ["fact:first", "fact:second", "fact:third"]
        assert line(None) == ["fact:first"]


def test_when_its_superseder_came_is_not_told_either(rest: Rest, north: Any):
    consent(rest)
    rest.imported(stored("old"), stored_phi("new", supersedes="fact:old", recordedAt="2026-02-01T00:00:00Z"))
    assert rest.get("facts/fact:old").json()["superseded_by"] is None
    refused = rest.post("facts/fact:old/supersede", live())
    assert refused.status_code == 409
    assert "winner" not in refused.json()
    assert "fact:new" not in refused.content.decode()


def test_no_warning_tells_of_withheld_claims(rest: Rest):
    consent(rest)
    claim = {"subject": SUBJECT, "predicate": "finding"}
    rest.imported(stored_phi("p1", object="rash", **claim), stored_phi("p2", object="none", **claim))
    assert "warnings" not in rest.written(**claim, object="x")
    warned = rest.post("facts", live(**claim, object="y"), query={"purpose": "treatment"}).json()
    assert "changed before" in warned["warnings"][0]


def test_a_repeated_still_true_goes_through_the_gate_again(rest: Rest):
    consent(rest)
    rest.imported(stored_phi("p", statement="has a rash"))

    def say_again() -> Any:
        return rest.post("facts/fact:p/still-true", b"", query={"purpose": "treatment"}, Idempotency_Key="k1")

    assert "rash" in say_again().content.decode()
    rest.post("consents/consent:c1/withdraw", {})
    again = say_again()
    assert again.status_code == 404
    assert "rash" not in again.content.decode()


def test_whoever_changes_a_consent_is_not_told_whose_it_is(north: Any, rest: Rest):
    consent(rest, evidence="form 0412")
    other = seat(north)
    for path, body in (("narrow", {"purposes": ["treatment"]}), ("withdraw", {})):
        said = other.post(f"consents/consent:c1/{path}", body)
        assert said.status_code == 200
        assert not {SUBJECT, "form 0412", "human://patient"} & set(map(str, said.json().values()))


def test_a_predicate_of_phi_that_has_several_values_is_listed_to_nobody(rest: Rest):
    consent(rest)
    rest.imported(
        stored_phi("p1", predicate="secretPredicate", object=1), stored_phi("p2", predicate="secretPredicate", object=2)
    )
    decision = {"facts": ["fact:p1", "fact:p2"], "decision": "multi_valued"}
    settled = rest.post("contradictions/decisions", decision, query={"purpose": "treatment"})
    assert settled.status_code == 201, settled.content

    assert rest.get("predicates").json()["predicates"] == []
    assert rest.get("contradictions", purpose="treatment").json()["count"] == 0


def test_a_dismissal_names_only_the_facts_that_its_reader_sees(rest: Rest):
    consent(rest)
    claim = {"subject": SUBJECT, "predicate": "ward"}
    rest.imported(stored("a", object=1, **claim), stored("b", object=2, **claim), stored_phi("p", object=3, **claim))
    decision = {"facts": ["fact:a", "fact:b", "fact:p"], "decision": "dismiss", "reason": "all of them hold"}
    assert rest.post("contradictions/decisions", decision, query={"purpose": "treatment"}).status_code == 201

    told = rest.get("contradictions", include_dismissed="true").content.decode()
    assert "fact:a" in told
    assert "fact:p" not in told


def test_members_and_seats_get_the_same_answer_whether_something_is_withheld_or_not(rest: Rest):
    rest.imported(stored("a"))
    assert "withheld" not in rest.get("facts").json()
    consent(rest)
    rest.imported(stored_phi("p"))
    assert "withheld" not in rest.get("facts").json()


def test_answers_are_kept_by_no_browser_and_no_proxy(rest: Rest):
    consent(rest)
    rest.post("facts", phi())
    for answer in (rest.get("facts", purpose="treatment"), rest.get("facts/export", purpose="treatment")):
        assert answer["Cache-Control"] == "no-store"
