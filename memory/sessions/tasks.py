"""Waking a worker for a transcript, and Celery's way to the work. Messages carry ids; lost ones are sent again."""

import uuid

import structlog
from celery import shared_task
from kombu.exceptions import OperationalError

from memory.sessions.jobs import run, unattended
from spaces.databases.entering import current, entered
from spaces.models import Space

log = structlog.get_logger()


@shared_task(name="kndl.import_transcript")
def run_import(space_id: str, import_id: str) -> None:
    """Import a transcript that was kept; a message that comes twice or too late changes nothing."""
    structlog.contextvars.clear_contextvars()
    space = Space.objects.filter(pk=space_id, state=Space.State.READY).first()
    if space is not None:
        with entered(space):
            run(space, uuid.UUID(import_id))


def wake(import_id: uuid.UUID) -> None:
    """Tell a worker of a job of the Space one is in. Without a broker the tick does it later."""
    try:
        run_import.delay(str(current().space_id), str(import_id))
    except OperationalError:
        log.warning("transcript_waits_for_the_tick", job=str(import_id))


def wake_unattended() -> None:
    """At the tick: tell workers of every job that nobody works at."""
    for import_id in unattended():
        wake(import_id)
