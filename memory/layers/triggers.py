"""What starts a distillation: a scope gone idle, a session full and quiet, or somebody who asks."""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from audit.recording import SYSTEM, Act
from common.times import now
from memory.layers.elements import run_sql
from memory.layers.models import Distillation
from memory.layers.runs import ask, reopen_due, waiting_runs
from memory.layers.settings import layer_settings
from spaces.databases.entering import current
from spaces.databases.transactions import attempted
from spaces.hinting import due_by

Start = Callable[[UUID, UUID], object]
_SOON = timedelta(seconds=30)

_UNDISTILLED = (
    "select scope, id, line_count - distilled_until, last_line_at from session"
    " where line_count > distilled_until and last_line_at is not null"
)


def start_due(start: Start) -> None:
    """Ask for the runs that are due in the Space one is in, and give each that waits to `start` (space, run)."""
    at = now()
    if _due(at) or _failed_due(at):
        attempted(lambda act: _ask_due(act, at))
    for run in waiting_runs(at):
        start(current().space_id, run)
    hint_next(at)


def _ask_due(act: Act, at: datetime) -> None:
    due = _due(at)
    for scope, session, trigger in due:
        ask(act, scope, SYSTEM, trigger, session=session)
    reopen_due(act, at)
    act.record(SYSTEM, "distillation.tick", count=len(due))


def _failed_due(at: datetime) -> bool:
    return Distillation.objects.filter(state=Distillation.State.FAILED, next_try_at__lte=at).exists()


def _undistilled() -> dict[int, list[tuple[UUID, int, datetime]]]:
    """By scope each session with lines to distil: its id, how many, and when the last of them arrived."""
    scopes: dict[int, list[tuple[UUID, int, datetime]]] = {}
    for scope, session, lines, last in run_sql(_UNDISTILLED, {}):
        scopes.setdefault(scope, []).append((session, lines, last))
    return scopes


def _due(at: datetime) -> list[tuple[int, UUID | None, str]]:
    """(scope, session or None for all of them, trigger) for what is to be distilled and has no run yet."""
    settings = layer_settings()
    idle_since = at - timedelta(minutes=settings.idle_minutes)
    quiet_since = at - timedelta(seconds=settings.quiet_seconds)
    open_scopes, open_sessions = _open_runs()
    due: list[tuple[int, UUID | None, str]] = []
    for scope, sessions in _undistilled().items():
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
    """Ask for a visit when a scope will be idle or a session quiet, when a failed run is tried again, and soon while
    a run is open: its worker may have gone.
    """
    settings = layer_settings()
    idle, quiet = timedelta(minutes=settings.idle_minutes), timedelta(seconds=settings.quiet_seconds)
    open_scopes, open_sessions = _open_runs()
    instants = list(
        Distillation.objects.filter(state=Distillation.State.FAILED, next_try_at__isnull=False).values_list(
            "next_try_at", flat=True
        )
    )
    if Distillation.objects.filter(state__in=[Distillation.State.PENDING, Distillation.State.RUNNING]).exists():
        instants.append(at)
    for scope, sessions in _undistilled().items():
        if scope not in open_scopes:
            instants.append(max(last for _, _, last in sessions) + idle)
            instants += [
                last + quiet
                for session, lines, last in sessions
                if lines >= settings.full_lines and session not in open_sessions
            ]
    if instants:
        due_by(current().space_id, max(min(filter(None, instants)), at + _SOON))
