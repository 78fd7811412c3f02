"""Consents: that a subject allows purposes. The gate that asks them comes with PHI itself."""

from typing import Annotated

from pydantic import Field

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound
from common.strict import Instant, StrictModel, Uri, VisibleText
from common.times import now
from memory.facts.document import Reference
from memory.facts.models import Consent
from spaces.access import Binding

PREFIX = "consent:"


class ConsentInput(StrictModel):
    """A consent as it is written."""

    id: Reference | None = None
    subject: Annotated[str, VisibleText(1, 500)]
    purposes: Annotated[list[Annotated[str, VisibleText(1, 64)]], Field(min_length=1, max_length=50)]
    granted_by: Uri
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    evidence: Annotated[str, VisibleText(1, 4_000)] | None = None


def record_consent(act: Act, binding: Binding, given: ConsentInput, unique: str) -> Consent:
    """Keep a consent. Raises Conflict for a taken id and Invalid when it ends before it begins."""
    at = now()
    valid_from = given.valid_from or at
    if given.valid_until is not None and given.valid_until <= valid_from:
        raise Invalid("must be later than valid_from", field="valid_until")
    consent = Consent(
        scope=binding.one.pk,
        id=given.id or f"{PREFIX}{unique}",
        subject=given.subject,
        purposes=list(dict.fromkeys(given.purposes)),
        granted_by=given.granted_by,
        valid_from=valid_from,
        valid_until=given.valid_until,
        evidence=given.evidence or "",
        recorded_at=at,
        recorded_by=str(binding.caller.actor),
    )
    if Consent.objects.filter(scope=consent.scope, id=consent.id).exists():
        raise Conflict("is taken by another consent", field="id", type="id_taken")
    consent.save(force_insert=True)
    act.record(binding.caller.actor, "consent.give", consent.id, scope=consent.scope, purposes=consent.purposes)
    return consent


def find_consent(binding: Binding, consent_id: str) -> Consent:
    """One consent of the bound scopes. Raises NotFound."""
    consent = Consent.objects.filter(scope__in=binding.scope_ids, id=consent_id).first()
    if consent is None:
        raise NotFound("There is no such consent.")
    return consent
