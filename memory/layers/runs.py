"""Runs of distillation: asked for, claimed by a worker for a time, finished or put off."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import connections
from django.db.models import F, Q

from audit.recording import SYSTEM, Act, Actor
from common.errors import NotFound, Unprocessable
from common.times import now
from memory.layers.models import Distillation
from memory.leases import LEASE, LeaseLost, wait_after
from memory.sessions.models import Session
from spaces.databases.entering import current
from spaces.databases.transactions import attempted, memory_transaction
from spaces.hinting import due_by

State = Distillation.State
Trigger = Distillation.Trigger


@dataclass(frozen=True)
class Claim:
    """A run that this worker holds. `plan` is its snapshot: (session, first, last) in the order they are done.

    `patience` is how long nobody else takes it over after the last sign of life.
    """

    run: Distillation
    lease: UUID
    plan: Sequence[tuple[UUID, int, int]]
    patience: timedelta


class BegunAnew(Exception):
    """A session is not where the run left it: somebody asked for a new pass over it, or it is gone."""


def ask(
    act: Act, scope: int, actor: Actor, trigger: str, *, session: UUID | None = None, again: bool = False
) -> Distillation:
    """Ask for a run over a scope, or over one session of it; one that waits already is taken instead of a second.

    `again` begins a new pass over the session: all its lines are distilled once more, and what was forgotten stays
    forgotten. Raises NotFound for a session of another scope, and Unprocessable for `again` without one. Should no
    worker hear of it, the tick takes care.
    """
    connections[act.using].on_commit(partial(due_by, current().space_id, now()))
    if again and session is None:
        raise Unprocessable("Name the session to distil again.", field="session")
    if session is not None:
        found = Session.objects.select_for_update().filter(pk=session, scope=scope).first()
        if found is None:
            raise NotFound("There is no such session.")
        if again:
            found.generation, found.distilled_until = found.generation + 1, 0
            found.save(update_fields=["generation", "distilled_until"])
    waiting = Distillation.objects.select_for_update().filter(scope=scope, session=session, state=State.PENDING).first()
    if waiting is not None:
        waiting.next_try_at = None
        waiting.save(update_fields=["next_try_at"])
        act.record(actor, "distillation.ask", str(waiting.pk), scope=scope, trigger=trigger)
        return waiting
    run = Distillation.objects.create(scope=scope, session=session, trigger=trigger, asked_by=str(actor))
    act.record(actor, "distillation.ask", str(run.pk), scope=scope, trigger=trigger)
    return run


def claim(run_id: UUID, patience: timedelta = LEASE) -> Claim | None:
    """Take a run that waits, or whose worker has gone. None when there is nothing to take, or its scope is busy."""
    return attempted(lambda act: _claim(act, run_id, patience))


def _claim(act: Act, run_id: UUID, patience: timedelta) -> Claim | None:
    at = now()
    run = Distillation.objects.select_for_update(skip_locked=True).filter(pk=run_id).first()
    if run is None or not _is_free(run, at) or _is_busy(run):
        act.record(SYSTEM, "distillation.pass_by", str(run_id))
        return None
    if run.plan is None:
        run.plan = [[str(session), first, last] for session, first, last in _snapshot(run)]
    lease = uuid.uuid4()
    run.state, run.lease, run.lease_until = State.RUNNING, lease, at + patience
    run.started_at, run.attempts, run.reason, run.next_try_at = run.started_at or at, run.attempts + 1, "", None
    run.save()
    act.record(SYSTEM, "distillation.start", str(run.pk), scope=run.scope, attempt=run.attempts)
    plan = [(UUID(session), int(first), int(last)) for session, first, last in run.plan]
    return Claim(run, lease, plan, patience)


def _is_free(run: Distillation, at: datetime) -> bool:
    if run.state == State.PENDING:
        return run.next_try_at is None or run.next_try_at <= at
    return run.state == State.RUNNING and (run.lease_until is None or run.lease_until <= at)


def _is_busy(run: Distillation) -> bool:
    """Whether another run of the scope is under way. Of two that ask at once a unique index lets one through."""
    return Distillation.objects.filter(scope=run.scope, state=State.RUNNING).exclude(pk=run.pk).exists()


def hold(claimed: Claim) -> Distillation:
    """The run's row, locked, its lease made longer. Raises LeaseLost."""
    run = Distillation.objects.select_for_update().filter(pk=claimed.run.pk, lease=claimed.lease).first()
    if run is None or run.state != State.RUNNING:
        raise LeaseLost(str(claimed.run.pk))
    run.lease_until = now() + claimed.patience
    return run


