"""Waking a worker for contents whose words are not known. Messages carry nothing; lost ones are sent at the tick."""

import structlog
from celery import shared_task
from django.db import connections

from library.words.reading import read_waiting, waiting
from spaces import working
from spaces.databases.backend.base import close_idle


@shared_task(name="kndl.library_words")
def run_reading() -> None:
    """Read what waits; a message that comes twice or too late changes nothing."""
    structlog.contextvars.clear_contextvars()
    try:
        read_waiting()
    finally:
        connections.close_all()
        close_idle()


def wake() -> None:
    """Tell a worker that contents wait; after a write, and at the tick."""
    if waiting().exists():
        working.send(run_reading)
