"""What is withheld, for roles that may know that something is: class, subject and consent, never content."""

import json
from dataclasses import dataclass
from datetime import datetime

from common.crypto import unseal
from common.errors import Forbidden
from memory.facts.gate import gate_values, released_sql
from memory.facts.sealing import place_of
from memory.facts.statements import fetch
from memory.keys.keeping import KeyDestroyed, opened
from spaces.access import Binding

MOST = 500


@dataclass(frozen=True)
class WithheldFact:
    """A PHI fact that the gate holds back from this reader."""

    scope: int
    classification: str
    subject: str | None
    subject_hash: str | None
    consent: str
    consent_known: bool
    recorded_at: datetime


def withheld_facts(binding: Binding, *, as_of: datetime, subject: str | None = None) -> list[WithheldFact]:
    """PHI that is here and not released for the reader's purpose, newest first, at most 500.

    Raises Forbidden for a role that may not know.
    """
    if not binding.sees_redactions:
        raise Forbidden("Your role in this Space may not see what is withheld.")
    rows = fetch(
        "select f.scope, f.id, f.classification, f.subject, f.consent, f.recorded_at, f.sealed,"
        " k.name key_name, k.wrapped key_wrapped, k.wrapped_by key_wrapped_by,"
        " c.id is not null consent_known, c.subject consent_subject"
        " from fact f left join data_key k on k.number = f.key"
        " left join consent c on c.scope = f.scope and c.id = f.consent"
        " where f.scope = any(%(scopes)s) and f.classification = 'PHI' and f.recorded_at <= %(as_of)s"
        f" and not {released_sql()} order by f.recorded_at desc, f.id limit %(most)s",
        gate_values(binding) | {"scopes": binding.scope_ids, "as_of": as_of, "most": MOST},
    )
    found = [
        WithheldFact(
            scope=row["scope"],
            classification=row["classification"],
            subject=_subject(row),
            subject_hash=row["subject"] or row["consent_subject"],
            consent=row["consent"],
            consent_known=row["consent_known"],
            recorded_at=row["recorded_at"],
        )
        for row in rows
    ]
    return found if subject is None else [fact for fact in found if fact.subject == subject]


def _subject(row: dict[str, object]) -> str | None:
    """Whose it is. Of the sealed part nothing but this leaves here."""
    scope, fact_id = int(str(row["scope"])), str(row["id"])
    try:
        secret = opened(scope, str(row["key_name"]), int(str(row["key_wrapped_by"])), row["key_wrapped"])  # type: ignore[arg-type]
    except KeyDestroyed:
        return None
    content = json.loads(unseal(secret, row["sealed"], place_of(scope, fact_id)))  # type: ignore[arg-type]
    subject = content.get("subject")
    return None if subject is None else str(subject)
