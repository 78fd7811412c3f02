"""What home says of the layers: learnt since midnight, and when distillation and decay were and will be at work."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.layers.decay import next_pass_at
from memory.layers.models import DecayPass, Distillation
from memory.layers.settings import layer_settings
from memory.layers.showing_runs import ShownRun, runs_of, shown_runs
from memory.layers.statements import fetched, released_node_sql
from memory.phi.gate import gate_values
from spaces.access import Binding

# Of each layer so many of the newest are looked at; where all are of today, there may be more.
MOST_A_LAYER = 1_000
State = Distillation.State


@dataclass(frozen=True)
class AtWork:
    """The last run and pass, and when the next are due.

    `next_run_at` is None where no line waits, or a run is open already. `failed` waits for its next try; `stopped` is a
    pass that waits for a person.
    """

    last_run: ShownRun | None
    open_run: ShownRun | None
    failed: ShownRun | None
    next_run_at: datetime | None
    last_pass: DecayPass | None
    stopped: DecayPass | None
    next_pass_at: datetime


def learnt_since(binding: Binding, since: datetime) -> tuple[int, bool]:
    """How many memories were formed since then that the reader may know, and whether there may be more."""
    rows = fetched(
        "select count(*) filter (where c.formed_at >= %(since)s) n, coalesce(bool_or(c.place = %(most)s"
        " and c.formed_at >= %(since)s), false) more from unnest(%(scopes)s::int[]) s(scope)"
        " cross join unnest(array[1, 2, 3]) l(layer) cross join lateral (select n.formed_at,"
        "  row_number() over (order by n.id desc) place from node n where n.scope = s.scope and n.layer = l.layer"
        f"  and {released_node_sql()} order by n.id desc limit %(most)s) c",
        gate_values(binding) | {"scopes": binding.scope_ids, "since": since, "most": MOST_A_LAYER},
    )
    return rows[0]["n"], rows[0]["more"]


def at_work(binding: Binding, at: datetime) -> AtWork:
    """Distillation in the bound scopes and decay in the Space, at the instant `at`."""
    states = (State.DONE, State.RUNNING, State.PENDING, State.FAILED)
    latest = {state: next(iter(runs_of(binding, state=state, limit=1)), None) for state in states}
    shown = {run.run.state: run for run in shown_runs(binding, [run for run in latest.values() if run is not None])}
    passes = DecayPass.objects.order_by("-date")
    open_run = shown.get(State.RUNNING) or shown.get(State.PENDING)
    last_pass = passes.exclude(state=DecayPass.State.FIRST).first()
    return AtWork(
        last_run=shown.get(State.DONE),
        open_run=open_run,
        failed=shown.get(State.FAILED),
        next_run_at=None if open_run else _next_run(binding),
        last_pass=last_pass,
        stopped=last_pass if last_pass is not None and last_pass.state == DecayPass.State.STOPPED else None,
        next_pass_at=next_pass_at(binding.space, at),
    )


def _next_run(binding: Binding) -> datetime | None:
    """When the first scope that has lines waiting will have been idle for long enough; it may be over already."""
    rows = fetched(
        "select min(q.last) at from (select max(last_line_at) last from session"
        " where scope = any(%(scopes)s) and line_count > distilled_until and last_line_at is not null"
        " and classification is distinct from 'PHI' group by scope) q",
        {"scopes": binding.scope_ids},
    )
    last: datetime | None = rows[0]["at"]
    return None if last is None else last + timedelta(minutes=layer_settings().idle_minutes)
