"""A fact as somebody sees it: its record, and what was judged of it at an instant."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.facts.rows import record_of
from memory.facts.rules.confidence import Band, band
from memory.facts.rules.record import FactRecord, as_document

ValidityState = Literal["current", "not_yet_valid", "expired"]
ADVICE = "reverify"
PHI = "PHI"


@dataclass(frozen=True)
class FactView:
    """A fact as it stands at the instants that were asked about.

    `claim` is shared with other facts about the same subject and predicate. `subject_hash` stands for the subject of a
    PHI fact in records of who read it; `consented` is false where it was released in an emergency.
    """

    number: int
    scope: int
    record: FactRecord
    effective_confidence: float
    validity_state: ValidityState
    superseded_by: str | None
    superseded_at: datetime | None
    imported: bool
    file: str | None
    recorded_by: str
    claim: Any
    subject_hash: str | None
    consented: bool

    @property
    def band(self) -> Band:
        return band(self.effective_confidence)

    @property
    def is_phi(self) -> bool:
        return self.record.classification == PHI

    def document(self, **more: Any) -> dict[str, Any]:
        """The fact's JSON-LD with what was judged of it."""
        found = as_document(self.record) | {
            "effective_confidence": self.effective_confidence,
            "band": self.band,
            "validity_state": self.validity_state,
            "superseded_by": self.superseded_by,
        }
        if self.band == "uncertain":
            found["advice"] = ADVICE
        return found | more


def view_of(row: Mapping[str, Any], sealed: Mapping[str, Any], valid_at: datetime) -> FactView:
    """The view of an unsealed row; `sealed` is the same row as it lies in the database."""
    record = record_of(row)
    state: ValidityState = "current"
    if record.valid_until is not None and record.valid_until <= valid_at:
        state = "expired"
    elif record.valid_from > valid_at:
        state = "not_yet_valid"
    return FactView(
        number=row["number"],
        scope=row["scope"],
        record=record,
        effective_confidence=float(row["effective"]),
        validity_state=state,
        superseded_by=row["superseded_by"],
        superseded_at=row["superseded_at"],
        imported=row["imported"],
        file=row["file"],
        recorded_by=row["recorded_by"],
        claim=row["claim"],
        subject_hash=sealed["subject"] or row["consent_subject"] if sealed["sealed"] is not None else None,
        consented=row["consented"],
    )
