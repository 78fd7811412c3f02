"""From records to rows: the values that COPY takes."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from math import log
from operator import attrgetter
from typing import Any
from uuid import UUID

from common.jsonio import dumps
from memory.facts.rows import RECORD_COLUMNS, words
from memory.facts.rules.confidence import UNCERTAIN, USABLE
from memory.facts.rules.record import ABSENT, FactRecord
from memory.phi.sealing import PHI, sealed_row

COPY_COLUMNS = (
    "number",
    "scope",
    *RECORD_COLUMNS,
    "imported",
    "recorded_by",
    "claim",
    "leaves_usable_at",
    "leaves_uncertain_at",
    "file",
    "search",
    "sealed",
    "key",
)
_JSON_PLACES = [RECORD_COLUMNS.index(name) for name in ("type", "object", "extra", "spelling")]
_values = attrgetter(*RECORD_COLUMNS)

Claims = Callable[[str | None, str | None], UUID | None]


def copy_row(
    number: int,
    scope: int,
    record: FactRecord,
    file: str | None,
    consent_subjects: Mapping[str, str],
    claims: Claims,
    *,
    imported: bool,
    recorded_by: str,
) -> tuple[Any, ...]:
    """The values of COPY_COLUMNS. What a PHI fact says goes into `sealed`, and none of its words into `search`.

    `consent_subjects` is as in `sealed_row`; `claims` tells the claim of a subject and predicate.
    """
    common = (
        imported,
        recorded_by,
        claims(record.subject, record.predicate),
        falls_below_at(record, USABLE),
        falls_below_at(record, UNCERTAIN),
    )
    if record.classification == PHI:
        sealed = sealed_row(scope, record, file, consent_subjects)
        return (number, scope, *_columns(sealed.record), *common, None, "", sealed.content, sealed.key)
    return (number, scope, *_columns(record), *common, file, words(scope, record), None, None)


def falls_below_at(record: FactRecord, threshold: float) -> datetime | None:
    """When the effective confidence falls below `threshold`, solved from its formula; exact to a few microseconds.

    None when it never does, is below from the start, or does so after the year 9999.
    """
    if record.decay_rate is None or record.decay_window is None or record.confidence < threshold:
        return None
    seconds = record.decay_window * log(threshold / record.confidence) / log(record.decay_rate)
    try:
        return record.valid_from + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _columns(record: FactRecord) -> list[Any]:
    values = list(_values(record))
    for place in _JSON_PLACES:
        value = values[place]
        values[place] = None if value is ABSENT else dumps(value)
    return values
