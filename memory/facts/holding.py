"""Retention: when facts are due for deletion, and holds that stop it."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound
from common.times import now
from memory.facts.models import Hold
from memory.facts.reading import find_fact
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from spaces.access import Binding

MOST = 500


@dataclass(frozen=True)
class DueFact:
    """A fact past the date until which it was to be kept, and the hold that keeps it."""

    view: FactView
    due_at: datetime
    hold: Hold | None


def place_hold(act: Act, binding: Binding, fact_id: str, reason: str) -> Hold:
    """Keep a fact whatever its retention says. Raises NotFound, Invalid without a reason, Conflict when it is held."""
    if not reason.strip():
        raise Invalid("must say why", field="reason")
    view = find_fact(binding, fact_id)
    if Hold.objects.filter(scope=view.scope, fact=view.record.id, lifted_at=None).exists():
        raise Conflict("There is a hold on this fact already.", type="held")
    author = str(binding.caller.actor)
    hold = Hold.objects.create(
        scope=view.scope, fact=view.record.id, reason=reason.strip(), placed_at=now(), placed_by=author
    )
    act.record(binding.caller.actor, "hold.place", view.record.id, scope=view.scope, reason=hold.reason)
    return hold


def lift_hold(act: Act, binding: Binding, fact_id: str) -> None:
    """End the hold on a fact. Raises NotFound when there is none, or no such fact for the caller."""
    view = find_fact(binding, fact_id)
    holds = Hold.objects.filter(scope=view.scope, fact=view.record.id, lifted_at=None)
    if not holds.update(lifted_at=now(), lifted_by=str(binding.caller.actor)):
        raise NotFound("There is no hold on this fact.")
    act.record(binding.caller.actor, "hold.lift", view.record.id, scope=view.scope)


def hold_on(view: FactView) -> Hold | None:
    """The open hold on a fact."""
    return Hold.objects.filter(scope=view.scope, fact=view.record.id, lifted_at=None).first()


def due_facts(binding: Binding, *, until: datetime | None = None) -> list[DueFact]:
    """Facts whose retention ends by `until` (default now), the longest overdue first, at most 500."""
    at = now()
    sql = select_sql("f.scope = any(%(scopes)s) and f.retention_at <= %(until)s and f.recorded_at <= %(as_of)s")
    values = judged_values(binding, at, at) | {"scopes": binding.scope_ids, "until": until or at, "most": MOST}
    views = released_views(binding, fetch(f"{sql} order by f.retention_at, f.id limit %(most)s", values), at)
    wanted = Q(scope__in=binding.scope_ids, fact__in=[view.record.id for view in views], lifted_at=None)
    holds = {(hold.scope, hold.fact): hold for hold in Hold.objects.filter(wanted)}
    return [
        DueFact(view, view.record.retention_at, holds.get((view.scope, view.record.id)))
        for view in views
        if view.record.retention_at is not None
    ]
