"""Break-glass: one subject's PHI opened to one admin for a stated reason and half an hour, for all to see."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from audit.recording import Act
from common.errors import Forbidden, Invalid
from common.times import now
from memory.facts.gate import MAY_BREAK_GLASS
from memory.facts.models import EmergencyRelease
from memory.keys.keeping import hashed
from spaces.access import Binding

LASTS = timedelta(minutes=30)
SHORTEST_REASON = 10


@dataclass(frozen=True)
class Proof:
    """What the caller has shown in this session: that they hold a second factor and have just used it."""

    second_factor: bool
    fresh: bool


def release_in_emergency(act: Act, binding: Binding, subject: str, reason: str, proof: Proof) -> EmergencyRelease:
    """Open a subject's PHI to the caller for 30 minutes. The record of it is in the Space for its owner to see.

    Raises Forbidden without the role, the second factor or its fresh use, and Invalid without a reason.
    """
    caller = binding.caller
    if caller.person is None or binding.role not in MAY_BREAK_GLASS:
        raise Forbidden("Only an owner or admin of the Space may break the glass.")
    if not (proof.second_factor and proof.fresh):
        raise Forbidden("Breaking the glass takes a second factor, used just now.")
    reason = reason.strip()
    if len(reason) < SHORTEST_REASON:
        raise Invalid(f"must say in {SHORTEST_REASON} characters or more why", field="reason")
    at, scope = now(), binding.one.pk
    subject_hash = hashed(scope, "subject", subject)
    release = EmergencyRelease.objects.create(
        scope=scope,
        subject=subject_hash,
        person=caller.person.pk,
        reason=reason,
        begins_at=at,
        ends_at=at + LASTS,
    )
    act.record(caller.actor, "phi.break_glass", f"subject:{subject_hash}", scope=scope, reason=reason)
    return release


def open_releases(binding: Binding, at: datetime | None = None) -> list[EmergencyRelease]:
    """The releases of the bound scopes that run now, to whomever."""
    at = at or now()
    return list(EmergencyRelease.objects.filter(scope__in=binding.scope_ids, begins_at__lte=at, ends_at__gt=at))
