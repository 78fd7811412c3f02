"""What is withheld, for roles that may know that something is: class, subject and consent, never content."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.crypto import NotOpened, unseal
from common.errors import Forbidden
from memory.facts.reading import FactPage, FactQuery, subject_values
from memory.facts.statements import fetch
from memory.keys.keeping import KeyDestroyed, opened
from memory.phi.gate import gate_values, released_sql
from memory.phi.sealing import place_of
from spaces.access import Binding
from spaces.databases.transactions import memory_transaction

MOST = 500
_SEALED = (
    "f.scope, f.id, f.subject, f.consent, f.sealed, k.name key_name, k.wrapped key_wrapped, k.wrapped_by key_wrapped_by"
)


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
        f"select {_SEALED}, f.classification, f.recorded_at, c.id is not null consent_known, c.subject consent_subject"
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


def names_of_subjects(binding: Binding, hashes: Sequence[str]) -> dict[str, str]:
    """Who the subjects of PHI facts are, by the hashes that stand for them; whoever asks puts that on record.

    Raises Forbidden for a role that may not know.
    """
    if not binding.sees_redactions:
        raise Forbidden("Your role in this Space may not see what is withheld.")
    rows = fetch(
        f"select distinct on (f.subject) {_SEALED} from fact f left join data_key k on k.number = f.key"
        " where f.scope = any(%(scopes)s) and f.sealed is not null and f.subject = any(%(hashes)s)"
        " order by f.subject, f.number",
        {"scopes": binding.scope_ids, "hashes": list(hashes)},
    )
    names = {row["subject"]: _subject(row) for row in rows}
    return {subject: name for subject, name in names.items() if name is not None}


def withheld_from(binding: Binding, query: FactQuery, page: FactPage) -> list[WithheldFact]:
    """What stands behind the last row of a list for those who may know: nothing before it, nor under a filter that
    withheld facts cannot be asked by.
    """
    filters = (query.predicate, query.text, query.min_confidence, query.band)
    asked_otherwise = any(given is not None for given in filters) or query.classification not in {None, "PHI"}
    if page.next_key is not None or asked_otherwise or not binding.sees_redactions:
        return []
    return withheld_facts(binding, as_of=page.as_of, subject=query.subject)


def _record(binding: Binding, found: list[WithheldFact]) -> None:
    counts = Counter(fact.scope for fact in found)
    with memory_transaction() as act:
        for scope, count in counts.items():
            act.record(
                binding.caller.actor,
                "phi.list_withheld",
                f"scope:{binding.names[scope]}",
                scope=scope,
                purpose=binding.purpose or "",
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
