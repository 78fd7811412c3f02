"""Acts that span two databases, or a database and the disk.

An operation is a row in the control database and a list of named steps, each of which may be repeated. It is begun in
one transaction with its audit row; whoever began it runs it at once, and the tick finishes what was cut short.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.db import transaction

from audit.recording import Act, Actor
from common.times import now
from spaces.models import Operation

Step = tuple[str, Callable[[Operation], None]]
LONGEST_PAUSE = timedelta(hours=1)
LEASE = timedelta(minutes=5)

log = structlog.get_logger()


@dataclass(frozen=True)
class Kind:
    """A kind of operation and its steps, in order; a step is run again until it returns."""

    name: str
    steps: Sequence[Step]


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Make a kind known, so that the tick can finish operations of it."""
    _kinds[kind.name] = kind
    return kind


def begin(act: Act, kind: Kind, subject: str, actor: Actor, given: dict[str, object]) -> Operation:
    """Write the operation's row in the transaction `act` of the control database. `given` holds ids and names only."""
    return Operation.objects.using(act.using).create(
        kind=kind.name,
        subject=subject,
        given=given,
        actor_kind=actor.kind,
        actor_id=actor.id,
        next_try_at=now() + LEASE,
    )


def run(operation: Operation) -> None:
    """Run the steps that are not done yet.

    Raises what a step raises, after noting it and the time of the next try (doubling, at most an hour).
    """
    kind = _kinds[operation.kind]
    try:
        for name, step in kind.steps:
            if name in operation.steps_done:
                continue
            step(operation)
            operation.steps_done = [*operation.steps_done, name]
            operation.save(update_fields=["steps_done"])
    except Exception as error:
        operation.attempts += 1
        operation.last_error = f"{type(error).__name__}: {error}"
        operation.next_try_at = now() + min(LONGEST_PAUSE, timedelta(seconds=30) * 2 ** min(operation.attempts, 20))
        operation.save(update_fields=["attempts", "last_error", "next_try_at"])
        raise
    operation.done_at = now()
    operation.next_try_at = None
    operation.last_error = ""
    operation.save(update_fields=["done_at", "next_try_at", "last_error"])


def finish_due() -> int:
    """Take up operations whose next try is due; returns how many were finished.

    Each is claimed by moving its next try ahead, so two ticks at once do not run one twice.
    """
    finished = 0
    while operation := _claim_due():
        try:
            run(operation)
            finished += 1
        except Exception:
            log.exception("operation_failed", operation=str(operation.pk), kind=operation.kind)
    return finished


def _claim_due() -> Operation | None:
    with transaction.atomic(using="default"):
        due = Operation.objects.filter(done_at=None, next_try_at__lte=now(), kind__in=_kinds)
        operation = due.select_for_update(skip_locked=True).order_by("next_try_at").first()
        if operation:
            operation.next_try_at = now() + LEASE
            operation.save(update_fields=["next_try_at"])
        return operation
