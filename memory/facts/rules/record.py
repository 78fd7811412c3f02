"""The stored form of a fact: normalised values for the columns, and how the document itself spelt them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Final

from common.errors import FieldError, Invalid
from common.strict import validated
from common.times import format_instant
from memory.facts.rules.document import FactDocument, FactInput, ImportedFact
from memory.facts.rules.identifiers import made_id, made_phi_id
from memory.facts.rules.retention import due

DEFAULT_TYPE = "Fact"


class Absent(Enum):
    """The type of ABSENT."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""Stands for an `object` that was not given, since null is a value an object can have."""


@dataclass(frozen=True, slots=True)
class FactRecord:
    """A checked fact, one attribute for each column.

    `object` is any JSON value or ABSENT. Times are aware and in UTC; `decay_window` is in seconds. `retention_at` is
    when deletion is due. `tenant` is the one the document names, or None. `extra` holds the unknown keys. `spelling`
    holds what the columns can't give back: `given` maps keys to their own spelling, `absent` lists keys that the
    document left to their default. It never holds statement, subject, predicate, object, source or unknown keys.
    """

    id: str
    type: str | list[str]
    statement: str
    subject: str | None
    predicate: str | None
    object: Any
    negated: bool
    confidence: float
    decay: str | None
    decay_rate: float | None
    decay_window: float | None
    source: str
    recorded_at: datetime
    valid_from: datetime
    valid_until: datetime | None
    observed_at: datetime | None
    supersedes: str | None
    derived_from: list[str]
    inference: str | None
    classification: str | None
    consent: str | None
    retention: str | None
    retention_at: datetime | None
    tenant: str | None
    extra: dict[str, Any]
    spelling: dict[str, Any]


def record_from_input(given: FactInput, recorded_at: datetime, unique: str) -> FactRecord:
    """Return the record of a live write at `recorded_at`; raises Invalid where its fields contradict each other.

    `unique` (lower-case letters and digits, 16 random hex digits or more) ends a made id, and is all that the made id
    of a PHI fact consists of.
    """
    parents = given.derived_from or []
    if len(set(parents)) != len(parents):
        raise Invalid("must not name a fact twice", field="derivedFrom")
    if given.id is not None:
        fact_id = given.id
    elif given.classification == "PHI":
        fact_id = made_phi_id(unique)
    else:
        fact_id = made_id(given.subject, given.predicate, given.statement, recorded_at, unique)
    spelling = {"given": {"@context": given.context}} if given.context is not None else {}
    return _record(given, fact_id, recorded_at, spelling)


def record_from_import(raw: Any, default_recorded_at: datetime | None = None) -> FactRecord:
    """Return the record of a parsed document of a memory folder, keeping its id, times, unknown keys and spelling.

    A document without `recordedAt` takes `default_recorded_at`, and is refused when that is None. Raises Invalid or
    TooLarge. `as_document` gives the document back.
    """
    document = validated(ImportedFact, raw)
    recorded_at = document.recorded_at or default_recorded_at
    if recorded_at is None:
        raise Invalid("is required", field="recordedAt")
    record = _record(document, document.id, recorded_at, {})
    record.spelling.update(_spelling(raw, as_document(record)))
    return record


def as_document(record: FactRecord, context: str | None = None) -> dict[str, Any]:
    """Return the JSON-LD document of a fact; that of an untouched import equals what was imported.

    A fact of our own leaves out what was not given and `negated: false`, and writes its times in UTC. `context` is the
    `@context` for such a fact where it needs one, as it does in an export.
    """
    document: dict[str, Any] = {} if context is None else {"@context": context}
    document |= {"@id": record.id, "@type": record.type, "statement": record.statement}
    document |= {key: value for key, value in _optional(record) if value is not None}
    if record.object is not ABSENT:
        document["object"] = record.object
    if record.negated:
        document["negated"] = True
    document |= record.extra
    document |= record.spelling.get("given", {})
    for key in record.spelling.get("absent", ()):
        document.pop(key, None)
    return document


def _record(given: FactDocument, fact_id: str, recorded_at: datetime, spelling: dict[str, Any]) -> FactRecord:
    valid_from = given.valid_from or recorded_at
    errors = list(_contradictions(given, fact_id, valid_from))
    retention_at = None
    if given.retention is not None:
        try:
            retention_at = due(recorded_at, given.retention)
        except ValueError as error:
            errors.append(FieldError("retention", str(error)))
    if errors:
        raise Invalid(errors=errors)
    decay = given.decay
    return FactRecord(
        id=fact_id,
        type=given.type or DEFAULT_TYPE,
        statement=given.statement,
        subject=given.subject,
        predicate=given.predicate,
        object=given.object if "object" in given.model_fields_set else ABSENT,
        negated=given.negated or False,
        confidence=given.confidence,
        decay=decay.text if decay else None,
        decay_rate=decay.rate if decay else None,
        decay_window=decay.window_seconds if decay else None,
        source=given.source,
        recorded_at=recorded_at,
        valid_from=valid_from,
        valid_until=given.valid_until,
        observed_at=given.observed_at,
        supersedes=given.supersedes,
        derived_from=list(dict.fromkeys(given.derived_from or ())),
        inference=given.inference,
        classification=given.classification,
        consent=given.consent,
        retention=given.retention,
        retention_at=retention_at,
        tenant=given.tenant,
        extra=given.model_extra or {},
        spelling=spelling,
    )


def _contradictions(given: FactDocument, fact_id: str, valid_from: datetime) -> Iterator[FieldError]:
    if given.valid_until is not None and given.valid_until <= valid_from:
        yield FieldError("validUntil", "must be later than validFrom")
    if given.classification == "PHI" and given.consent is None:
        yield FieldError("consent", "is required with the classification PHI")
    if given.supersedes == fact_id:
        yield FieldError("supersedes", "must name another fact")


def _optional(record: FactRecord) -> Iterator[tuple[str, Any]]:
    yield "subject", record.subject
    yield "predicate", record.predicate
    yield "confidence", record.confidence
    yield "decay", record.decay
    yield "source", record.source
    yield "validFrom", format_instant(record.valid_from)
    yield "recordedAt", format_instant(record.recorded_at)
    yield "validUntil", record.valid_until and format_instant(record.valid_until)
    yield "observedAt", record.observed_at and format_instant(record.observed_at)
    yield "supersedes", record.supersedes
    yield "derivedFrom", record.derived_from or None
    yield "inference", record.inference
    yield "classification", record.classification
    yield "consent", record.consent
    yield "retention", record.retention


def _spelling(raw: dict[str, Any], canonical: dict[str, Any]) -> dict[str, Any]:
    """Return what turns the canonical document into the one imported."""
    given = {key: value for key, value in raw.items() if key not in canonical or not _same(canonical[key], value)}
    absent = [key for key in ("@context", *canonical) if key not in raw]
    return {name: kept for name, kept in (("given", given), ("absent", absent)) if kept}


def _same(canonical: Any, value: Any) -> bool:
    # 1 and 1.0, or true and 1, are equal in Python and not spelt alike.
    return canonical is value or (type(canonical) is type(value) and canonical == value)
