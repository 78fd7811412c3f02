"""How a PHI fact lies in its row: what it says encrypted under its subject's key, and hashes in its columns."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from common.crypto import seal, unseal
from common.jsonio import dumps
from memory.facts.disagreement import canonical
from memory.facts.models import Consent
from memory.facts.record import ABSENT, FactRecord
from memory.keys.keeping import hashed, key_for, opened
from spaces.databases.entering import current

PHI = "PHI"
SEALED_FIELDS = ("statement", "subject", "predicate", "object", "source", "extra")


@dataclass(frozen=True)
class SealedRow:
    """The record as its columns show it, its sealed part, and the number of the key."""

    record: FactRecord
    content: bytes
    key: int


def place_of(scope: int, fact_id: str) -> str:
    """The associated data of a fact's sealed part: a row moved to another place does not open."""
    return f"fact:{current().space_id}:{scope}:{fact_id}"


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
            object=record.object if record.object is ABSENT else hashed(scope, "object", canonical(record.object)),
            source="",
            extra={},
        ),
        content=seal(secret, dumps(content).encode(), place_of(scope, record.id)),
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
    content = json.loads(unseal(secret, row["sealed"], place_of(row["scope"], row["id"])))
    return row | {name: content.get(name) for name in (*SEALED_FIELDS, "file")} | {"has_object": "object" in content}


def subjects_of_consents(scope: int, ids: set[str]) -> dict[str, str]:
    """The keyed hash of the subject of each of these consents that is known."""
    found = Consent.objects.filter(scope=scope, id__in=ids, subject__isnull=False)
    return {consent_id: str(subject) for consent_id, subject in found.values_list("id", "subject")}
