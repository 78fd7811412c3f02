"""Celery's way to a run: it carries ids, and does nothing that the run's row does not ask for."""

from datetime import timedelta
from uuid import UUID

from celery import shared_task

from common.times import now
from memory.layers.distilling import distil
from memory.layers.near import has_large_scopes, keep_near_indexes
from memory.layers.reembedding import move, running_job
from memory.layers.triggers import start_due
from spaces import working
from spaces.databases.entering import current
from spaces.hinting import due_by

# A worker that does something long may go; somebody looks after it.
_SOON = timedelta(seconds=30)


@shared_task(name="kndl.distil")
def run_distillation(space_id: str, run_id: str) -> None:
    """Do a run; lost, late or doubled calls change nothing."""
    working.work_inside(space_id, lambda _: distil(UUID(run_id)))


@shared_task(name="kndl.near")
def run_near(space_id: str) -> None:
    """Keep the near indexes of a Space's large scopes."""
    working.work_inside(space_id, lambda _: keep_near_indexes())


@shared_task(name="kndl.reembed")
def run_reembedding(space_id: str, job_id: str) -> None:
    """Do a move to another embedder; lost, late or doubled calls change nothing."""
    working.work_inside(space_id, lambda _: move(UUID(job_id)))


def send(space_id: UUID, run_id: UUID) -> None:
    """Wake a worker up for a run. Where the broker is out of reach the tick does it later."""
    working.send(run_distillation, space_id, run_id)


def send_reembedding(space_id: UUID, job_id: UUID) -> None:
    """The same for a move to another embedder."""
    working.send(run_reembedding, space_id, job_id)


def tick() -> None:
    """What the layers do at a tick, beside the decay pass: whatever is due is handed to a worker."""
    start_due(send)
    job = running_job()
    if job is not None:
        send_reembedding(current().space_id, job.pk)
        due_by(current().space_id, now() + _SOON)
    if has_large_scopes():
        working.send(run_near, current().space_id)