def finish(claimed: Claim) -> None:
    """End a run whose ranges are all in the ledger. Raises LeaseLost."""
    with memory_transaction() as act:
        run = hold(claimed)
        run.state, run.finished_at, run.lease, run.lease_until = State.DONE, now(), None, None
        run.save()
        act.record(SYSTEM, "distillation.done", str(run.pk), scope=run.scope, outcome=run.outcome)


def put_off(claimed: Claim, reason: str) -> None:
    """Note why a run could not go on, and when it is tried next. Its lines stay pending. Raises LeaseLost."""
    with memory_transaction() as act:
        run = hold(claimed)
        run.state, run.reason, run.next_try_at = State.FAILED, reason[:2_000], now() + wait_after(run.attempts)
        run.lease, run.lease_until, run.finished_at = None, None, now()
        run.save()
        act.record(SYSTEM, "distillation.fail", str(run.pk), scope=run.scope, attempt=run.attempts)


def retry(act: Act, actor: Actor, run_id: UUID, scopes: Sequence[int]) -> Distillation:
    """Let a failed run be tried now. Raises NotFound, and Unprocessable for one that did not fail or is superseded."""
    run = Distillation.objects.select_for_update().filter(pk=run_id, scope__in=scopes).first()
    if run is None:
        raise NotFound("There is no such run.")
    if run.state != State.FAILED:
        raise Unprocessable("Only a run that failed can be tried again.")
    if not _reopen(run):
        raise Unprocessable("Another run over the same lines waits already.")
    act.record(actor, "distillation.retry", str(run.pk), scope=run.scope)
    connections[act.using].on_commit(partial(due_by, current().space_id, now()))
    return run


def reopen_due(act: Act, at: datetime) -> list[Distillation]:
    """Let failed runs whose next try has come wait for a worker again."""
    due = Distillation.objects.select_for_update(skip_locked=True).filter(state=State.FAILED, next_try_at__lte=at)
    runs = list(due.order_by("next_try_at"))
    for run in runs:
        _reopen(run)
        act.record(SYSTEM, "distillation.retry", str(run.pk), scope=run.scope)
    return runs


def waiting_runs(at: datetime) -> list[UUID]:
    """Runs that a worker may take, the oldest first: those that wait, and those whose worker has gone."""
    open_now = Q(state=State.PENDING) & (Q(next_try_at=None) | Q(next_try_at__lte=at))
    orphaned = Q(state=State.RUNNING) & Q(lease_until__lte=at)
    return list(Distillation.objects.filter(open_now | orphaned).order_by("asked_at").values_list("pk", flat=True))


def _reopen(run: Distillation) -> bool:
    """Back to waiting. Where a run over the same lines waits already, this one is left to it, and False comes back."""
    waits = Distillation.objects.filter(scope=run.scope, session=run.session, state=State.PENDING).exists()
    run.next_try_at = None
    if not waits:
        run.state, run.finished_at, run.plan = State.PENDING, None, None
    run.save()
    return not waits


def _snapshot(run: Distillation) -> list[tuple[UUID, int, int]]:
    """The lines that are there now and not distilled, oldest session first."""
    sessions = Session.objects.filter(scope=run.scope, line_count__gt=F("distilled_until"))
    if run.session is not None:
        sessions = sessions.filter(pk=run.session)
    return [
        (session.pk, session.distilled_until, session.line_count - 1)
        for session in sessions.order_by("started_at", "opened_at", "pk")
    ]
