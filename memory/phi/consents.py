"""Consents: that a subject allows purposes. Given, narrowed and withdrawn; what they cover is asked by the gate."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from audit.recording import Act
from common.crypto import NotOpened, seal, unseal
from common.errors import Conflict, Invalid, NotFound, Unavailable
from common.jsonio import dumps
from common.strict import Instant, Read, StrictModel, Uri, VisibleText
from common.times import now
from memory.facts.models import Consent, Fact
from memory.facts.rules.document import Reference
from memory.keys.keeping import KeyDestroyed, hashed, key_for, opened
from memory.keys.models import DataKey
from spaces.access import Binding
from spaces.databases.entering import current
from spaces.purposes import PURPOSES

PREFIX = "consent:"
State = Literal["holds", "not_yet", "ended", "withdrawn"]


def _purpose(text: str) -> str:
    if text not in PURPOSES:
        raise ValueError(f"must be one of {', '.join(PURPOSES)}")
    return text


Purpose = Annotated[str, Read(_purpose), WithJsonSchema({"type": "string", "enum": list(PURPOSES)})]


class ConsentInput(StrictModel):
    """A consent as it is written."""

    id: Reference | None = None
    subject: Annotated[str, VisibleText(1, 500)]
    purposes: Annotated[list[Purpose], Field(min_length=1, max_length=50)]
    granted_by: Uri
    valid_from: Instant | None = None
    valid_until: Instant | None = None
    evidence: Annotated[str, VisibleText(1, 4_000)] | None = None


@dataclass(frozen=True)
class ConsentView:
    """A consent, opened: whose it is, and what it allows until when."""

    id: str
    scope: int
    subject: str
    subject_hash: str
    purposes: tuple[str, ...]
    granted_by: str
    evidence: str
    valid_from: datetime
    valid_until: datetime | None
    withdrawn_at: datetime | None
    recorded_at: datetime
    recorded_by: str

    def state(self, at: datetime) -> State:
        """What it is worth at `at`: only while it holds, it covers its purposes."""
        if self.withdrawn_at is not None:
            return "withdrawn"
        if at < self.valid_from:
            return "not_yet"
        return "ended" if self.valid_until is not None and self.valid_until <= at else "holds"


def give_consent(act: Act, binding: Binding, given: ConsentInput, unique: str) -> str:
    """Keep a consent and return its id. PHI that was imported before it is released by it from now on.

    Raises Conflict for a taken id and Invalid when it ends before it begins.
    """
    at, scope = now(), binding.one.pk
    valid_from = given.valid_from or at
    if given.valid_until is not None and given.valid_until <= valid_from:
        raise Invalid("must be later than valid_from", field="valid_until")
    consent_id = given.id or f"{PREFIX}{unique}"
    if Consent.objects.filter(scope=scope, id=consent_id).exists():
        raise Conflict("is taken by another consent", field="id", type="id_taken")
    subject = hashed(scope, "subject", given.subject)
    key, secret = key_for(scope, subject, subject)
    content = {"subject": given.subject, "granted_by": given.granted_by, "evidence": given.evidence or ""}
    Consent.objects.create(
        scope=scope,
        id=consent_id,
        subject=subject,
        sealed=seal(secret, dumps(content).encode(), _place(scope, consent_id, subject)),
        key_id=key,
        purposes=list(dict.fromkeys(given.purposes)),
        valid_from=valid_from,
        valid_until=given.valid_until,
        recorded_at=at,
        recorded_by=str(binding.caller.actor),
    )
    _adopt_orphans(scope, consent_id, subject)
    act.record(
        binding.caller.actor, "consent.give", consent_id, scope=scope, consent=consent_id, purposes=list(given.purposes)
    )
    return consent_id


def narrow_consent(act: Act, binding: Binding, consent_id: str, purposes: Sequence[str]) -> None:
    """Leave a consent with fewer purposes. Raises NotFound, and Invalid for none or for one that it does not have."""
    consent = _found(binding, consent_id, to_change=True)
    kept = [purpose for purpose in consent.purposes if purpose in set(purposes)]
    if not kept or set(purposes) - set(consent.purposes):
        raise Invalid("must be some of the purposes the consent has; to end it, withdraw it", field="purposes")
    Consent.objects.filter(pk=consent.pk).update(purposes=kept)
    act.record(
        binding.caller.actor, "consent.narrow", consent.id, scope=consent.scope, consent=consent.id, purposes=kept
    )


def withdraw_consent(act: Act, binding: Binding, consent_id: str) -> None:
    """End a consent now. From the next request on it covers nothing. Raises NotFound; a second time changes nothing."""
    consent = _found(binding, consent_id, to_change=True)
    Consent.objects.filter(pk=consent.pk, withdrawn_at=None).update(withdrawn_at=now())
    act.record(binding.caller.actor, "consent.withdraw", consent.id, scope=consent.scope, consent=consent.id)


def find_consent(binding: Binding, consent_id: str) -> ConsentView:
    """One consent of the bound scopes. Raises NotFound."""
    return _view(_found(binding, consent_id))


def consents_of(binding: Binding, subject_hashes: Sequence[str]) -> list[ConsentView]:
    """The consents of these subjects in the bound scopes, the newest first."""
    consents = Consent.objects.filter(scope__in=binding.scope_ids, subject__in=subject_hashes, sealed__isnull=False)
    return [_view(consent) for consent in consents.select_related("key").order_by("-number")]


def _found(binding: Binding, consent_id: str, *, to_change: bool = False) -> Consent:
    """`to_change`: locked, or two who narrow it at once would each give back what the other one took."""
    if "\0" in consent_id:
        raise NotFound("There is no such consent.")
    consents = Consent.objects.select_related("key")
    if to_change:
        consents = consents.select_for_update(of=("self",))
    consent = consents.filter(scope__in=binding.scope_ids, id=consent_id, sealed__isnull=False).first()
    if consent is None:
        raise NotFound("There is no such consent.")
    return consent


def _view(consent: Consent) -> ConsentView:
    key = consent.key
    if key is None or consent.sealed is None:
        raise NotFound("There is no such consent.")
    try:
        secret = opened(consent.scope, key.name, key.wrapped_by, key.wrapped)
        content = json.loads(unseal(secret, consent.sealed, _place(consent.scope, consent.id, consent.subject)))
    except (KeyDestroyed, NotOpened) as error:
        raise Unavailable(f"The consent {consent.id} does not open: it is not what was written there.") from error
    return ConsentView(
        id=consent.id,
        scope=consent.scope,
        subject=content["subject"],
        subject_hash=consent.subject or "",
        purposes=tuple(consent.purposes),
        granted_by=content["granted_by"],
        evidence=content["evidence"],
        valid_from=consent.valid_from,
        valid_until=consent.valid_until,
        withdrawn_at=consent.withdrawn_at,
        recorded_at=consent.recorded_at,
        recorded_by=consent.recorded_by,
    )


def _adopt_orphans(scope: int, consent_id: str, subject: str) -> None:
    """Facts that waited for this consent without a subject of their own are the subject's now, key and all."""
    waiting = Fact.objects.filter(scope=scope, consent=consent_id, subject=None, key__subject=None)
    DataKey.objects.filter(pk__in=list(waiting.values_list("key", flat=True))).update(subject=subject)


def _place(scope: int, consent_id: str, subject: str | None) -> str:
    return "\n".join((f"consent:{current().space_id}:{scope}", consent_id, subject or ""))
