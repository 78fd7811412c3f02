"""The tick: one beat entry that wakes everything up."""

import structlog
from celery import shared_task

from spaces.ticking import tick


@shared_task(name="kndl.tick")
def run_tick() -> None:
    """Celery's way to `tick`; lost, late or doubled calls change nothing."""
    structlog.contextvars.clear_contextvars()
    tick()
