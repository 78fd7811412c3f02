"""The gate in SQL releases what the rules in words say, written down a second time here in plain Python."""

import itertools
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.recording import Actor
from common.times import format_instant, now
from memory.facts.importing import import_facts
from memory.facts.models import Consent, EmergencyRelease
from memory.facts.reading import FactQuery, count_facts, facts_by_id, query_facts
from memory.keys.keeping import hashed
from memory.phi.withholding import withheld_facts
from spaces.access import Binding, Caller, person_caller
from spaces.databases.entering import entered
from spaces.models import Scope
from tests.actors import Trio

PURPOSES = ("treatment", "billing", None)
SUBJECTS = ("patient:1", "patient:2")
NAMES = ("consent:a", "consent:b")
HOURS = (-2, -1, 1, 2, None)
_scopes = itertools.count(1_000_000)


@dataclass(frozen=True)
class Given:
    """A consent. `begins` and `ends` are hours from now; without a subject it was erased."""

    name: str
    subject: str | None
    purposes: tuple[str, ...]
    begins: int
    ends: int | None
    is_withdrawn: bool


@dataclass(frozen=True)
class Held:
    """A fact; a class other than PHI needs no consent."""

    classification: str | None
    subject: str | None
    consent: str


@dataclass(frozen=True)
class Opened:
    """An emergency release of a subject to the owner or the member."""

    subject: str
    to: str
    begins: int
    ends: int


def is_released(fact: Held, consents: dict[str, Given], opened: list[Opened], purpose: str | None, reader: str) -> bool:
    """The rules, in the words of the specification."""
    if fact.classification != "PHI":
        return True
    consent = consents.get(fact.consent)
    subject = fact.subject or (consent.subject if consent else None)
    if consent and consent.subject is not None and consent.subject == subject and purpose in consent.purposes:
        runs = consent.begins < 0 and (consent.ends is None or consent.ends > 0)
        if runs and not consent.is_withdrawn:
            return True
    return reader == "owner" and any(
        one.subject == subject and one.to == reader and one.begins < 0 < one.ends for one in opened
    )


consents = st.builds(
    Given,
    name=st.sampled_from(NAMES),
    subject=st.sampled_from((*SUBJECTS, None)),
    purposes=st.sets(st.sampled_from(("treatment", "billing", "care")), min_size=1).map(
        lambda chosen: tuple(sorted(chosen))
    ),
    begins=st.sampled_from((-3, 3)),
    ends=st.sampled_from((None, -1, 4)),
    is_withdrawn=st.booleans(),
).filter(lambda consent: consent.ends is None or consent.ends > consent.begins)
held = st.builds(
    Held,
    classification=st.sampled_from(("PHI", "PHI", "PHI", "PII", None)),
    subject=st.sampled_from((*SUBJECTS, None)),
    consent=st.sampled_from((*NAMES, "consent:unknown")),
)
opened = st.builds(
    Opened,
    subject=st.sampled_from(SUBJECTS),
    to=st.sampled_from(("owner", "teammate")),
    begins=st.sampled_from((-1, 1)),
    ends=st.sampled_from((2, 3)),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    consents=st.lists(consents, max_size=2, unique_by=lambda consent: consent.name),
    facts=st.lists(held, min_size=1, max_size=5),
    opened=st.lists(opened, max_size=2),
    purpose=st.sampled_from(PURPOSES),
    reader=st.sampled_from(("owner", "teammate", "seat")),
)
def test_the_gate_releases_what_the_rules_say(
    trio: Trio, consents: list[Given], facts: list[Held], opened: list[Opened], purpose: str | None, reader: str
):
    at = now()
    scope = Scope(id=next(_scopes), space=trio.space, name="shared")
    caller = Caller(Actor("seat", "1"), "seat") if reader == "seat" else person_caller(getattr(trio, reader))
    binding = Binding(trio.space, caller, (scope,), purpose=purpose)
    with entered(trio.space):
        for consent in consents:
            keep(scope.pk, consent, at)
        for one in opened:
            EmergencyRelease.objects.create(
                scope=scope.pk,
                subject=hashed(scope.pk, "subject", one.subject),
                person=getattr(trio, one.to).pk,
                reason="",
                begins_at=at + timedelta(hours=one.begins),
                ends_at=at + timedelta(hours=one.ends),
            )
        outcome = import_facts(binding, [line(number, fact) for number, fact in enumerate(facts)])
        assert outcome.imported == len(facts)

        by_name = {consent.name: consent for consent in consents}
        expected = {
            f"fact:{number}" for number, fact in enumerate(facts) if is_released(fact, by_name, opened, purpose, reader)
        }
        everything = [f"fact:{number}" for number in range(len(facts))]
        assert {view.record.id for view in query_facts(binding, FactQuery(limit=50)).facts} == expected
        assert {view.record.id for view in facts_by_id(binding, everything)} == expected
        assert count_facts(binding, FactQuery(), most=50) == len(expected)
        if binding.sees_redactions:
            assert len(withheld_facts(binding, as_of=now())) == len(facts) - len(expected)


def keep(scope: int, consent: Given, at: datetime) -> None:
    Consent.objects.create(
        scope=scope,
        id=consent.name,
        subject=None if consent.subject is None else hashed(scope, "subject", consent.subject),
        purposes=list(consent.purposes),
        valid_from=at + timedelta(hours=consent.begins),
        valid_until=None if consent.ends is None else at + timedelta(hours=consent.ends),
        withdrawn_at=at - timedelta(minutes=1) if consent.is_withdrawn else None,
        recorded_at=at,
        recorded_by="system:kndl",
    )


def line(number: int, fact: Held) -> bytes:
    stated: dict[str, Any] = {
        "@id": f"fact:{number}",
        "statement": "x",
        "confidence": 0.9,
        "source": "https://example.test/src",
        "recordedAt": format_instant(now() - timedelta(days=1)),
        "subject": fact.subject,
        "classification": fact.classification,
        "consent": fact.consent,
    }
    return json.dumps({name: value for name, value in stated.items() if value is not None}).encode()
