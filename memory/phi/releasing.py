"""Break-glass: one subject's PHI opened to one admin for a stated reason and half an hour, for all to see."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from audit.recording import Act
from common.actors import shown_names
from common.errors import Forbidden
from common.times import now
from memory.facts.models import EmergencyRelease
from memory.phi.gate import MAY_BREAK_GLASS
from spaces.access import Binding

LASTS = timedelta(minutes=30)
SHORTEST_REASON = 10  # letters and digits: dots say nothing
LONGEST_REASON = 2_000


@dataclass(frozen=True)
class Proof:
    """What the caller has shown: that they hold a second factor, and just now that it is them."""

    second_factor: bool
    fresh: bool


@dataclass(frozen=True)
class Running:
    """A release that runs now, and the name of whom it is to; `subject` is the hash that stands for it."""

    scope: int
    subject: str
    person: str
    reason: str
    begins_at: datetime
    ends_at: datetime


def release_in_emergency(act: Act, binding: Binding, subject_hash: str, reason: str, proof: Proof) -> EmergencyRelease:
    """Open a subject's PHI to the caller for 30 minutes. The record of it is in the Space for its owner to see.

    Raises Forbidden without the role, the second factor, fresh proof of who asks, or a reason.
    """
    caller = binding.caller
    if caller.person is None or binding.role not in MAY_BREAK_GLASS:
        raise Forbidden("Only an owner or admin of the Space may break the glass.")
    if not (proof.second_factor and proof.fresh):
        raise Forbidden("Breaking the glass takes a second factor, and proof just now that it is you.")
    reason = reason.strip().replace("\0", "")
    if sum(map(str.isalnum, reason)) < SHORTEST_REASON or len(reason) > LONGEST_REASON:
        raise Forbidden(f"must say in {SHORTEST_REASON} to {LONGEST_REASON:,} characters why", field="reason")
    at, scope = now(), binding.one.pk
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


def running_releases(binding: Binding, *, subject: str | None = None) -> list[Running]:
    """The releases of the bound scopes, or of one subject's hash in them, that run now, the last to end first."""
    at = now()
    running = EmergencyRelease.objects.filter(scope__in=binding.scope_ids, begins_at__lte=at, ends_at__gt=at)
    if subject is not None:
        running = running.filter(subject=subject)
    found = list(running.order_by("-ends_at"))
    names = shown_names(f"person:{release.person}" for release in found)
    return [Running(r.scope, r.subject, names[f"person:{r.person}"], r.reason, r.begins_at, r.ends_at) for r in found]
