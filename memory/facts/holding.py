"""Retention: when facts are due for deletion, and holds that stop it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from django.db.models import Q

from audit.recording import Act
from common.errors import Conflict, NotFound
from common.strict import StrictModel, VisibleText, validated
from common.times import now
from memory.facts.models import Hold
from memory.facts.reading import facts_by_id, find_fact
from memory.facts.scoping import scope_sql
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from spaces.access import Binding

MOST = 500


class HoldInput(StrictModel):
    """Why a hold is placed or lifted."""

    reason: Annotated[str, VisibleText(1, 2_000)]


@dataclass(frozen=True)
class DueFact:
    """A fact with the date until which it was to be kept, None for no such date, and the hold that keeps it."""

    view: FactView
    due_at: datetime | None
    hold: Hold | None


def place_hold(act: Act, binding: Binding, fact_id: str, reason: str) -> Hold:
    """Keep a fact whatever its retention says. Raises NotFound, Invalid without a reason, Conflict when it is held."""
    given = validated(HoldInput, {"reason": reason})
    view = find_fact(binding, fact_id)
    if hold_on(view) is not None:
        raise Conflict("There is a hold on this fact already.", type="held")
    author = str(binding.caller.actor)
    hold = Hold.objects.create(
        scope=view.scope, fact=view.record.id, reason=given.reason.strip(), placed_at=now(), placed_by=author
    )
    act.record(binding.caller.actor, "hold.place", view.record.id, scope=view.scope, reason=hold.reason)
    return hold


def lift_hold(act: Act, binding: Binding, fact_id: str, reason: str) -> None:
    """End the hold on a fact. Raises NotFound when there is none, or no such fact, and Invalid without a reason."""
    given = validated(HoldInput, {"reason": reason})
    view = find_fact(binding, fact_id)
    holds = Hold.objects.filter(scope=view.scope, fact=view.record.id, lifted_at=None)
    if not holds.update(lifted_at=now(), lifted_by=str(binding.caller.actor)):
        raise NotFound("There is no hold on this fact.")
    act.record(binding.caller.actor, "hold.lift", view.record.id, scope=view.scope, reason=given.reason.strip())


def hold_on(view: FactView) -> Hold | None:
    """The open hold on a fact."""
    return Hold.objects.filter(scope=view.scope, fact=view.record.id, lifted_at=None).first()


def due_facts(binding: Binding, *, until: datetime | None = None, most: int = MOST) -> list[DueFact]:
    """Facts whose retention ends by `until` (default now), the longest overdue first."""
    at = now()
    sql = select_sql(f"{scope_sql(binding)} and f.retention_at <= %(until)s and f.recorded_at <= %(as_of)s")
    values = judged_values(binding, at, at) | {"scopes": binding.scope_ids, "until": until or at, "most": most}
    views = released_views(binding, fetch(f"{sql} order by f.retention_at, f.id limit %(most)s", values), at)
    holds = _open_holds(binding, views)
    return [DueFact(view, view.record.retention_at, holds.get((view.scope, view.record.id))) for view in views]


def held_facts(binding: Binding, *, most: int = MOST) -> list[DueFact]:
    """Facts under a hold, the latest placed first; of the newest `most` holds those whose fact the reader may see."""
    holds = list(Hold.objects.filter(scope__in=binding.scope_ids, lifted_at=None).order_by("-number")[:most])
    found = facts_by_id(binding, sorted({hold.fact for hold in holds})) if holds else []
    views = {(view.scope, view.record.id): view for view in found}
    return [
        DueFact(view, view.record.retention_at, hold)
        for hold in holds
        if (view := views.get((hold.scope, hold.fact))) is not None
    ]


def _open_holds(binding: Binding, views: Sequence[FactView]) -> dict[tuple[int, str], Hold]:
    wanted = Q(scope__in=binding.scope_ids, fact__in=[view.record.id for view in views], lifted_at=None)
    return {(hold.scope, hold.fact): hold for hold in Hold.objects.filter(wanted)} if views else {}
