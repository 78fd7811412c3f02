"""What is withheld, for roles that may know that something is: class, subject and consent, never content."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.crypto import NotOpened, unseal
from common.errors import Forbidden
from memory.facts.gate import gate_values, released_sql
from memory.facts.reading import subject_values
from memory.facts.sealing import place_of
from memory.facts.statements import fetch
from memory.keys.keeping import KeyDestroyed, opened
from spaces.access import Binding
from spaces.databases.transactions import memory_transaction

MOST = 500


@dataclass(frozen=True)
class WithheldFact:
    """A PHI fact that the gate holds back from this reader.

    `subject` is None where it names none, or does not open. `consent_known` is false while its consent is pending.
    """

    scope: int
    classification: str
    subject: str | None
    subject_hash: str | None
    consent: str
    consent_known: bool
    recorded_at: datetime


def withheld_facts(
    binding: Binding, *, as_of: datetime, subject: str | None = None, consent: str | None = None, most: int = MOST
) -> list[WithheldFact]:
    """PHI that is here and not released for the reader's purpose, the newest first; whose it is goes on record as seen.

    Raises Forbidden for a role that may not know. By confidence, band, words or predicate it cannot be narrowed: which
    rows are left would tell them.
    """
    if not binding.sees_redactions:
        raise Forbidden("Your role in this Space may not see what is withheld.")
    values = gate_values(binding) | {"scopes": binding.scope_ids, "as_of": as_of, "most": most}
    narrowed = ""
    if subject is not None:
        narrowed += " and coalesce(f.subject, c.subject) = any(%(subject)s)"
        values["subject"] = subject_values(binding, subject, always=True)
    if consent is not None:
        narrowed += " and f.consent = %(consent)s"
        values["consent"] = consent
    rows = fetch(
        "select f.scope, f.id, f.classification, f.subject, f.consent, f.recorded_at, f.sealed,"
        " k.name key_name, k.wrapped key_wrapped, k.wrapped_by key_wrapped_by,"
        " c.id is not null consent_known, c.subject consent_subject"
        " from fact f left join data_key k on k.number = f.key"
        " left join consent c on c.scope = f.scope and c.id = f.consent"
        " where f.scope = any(%(scopes)s) and f.classification = 'PHI' and f.recorded_at <= %(as_of)s"
        f"{narrowed} and not {released_sql()} order by f.recorded_at desc, f.id limit %(most)s",
        values,
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
    if found:
        _record(binding, found)
    return found


def _record(binding: Binding, found: list[WithheldFact]) -> None:
    counts = Counter((fact.scope, fact.subject_hash or "", fact.consent) for fact in found)
    with memory_transaction() as act:
        for (scope, subject, consent), count in counts.items():
            target = f"subject:{subject}"
            act.record(
                binding.caller.actor,
                "phi.list_withheld",
                target,
                scope=scope,
                purpose=binding.purpose or "",
                consent=consent,
                count=count,
            )


def _subject(row: dict[str, Any]) -> str | None:
    """Whose it is. Of the sealed part nothing but this leaves here."""
    try:
        secret = opened(row["scope"], row["key_name"], row["key_wrapped_by"], row["key_wrapped"])
        place = place_of(row["scope"], row["id"], row["consent"], row["subject"])
        content = json.loads(unseal(secret, row["sealed"], place))
    except (KeyDestroyed, NotOpened):
        return None
    subject = content.get("subject")
    return None if subject is None else str(subject)
