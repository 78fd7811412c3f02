"""The decay pass: once for each local date of a Space, what fell below its threshold is archived."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from audit.recording import SYSTEM, Act
from common.errors import Conflict, NotFound
from common.times import format_instant, now
from memory.layers.elements import run_sql
from memory.layers.governing.standing import restore_nodes
from memory.layers.models import DecayPass, NodeStrength, Reinforcement
from memory.layers.rules.passes import asks_first, date_due, next_date_begins
from memory.layers.rules.strength import effective_sql
from memory.layers.settings import layer_settings, thresholds
from spaces.access import Caller
from spaces.databases.entering import current
from spaces.databases.transactions import attempted
from spaces.hinting import due_by
from spaces.models import Space

State = DecayPass.State
_RESTORED_AT_ONCE = 500


@dataclass(frozen=True)
class LayerCount:
    """How many memories of a layer are live, and how many of them a pass takes."""

    live: int
    going: int


class _SettledMeanwhile(Exception):
    """Another worker came first."""


def decay_tick() -> None:
    """Run the pass of the Space one is in when it is due, and have the tick come back when the next date begins."""
    space, at = Space.objects.get(pk=current().space_id), now()
    decay_due(space, at)
    due_by(space.pk, next_pass_at(space, at))


def decay_due(space: Space, at: datetime) -> DecayPass | None:
    """Run the pass of the local date at the instant `at`, unless that date is settled; returns what was done.

    A Space's first date counts as done. However often, late or at once this is called, there is one pass for a date.
    """
    last = _last_date()
    day = date_due(at, ZoneInfo(space.zone), last)
    if day is None:
        return None
    try:
        return attempted(lambda act: _pass(act, day, at, is_first=last is None))
    except _SettledMeanwhile:
        return None


def next_pass_at(space: Space, at: datetime) -> datetime:
    """When the next pass is due: `at` itself when it is due already."""
    zone, last = ZoneInfo(space.zone), _last_date()
    if last is not None and date_due(at, zone, last) is not None:
        return at
    return next_date_begins(at, zone, last)


def counts_at(at: datetime) -> dict[int, LayerCount]:
    """What a pass at the instant `at` would take of each layer that fades."""
    rows = run_sql(_COUNT, _values(at))
    return {layer: LayerCount(live, going) for layer, live, going in rows}


def approve_pass(act: Act, caller: Caller, day: date, at: datetime) -> DecayPass:
    """Let a pass go on that stopped to ask; it takes what is below its threshold now.

    Raises NotFound, and Conflict when it waits for nobody, or a later date has come: missed passes are not made up.
    """
    row = _waiting(day)
    row.archived = _archive(at)
    _settle(row, State.DONE, caller, at)
    row.at = at
    row.save()
    act.record(caller.actor, "decay.approve", f"decay:{day}", **row.archived)
    return row


def refuse_pass(act: Act, caller: Caller, day: date, at: datetime) -> DecayPass:
    """Leave everything where it is on that date; the next date is asked about anew. Raises as `approve_pass`."""
    row = _waiting(day)
    _settle(row, State.REFUSED, caller, at)
    row.save()
    act.record(caller.actor, "decay.refuse", f"decay:{day}")
    return row


def undo_pass(act: Act, caller: Caller, day: date, at: datetime) -> DecayPass:
    """Restore exactly what a pass archived and nobody restored or replaced since; each as a person restores it.

    Raises NotFound, and Conflict for a pass that archived nothing or was undone.
    """
    row = _locked(day)
    if row.state != State.DONE:
        raise Conflict("This pass archived nothing that could be brought back.", type="not_done")
    archived = NodeStrength.objects.filter(archived_at=row.at, node__superseded_by=None, node__merged_into=None)
    restored = 0
    for scope in sorted(set(archived.values_list("scope", flat=True))):
        ids = list(
            archived.filter(scope=scope).order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True)
        )
        for begin in range(0, len(ids), _RESTORED_AT_ONCE):
            batch = ids[begin : begin + _RESTORED_AT_ONCE]
            restore_nodes(scope, batch, at, str(caller.actor), Reinforcement.Kind.UNDONE)
        restored += len(ids)
    _settle(row, State.UNDONE, caller, at)
    row.save()
    act.record(caller.actor, "decay.undo", f"decay:{day}", restored=restored)
    return row


def _pass(act: Act, day: date, at: datetime, *, is_first: bool) -> DecayPass:
    """The whole pass in one transaction, its date first: a worker that comes second waits, and finds it taken."""
    counts = {} if is_first else counts_at(at)
    stopped = any(asks_first(count.going, count.live) for count in counts.values())
    state = State.FIRST if is_first else State.STOPPED if stopped else State.DONE
    made = run_sql(
        "insert into decay_pass (date, at, state, archived, decided_by) select %(day)s, %(at)s, %(state)s, '{}', ''"
        " where not exists (select 1 from decay_pass where date >= %(day)s) on conflict (date) do nothing returning 1",
        {"day": day, "at": at, "state": state},
    )
    if not made:
        raise _SettledMeanwhile
    row = DecayPass.objects.get(pk=day)
    if stopped:
        row.archived = {str(layer): count.going for layer, count in counts.items()}
    elif not is_first:
        row.archived = _archive(at)
    row.save()
    act.record(SYSTEM, "decay.pass", f"decay:{day}", state=str(state), at=format_instant(at), **row.archived)
    return row


def _archive(at: datetime) -> dict[str, int]:
    """Archive what is below its threshold, and take it out of the index; how many there were in each layer.

    What is being strengthened at this very moment is passed over: it waits for nobody, and nobody waits in a circle.
    """
    archived = run_sql(_FLAG, _values(at))
    run_sql(_UNINDEX, {"at": at})
    run_sql(_UNSTAGE, {"at": at})
    return {str(layer): count for layer, count in archived}


def _values(at: datetime) -> dict[str, object]:
    by_layer: Mapping[int, float] = thresholds(layer_settings())
    return {"at": at, "threshold1": by_layer[1], "threshold2": by_layer[2]}


def _last_date() -> date | None:
    return DecayPass.objects.order_by("-date").values_list("date", flat=True).first()


def _locked(day: date) -> DecayPass:
    row = DecayPass.objects.select_for_update().filter(pk=day).first()
    if row is None:
        raise NotFound("There was no decay pass on this date.")
    return row


def _waiting(day: date) -> DecayPass:
    row = _locked(day)
    if row.state != State.STOPPED:
        raise Conflict("This pass does not wait for anybody.", type="not_stopped")
    if _last_date() != day:
        raise Conflict("A later date has come; passes are not made up for.", type="later_date")
    return row


def _settle(row: DecayPass, state: State, caller: Caller, at: datetime) -> None:
    row.state, row.decided_by, row.decided_at = state, str(caller.actor), at


_GOING = (
    f"not s.pinned and {effective_sql('s', '%(at)s::timestamptz')}"
    " < case s.layer when 1 then %(threshold1)s::float8 else %(threshold2)s::float8 end"
)
_COUNT = (
    f"select s.layer::int, count(*), count(*) filter (where {_GOING}) from node_strength s"
    " where s.layer in (1, 2) and s.archived_at is null group by s.layer"
)
_FLAG = (
    "with due as materialized (select s.node from node_strength s"
    f"  where s.layer in (1, 2) and s.archived_at is null and {_GOING} for update skip locked),"
    " gone as (update node_strength s set archived_at = %(at)s from due where s.node = due.node returning s.layer)"
    " select layer::int, count(*) from gone group by layer"
)
# Vectors on their way to another embedder; most of the time there are none.
_UNSTAGE = "delete from staged_vector v using node_strength s where s.node = v.node and s.archived_at = %(at)s"
_UNINDEX = (
    "with gone as (delete from node_index i using node_strength s"
    "  where s.archived_at = %(at)s and i.node = s.node returning i.scope, i.length),"
    " less as (select scope, count(*) n, sum(length) total from gone group by scope)"
    " update scope_stat t set rows = t.rows - less.n, length = t.length - less.total"
    " from less where t.scope = less.scope"
)
