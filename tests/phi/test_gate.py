"""When PHI is released: by its subject's consent, for the purpose it names, at this moment; and by nothing else."""

from typing import Any

import pytest
import time_machine

from memory.facts.models import Consent
from spaces.databases.entering import entered
from tests.actors import make_scope
from tests.phi.patients import SUBJECT, consent, phi, stored_phi
from tests.rest.client import Rest, seat, stored


def ids(rest: Rest, **query: Any) -> list[str]:
    return sorted(rest.ids(**({"purpose": "treatment"} | query)))


@pytest.mark.parametrize("purpose", [None, "", "billing", "Treatment", "treatment ", "astrology", "*", "%", "x" * 900])
def test_a_purpose_that_the_consent_does_not_name_releases_nothing(rest: Rest, purpose: str | None):
    consent(rest)
    rest.imported(stored_phi("a"))
    assert ids(rest, purpose=purpose) == []


def test_the_purpose_it_names_does(rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    assert ids(rest) == ["fact:a"]


def test_the_header_states_a_purpose_as_the_query_string_does(rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    told = rest.client.get(rest.address("facts"), headers={"Kndl-Purpose": "treatment"})
    assert [fact["@id"] for fact in told.json()["facts"]] == ["fact:a"]


@pytest.mark.parametrize(("held", "seen"), [(("treatment",), ["fact:a"]), ((), []), (("treatment", "care"), [])])
def test_a_token_with_exactly_one_purpose_acts_for_it_unasked(north: Any, rest: Rest, held: tuple[str, ...], seen: Any):
    consent(rest)
    rest.imported(stored_phi("a"))
    assert seat(north, purposes=list(held)).ids() == seen


def test_a_purpose_that_the_token_does_not_hold_counts_as_none(north: Any, rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    assert ids(seat(north, purposes=["billing"])) == []


@pytest.mark.parametrize("spelling", ["phi", "PHI", "Phi", "pHi"])
def test_the_spelling_of_the_class_changes_nothing(rest: Rest, spelling: str):
    consent(rest)
    rest.imported(stored_phi("a", classification=spelling))
    assert (ids(rest, purpose=None), ids(rest)) == ([], ["fact:a"])
    assert rest.exported(purpose="treatment")[0]["classification"] == spelling


def test_a_consent_of_somebody_else_covers_nothing(rest: Rest):
    consent(rest, subject="patient:other")
    rest.imported(stored_phi("a"))
    assert ids(rest) == []


def test_a_fact_without_a_subject_is_its_consents(rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a", subject=None))
    assert ids(rest) == ["fact:a"]


def test_a_consent_of_another_scope_covers_nothing(north: Any, rest: Rest):
    annex = seat(north, scope=make_scope(north, "annex"))
    consent(annex)
    rest.imported(stored_phi("a"))
    assert ids(rest) == []


@pytest.mark.parametrize("subject", [SUBJECT, None])
def test_an_unknown_consent_withholds_from_everybody_until_it_is_recorded(rest: Rest, subject: str | None):
    rest.imported(stored_phi("a", subject=subject))
    assert [ids(rest, purpose=purpose) for purpose in ("treatment", "care", None)] == [[], [], []]

    consent(rest)
    assert ids(rest) == ["fact:a"]


def test_withdrawal_works_at_the_next_request(rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    assert ids(rest) == ["fact:a"]

    assert rest.post("consents/consent:c1/withdraw", {}).status_code == 200
    assert ids(rest) == []


def test_narrowing_takes_a_purpose_away_and_never_gives_one(rest: Rest):
    consent(rest, purposes=["treatment", "billing"])
    rest.imported(stored_phi("a"))

    assert rest.post("consents/consent:c1/narrow", {"purposes": ["billing"]}).status_code == 200
    assert (ids(rest), ids(rest, purpose="billing")) == ([], ["fact:a"])
    assert rest.post("consents/consent:c1/narrow", {"purposes": ["billing", "treatment"]}).status_code == 400


def test_a_consent_is_judged_now_whatever_as_of_says(rest: Rest):
    with time_machine.travel("2026-03-01T00:00:00Z", tick=False):
        consent(rest, valid_from="2026-02-01T00:00:00Z", valid_until="2026-04-01T00:00:00Z")
        rest.imported(stored_phi("a"))
        assert ids(rest, as_of="2026-01-15T00:00:00Z") == ["fact:a"]
    with time_machine.travel("2026-05-01T00:00:00Z", tick=False):
        assert ids(rest, as_of="2026-03-01T00:00:00Z") == []
        assert ids(rest) == []
    with time_machine.travel("2026-01-20T00:00:00Z", tick=False):
        assert ids(rest, as_of="2026-03-01T00:00:00Z") == []


def test_a_purpose_that_the_instance_does_not_know_any_more_is_covered_by_nothing(north: Any, rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    with entered(north):
        Consent.objects.update(purposes=["treatment", "astrology"])
    reader = seat(north, purposes=["astrology"])
    assert (reader.ids(), ids(reader, purpose="astrology")) == ([], [])


def test_a_consent_names_purposes_that_the_instance_knows(rest: Rest):
    body = {"subject": SUBJECT, "purposes": ["astrology"], "granted_by": "human://patient"}
    answer = rest.post("consents", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "purposes.0")


def test_a_consent_whose_id_has_slashes_can_be_withdrawn_like_any(rest: Rest):
    consent(rest, name="https://clinic.example/consents/7?x")
    rest.imported(stored_phi("a", consent="https://clinic.example/consents/7?x"))
    assert ids(rest) == ["fact:a"]

    path = "consents/https:%2F%2Fclinic.example%2Fconsents%2F7%3Fx/withdraw"
    assert rest.client.post(f"/api/v1/spaces/north/{path}", "{}", content_type="application/json").status_code == 200
    assert ids(rest) == []


def test_a_withheld_superseder_hides_its_fact_and_is_not_named(rest: Rest):
    consent(rest)
    rest.imported(
        stored("old", recordedAt="2026-01-01T00:00:00Z"),
        stored_phi("new", supersedes="fact:old", recordedAt="2026-02-01T00:00:00Z"),
    )
    assert rest.ids() == []
    assert rest.get("facts/fact:old").json()["superseded_by"] is None
    assert rest.get("facts/fact:old", purpose="treatment").json()["superseded_by"] == "fact:new"


def test_phi_on_a_live_write_needs_its_consent_named_and_known(rest: Rest):
    unnamed = rest.post("facts", phi(consent=None))
    unknown = rest.post("facts", phi())
    assert (unnamed.status_code, unnamed.json()["errors"][0]["field"]) == (400, "consent")
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (422, "consent")

    consent(rest)
    made = rest.post("facts", phi())
    assert made.status_code == 201
    assert made.json()["@id"].startswith("fact:phi-")
