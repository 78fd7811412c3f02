"""What starts a distillation: a scope gone idle, a session full and quiet, or somebody who asks."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from audit.recording import SYSTEM
from common.times import now
from memory.layers.elements import run_sql
from memory.layers.models import Distillation
from memory.layers.runs import ask, reopen_due, waiting_runs
from memory.layers.settings import layer_settings
from spaces.databases.entering import current
from spaces.databases.transactions import memory_transaction
from spaces.hinting import due_by

Start = Callable[[UUID, UUID], object]

_UNDISTILLED = (
    "select scope, id, line_count - distilled_until, last_line_at from session"
    " where line_count > distilled_until and last_line_at is not null"
)


def start_due(start: Start) -> None:
    """Ask for the runs that are due in the Space one is in, and give each that waits to `start` (space, run)."""
    at = now()
    due = _due(at)
    failed = Distillation.objects.filter(state=Distillation.State.FAILED, next_try_at__lte=at).exists()
    if due or failed:
        with memory_transaction() as act:
            for scope, session, trigger in due:
                ask(act, scope, SYSTEM, trigger, session=session)
            reopen_due(act, at)
            act.record(SYSTEM, "distillation.tick", count=len(due))
    for run in waiting_runs(at):
        start(current().space_id, run)
    hint_next(at)


def _due(at: datetime) -> list[tuple[int, UUID | None, str]]:
    """(scope, session or None for all of them, trigger) for what is to be distilled and has no run yet."""
    settings = layer_settings()
    idle_since = at - timedelta(minutes=settings.idle_minutes)
    quiet_since = at - timedelta(seconds=settings.quiet_seconds)
    scopes: dict[int, list[tuple[UUID, int, datetime]]] = {}
    for scope, session, lines, last in run_sql(_UNDISTILLED, {}):
        scopes.setdefault(scope, []).append((session, lines, last))
    open_scopes, open_sessions = _open_runs()
    due: list[tuple[int, UUID | None, str]] = []
    for scope, sessions in scopes.items():
        if scope in open_scopes:
            continue
        if all(last <= idle_since for _, _, last in sessions):
            due.append((scope, None, Distillation.Trigger.IDLE))
            continue
        due += [
            (scope, session, Distillation.Trigger.FULL)
            for session, lines, last in sessions
            if lines >= settings.full_lines and last <= quiet_since and session not in open_sessions
        ]
    return due


def _open_runs() -> tuple[set[int], set[UUID]]:
    """Scopes that a run over all their sessions waits for or works on, or failed and waits; and single sessions."""
    rows = Distillation.objects.exclude(state=Distillation.State.DONE).exclude(
        state=Distillation.State.FAILED, next_try_at=None
    )
    pairs = list(rows.values_list("scope", "session"))
    return {scope for scope, session in pairs if session is None}, {session for _, session in pairs if session}


def hint_next(at: datetime) -> None:
    """Ask for a visit when the next session will be idle or quiet, or a failed run is to be tried again."""
    settings = layer_settings()
    instants = []
    for _, _, lines, last in run_sql(_UNDISTILLED, {}):
        idle, quiet = timedelta(minutes=settings.idle_minutes), timedelta(seconds=settings.quiet_seconds)
        instants.append(last + (quiet if lines >= settings.full_lines else idle))
    failed = Distillation.objects.filter(state=Distillation.State.FAILED, next_try_at__isnull=False)
    instants += list(failed.values_list("next_try_at", flat=True))
    if instants:
        due_by(current().space_id, max(min(instant for instant in instants if instant), at + timedelta(seconds=30)))
