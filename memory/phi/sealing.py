"""How a PHI fact lies in its row: what it says encrypted under its subject's key, and hashes in its columns."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from common.crypto import NotOpened, seal, unseal
from common.jsonio import dumps
from memory.facts.models import Consent
from memory.facts.rules.disagreement import canonical
from memory.facts.rules.record import ABSENT, DEFAULT_TYPE, FactRecord
from memory.keys.keeping import KeyDestroyed, hashed, key_for, opened
from spaces.databases.entering import current

PHI = "PHI"
SEALED_FIELDS = ("type", "statement", "subject", "predicate", "object", "source", "inference", "extra", "spelling")


@dataclass(frozen=True)
class SealedRow:
    """The record as its columns show it, its sealed part, and the number of the key."""

    record: FactRecord
    content: bytes
    key: int


def place_of(scope: int, fact_id: str, consent: str | None, subject: str | None) -> str:
    """The associated data of a fact's sealed part: in another row, or under another consent, it does not open.

    `subject` is what its column holds. No id holds a line break, so no two places are spelt alike.
    """
    return "\n".join((f"fact:{current().space_id}:{scope}", fact_id, consent or "", subject or ""))


def sealed_row(scope: int, record: FactRecord, file: str | None, consent_subjects: Mapping[str, str]) -> SealedRow:
    """Seal a PHI record, inside a memory transaction.

    `consent_subjects` maps consents that are known to the keyed hash of their subject. A fact without a subject takes
    its consent's for its key; with an unknown consent as well, it gets a key of its own until the consent is recorded.
    """
    subject = None if record.subject is None else hashed(scope, "subject", record.subject)
    whose = subject or consent_subjects.get(record.consent or "")
    key, secret = key_for(scope, whose or f"fact:{record.id}", whose)
    content = {name: getattr(record, name) for name in SEALED_FIELDS if getattr(record, name) is not ABSENT}
    content["file"] = file
    return SealedRow(
        record=replace(
            record,
            statement="",
            subject=subject,
            predicate=None if record.predicate is None else hashed(scope, "predicate", record.predicate),
            object=record.object if record.object is ABSENT else _object_hash(scope, record),
            type=DEFAULT_TYPE,
            source="",
            inference=None,
            extra={},
            spelling={},
        ),
        content=seal(secret, dumps(content).encode(), place_of(scope, record.id, record.consent, subject)),
        key=key,
    )


def unsealed(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its columns as they were before it was sealed.

    Needs `sealed` and of its key `key_name`, `key_wrapped`, `key_wrapped_by`. Raises KeyDestroyed, Unavailable and
    NotOpened. Only what the gate released may come here.
    """
    if row["sealed"] is None:
        return row
    secret = opened(row["scope"], row["key_name"], row["key_wrapped_by"], row["key_wrapped"])
    place = place_of(row["scope"], row["id"], row["consent"], row["subject"])
    content = json.loads(unseal(secret, row["sealed"], place))
    return row | {name: content.get(name) for name in (*SEALED_FIELDS, "file")} | {"has_object": "object" in content}


def opened_or_none(row: dict[str, Any]) -> dict[str, Any] | None:
    """The same; None for one that does not open, since it was erased or is not what was written there."""
    try:
        return unsealed(row)
    except (KeyDestroyed, NotOpened):
        return None


def _object_hash(scope: int, record: FactRecord) -> str:
    """Equal only for equal objects of one subject and predicate: who else has the same says nothing to its reader."""
    return hashed(scope, "object", record.subject or "", record.predicate or "", canonical(record.object))


def subjects_of_consents(scope: int, ids: set[str]) -> dict[str, str]:
    """The keyed hash of the subject of each of these consents that is known."""
    found = Consent.objects.filter(scope=scope, id__in=ids, subject__isnull=False)
    return {consent_id: str(subject) for consent_id, subject in found.values_list("id", "subject")}
