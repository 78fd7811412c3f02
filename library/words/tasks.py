"""Waking a worker for contents whose words are not known. Messages carry nothing; lost ones are sent at the tick."""

import structlog
from celery import shared_task
from django.db import connections

from library.words.reading import read_waiting, waiting
from spaces import working
from spaces.databases.backend.base import close_idle

MOST_READ = 50
MOST_SECONDS = 20


@shared_task(name="kndl.library_words")
def run_reading() -> None:
    """Read some of what waits, and leave the rest to the next message; one that comes twice or too late is harmless.

    A worker that is to stop ends its message first, so none is long.
    """
    structlog.contextvars.clear_contextvars()
    try:
        read_waiting(most=MOST_READ, seconds=MOST_SECONDS)
        wake()
    finally:
        connections.close_all()
        close_idle()


def wake() -> None:
    """Tell a worker that contents wait; after a write, and at the tick."""
    if waiting().exists():
        working.send(run_reading)
