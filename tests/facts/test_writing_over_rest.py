"""Writing one fact over REST: what is answered, what is refused, and what is kept then."""

import re
from typing import Any

import pytest

from spaces.models import Scope
from tests.actors import make_scope, make_user
from tests.rest.client import Rest, live, seat, stored


def refusal(answer: Any, status: int = 400) -> str:
    """The field that a refusal names first."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    named: str = answer.json()["errors"][0]["field"]
    return named


def test_a_written_fact_is_answered_with_what_was_judged_of_it(rest: Rest):
    made = rest.written(subject="customer:1", predicate="score", object=720, confidence=0.95)

    assert re.fullmatch(r"fact:customer-1:score-\d{8}t\d{6}z-[0-9a-f]{24}", made["@id"])
    assert (made["@type"], made["object"], made["scope"]) == ("Fact", 720, "shared")
    assert (made["effective_confidence"], made["band"], made["validity_state"]) == (0.95, "usable", "current")
    assert made["superseded_by"] is None
    assert made["validFrom"] == made["recordedAt"]
    assert made["recordedAt"].endswith("Z")
    assert "negated" not in made
    assert "warnings" not in made


def test_a_fact_is_read_back_as_it_was_written(rest: Rest):
    given = live(
        subject="Zoë", predicate="likes", object={"tea": [0, False, "", None], "b": 1.0}, decay="0.5/1.5h",
        validFrom="2026-01-01T00:00:00Z", validUntil="2199-01-02T00:00:00.000001Z", observedAt="2025-12-31T23:00:00Z",
        negated=True, inference="rule:r1", derivedFrom=[rest.written()["@id"]], classification="PII",
        retention="P7Y", supersedes=rest.written()["@id"], **{"@type": ["Fact", "Note"], "x:own": {"k": [1]}},
    )  # fmt: skip
    made = rest.post("facts", given).json()

    assert {name: made.get(name) for name in given} == given
    read = rest.get(f"facts/{made['@id']}").json()
    assert {name: read.get(name) for name in given} == given


@pytest.mark.parametrize("value", [0, False, "", None, [], {}, 1.0, 1e300, -0.5, 10**40, "日本 🎈", [{"a": [None]}]])
def test_any_json_value_can_be_an_object_and_stays_what_it_is(rest: Rest, value: Any):
    made = rest.post("facts", live() | {"object": value}).json()
    read = rest.get(f"facts/{made['@id']}").json()

    assert "object" in read
    assert (read["object"], type(read["object"])) == (value, type(value))


def test_a_fact_without_an_object_is_shown_without_one(rest: Rest):
    assert "object" not in rest.written()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("statement", None), ("statement", ""), ("statement", " \u200b"), ("statement", "x" * 4001), ("statement", 5),
        ("confidence", None), ("confidence", "0.9"), ("confidence", True), ("confidence", 1.01), ("confidence", -0.1),
        ("source", None), ("source", ""), ("source", "not a uri"), ("source", "/etc/passwd"),
        ("decay", "1/30d"), ("decay", "0.5/30d and more"), ("decay", "0.5/0d"), ("decay", 0.5),
        ("validFrom", "2026-05-01T00:00:00"), ("validFrom", "2026-02-30"), ("observedAt", "yesterday"),
        ("recordedAt", "2026-01-01T00:00:00Z"), ("negated", "maybe"), ("negated", 1),
        ("classification", "SECRET"), ("retention", "seven years"), ("retention", "-P1D"), ("retention", "P0D"),
        ("supersedes", "fact:with space"), ("derivedFrom", "fact:not-a-list"), ("inference", ""),
        ("@id", "thing:1"), ("@id", "fact:"), ("@id", "fact:a/b"), ("@id", "fact:" + "x" * 501), ("@id", 7),
        ("@context", "https://elsewhere.example/context"), ("subject", ""), ("subject", "x" * 501), ("object", "a\0b"),
        ("tenant", ""),
    ],
)  # fmt: skip
def test_a_field_that_breaks_its_rule_is_named_and_nothing_is_written(rest: Rest, field: str, value: Any):
    body = live() | {field: value}
    assert refusal(rest.post("facts", body)).startswith(field)
    assert rest.listed() == []


def test_a_validity_that_ends_before_it_begins_is_refused(rest: Rest):
    body = live(validFrom="2026-05-02T00:00:00Z", validUntil="2026-05-01T00:00:00Z")
    assert refusal(rest.post("facts", body)) == "validUntil"


def test_several_faults_are_all_named(rest: Rest):
    answer = rest.post("facts", live(confidence=2, source="nowhere", decay="soon"))
    assert {error["field"] for error in answer.json()["errors"]} == {"confidence", "source", "decay"}


def test_a_date_alone_is_midnight_and_a_local_time_becomes_utc(rest: Rest):
    made = rest.written(validFrom="2026-05-01", observedAt="2026-05-01T01:30:00+02:00")
    assert (made["validFrom"], made["observedAt"]) == ("2026-05-01T00:00:00Z", "2026-04-30T23:30:00Z")


def test_a_given_id_is_kept_in_its_normal_form(rest: Rest):
    made = rest.written(**{"@id": "fact:cafe\u0301:1"})
    assert made["@id"] == "fact:caf\u00e9:1"
    assert rest.get("facts/fact:caf\u00e9:1").status_code == 200
    assert rest.get("facts/fact:cafe\u0301:1").status_code == 200


def test_two_equal_writes_are_two_facts(rest: Rest):
    assert rest.written()["@id"] != rest.written()["@id"]


def test_a_taken_id_is_a_conflict_and_the_fact_stays_as_it_was(rest: Rest):
    before = rest.written(**{"@id": "fact:taken"}, validFrom="2026-01-01T00:00:00Z")
    answer = rest.post("facts", live(statement="another", **{"@id": "fact:taken"}))

    assert refusal(answer, 409) == "@id"
    assert answer.json()["code"] == "id_taken"
    assert rest.get("facts/fact:taken").json() == before


def test_the_same_id_can_stand_in_two_scopes(rest: Rest, north: Any):
    other = seat(north, scope=make_scope(north, "annex"))
    rest.written(**{"@id": "fact:same"}, statement="ours")
    other.written(**{"@id": "fact:same"}, statement="theirs")

    assert rest.get("facts/fact:same").json()["statement"] == "ours"
    assert other.get("facts/fact:same").json()["statement"] == "theirs"


@pytest.mark.parametrize("field", ["supersedes", "derivedFrom"])
def test_naming_a_fact_that_is_not_there_is_refused(rest: Rest, field: str):
    missing: Any = ["fact:nowhere"] if field == "derivedFrom" else "fact:nowhere"
    answer = rest.post("facts", live(**{field: missing}))

    assert refusal(answer, 422) == field
    assert rest.listed() == []


def test_a_fact_of_another_scope_counts_as_not_there(rest: Rest, north: Any):
    theirs = seat(north, scope=make_scope(north, "annex")).written()["@id"]

    assert refusal(rest.post("facts", live(supersedes=theirs)), 422) == "supersedes"
    assert refusal(rest.post("facts", live(derivedFrom=[theirs])), 422) == "derivedFrom"
    assert rest.post(f"facts/{theirs}/supersede", live()).status_code == 404


def test_a_parent_named_twice_and_a_fact_that_supersedes_itself_are_refused(rest: Rest):
    parent = rest.written()["@id"]
    assert refusal(rest.post("facts", live(derivedFrom=[parent, parent]))) == "derivedFrom"
    assert refusal(rest.post("facts", live(supersedes="fact:me", **{"@id": "fact:me"}))) == "supersedes"


def test_phi_names_a_consent_that_is_there(rest: Rest):
    assert refusal(rest.post("facts", live(classification="phi", consent="consent:nowhere")), 422) == "consent"


def test_phi_without_a_consent_is_refused_for_that(rest: Rest):
    assert refusal(rest.post("facts", live(classification="PHI"))) == "consent"


def test_a_classification_is_written_in_any_case_and_kept_in_one(rest: Rest):
    assert rest.written(classification="pii")["classification"] == "PII"


def test_the_writer_is_warned_of_certainty_and_of_a_rule_without_parents(rest: Rest):
    made = rest.written(confidence=1.0, inference="rule:1")
    assert len(made["warnings"]) == 2
    assert "1.0" in made["warnings"][0]
    assert "derivedFrom" in made["warnings"][1]


def test_the_writer_is_warned_when_what_has_changed_before_does_not_decay(rest: Rest):
    claim = {"subject": "customer:1", "predicate": "score"}
    assert "warnings" not in rest.written(**claim, object=700)
    assert "warnings" not in rest.written(**claim, object=700)
    rest.written(**claim, object=710, decay="0.5/30d")

    assert "decay" in rest.written(**claim, object=720)["warnings"][0]
    assert "warnings" not in rest.written(**claim, object=730, decay="0.5/30d")
    assert "warnings" not in rest.written(subject="customer:2", predicate="score", object=1)


def test_a_tenant_in_the_body_must_be_the_scope_of_the_token(rest: Rest, north: Any):
    make_scope(north, "annex", make_user("ann"))

    assert rest.post("facts", live(tenant="shared")).status_code == 201
    assert rest.post("facts", live(tenant="annex")).status_code == 404
    assert rest.post("facts", live(tenant="never-made")).status_code == 404
    assert rest.post("facts", live(tenant="*")).status_code == 400
    assert len(rest.listed()) == 1


def test_a_tenant_in_the_body_and_another_scope_in_the_address_contradict_each_other(rest: Rest):
    answer = rest.post("facts", live(tenant="shared"), query={"scope": "other"})
    assert refusal(answer) == "scope"


def test_a_token_that_crosses_tenants_writes_where_it_says(rest: Rest, north: Any):
    annex = make_scope(north, "annex")
    crossing = seat(north, verbs=("facts:read", "facts:write", "cross_tenant"))

    made = crossing.post("facts", live(tenant="annex")).json()
    assert made["scope"] == "annex"
    assert rest.listed() == []
    assert seat(north, scope=annex).ids() == [made["@id"]]


def test_an_imported_fact_is_as_taken_as_a_written_one(rest: Rest):
    rest.imported(stored("old"))
    assert refusal(rest.post("facts", live(**{"@id": "fact:old"})), 409) == "@id"


def test_a_seat_writes_only_with_the_verb_for_it(north: Any):
    reader = seat(north, verbs=("facts:read",))
    answer = reader.post("facts", live())

    assert answer.status_code == 403
    assert answer.json()["missing"] == "facts:write"
    assert Scope.objects.filter(space=north).count() == 1
    assert reader.listed() == []
