"""Celery's way to a run: it carries ids, and does nothing that the run's row does not ask for."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog
from celery import Task, shared_task
from django.db import connections

from common.errors import SpaceUnavailable
from common.times import now
from memory.layers.distilling import distil
from memory.layers.near import has_large_scopes, keep_near_indexes
from memory.layers.reembedding import move, running_job
from memory.layers.triggers import start_due
from spaces.databases.backend.base import close_idle
from spaces.databases.entering import current, entered
from spaces.hinting import due_by
from spaces.models import Space

# A worker that does something long may go; somebody looks after it.
_SOON = timedelta(seconds=30)
log = structlog.get_logger()


@shared_task(name="kndl.distil")
def run_distillation(space_id: str, run_id: str) -> None:
    """Do a run; lost, late or doubled calls change nothing."""
    _inside(space_id, lambda: distil(UUID(run_id)))


@shared_task(name="kndl.near")
def run_near(space_id: str) -> None:
    """Keep the near indexes of a Space's large scopes."""
    _inside(space_id, keep_near_indexes)


@shared_task(name="kndl.reembed")
def run_reembedding(space_id: str, job_id: str) -> None:
    """Do a move to another embedder; lost, late or doubled calls change nothing."""
    _inside(space_id, lambda: move(UUID(job_id)))


def _inside(space_id: str, work: Callable[[], object]) -> None:
    structlog.contextvars.clear_contextvars()
    space = Space.objects.filter(pk=space_id, state=Space.State.READY).first()
    if space is None:
        return
    try:
        with entered(space):
            work()
    except SpaceUnavailable as error:
        log.warning("task_waits", space=space.slug, reason=error.detail)
    finally:
        connections.close_all()
        close_idle()


def send(space_id: UUID, run_id: UUID) -> None:
    """Wake a worker up for a run. Where the broker is out of reach the tick does it later."""
    _wake(run_distillation, space_id, run_id)


def send_reembedding(space_id: UUID, job_id: UUID) -> None:
    """The same for a move to another embedder."""
    _wake(run_reembedding, space_id, job_id)


def _wake(task: Task[..., Any], *ids: UUID) -> None:
    try:
        task.apply_async(tuple(str(number) for number in ids), retry=False)
    except Exception as error:  # noqa: BLE001 - whatever the broker's client raises, the row is there
        log.warning("task_not_sent", task=task.name, reason=type(error).__name__)


def tick() -> None:
    """What the layers do at a tick, beside the decay pass: whatever is due is handed to a worker."""
    start_due(send)
    job = running_job()
    if job is not None:
        send_reembedding(current().space_id, job.pk)
        due_by(current().space_id, now() + _SOON)
    if has_large_scopes():
        _wake(run_near, current().space_id)
