"""Waking a worker for a transcript, and Celery's way to the work. Messages carry ids; lost ones are sent again."""

import uuid

from celery import shared_task

from memory.sessions.jobs import run, unattended
from spaces import working
from spaces.databases.entering import current


@shared_task(name="kndl.import_transcript")
def run_import(space_id: str, import_id: str) -> None:
    """Import a transcript that was kept; a message that comes twice or too late changes nothing."""
    working.work_inside(space_id, lambda space: run(space, uuid.UUID(import_id)))


def wake(import_id: uuid.UUID) -> None:
    """Tell a worker of a job of the Space one is in. Without a broker the tick does it later."""
    working.send(run_import, current().space_id, import_id)


def wake_unattended() -> None:
    """At the tick: tell workers of every job that nobody works at."""
    for import_id in unattended():
        wake(import_id)
