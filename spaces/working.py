"""What every task of a Space does around its work: find the Space, be inside it, leave its connections behind."""

import uuid
from collections.abc import Callable
from typing import Any

import structlog
from celery import Task
from django.db import connections

from common.errors import SpaceUnavailable
from spaces.databases.backend.base import close_idle
from spaces.databases.entering import entered
from spaces.models import Space

log = structlog.get_logger()


def work_inside(space_id: str, work: Callable[[Space], object]) -> None:
    """Do `work` inside a Space that is ready; one that is gone or out of reach is left to the tick."""
    structlog.contextvars.clear_contextvars()
    space = Space.objects.filter(pk=space_id, state=Space.State.READY).first()
    if space is None:
        return
    try:
        with entered(space):
            work(space)
    except SpaceUnavailable as error:
        log.warning("task_waits", space=space.slug, reason=error.detail)
    finally:
        connections.close_all()
        close_idle()


def send(task: Task[..., Any], *ids: uuid.UUID) -> None:
    """Wake a worker up. Where the broker is out of reach the tick does it later: the row is there."""
    try:
        task.apply_async(tuple(str(number) for number in ids), retry=False)
    except Exception as error:  # noqa: BLE001 - whatever the broker's client raises
        log.warning("task_not_sent", task=task.name, reason=type(error).__name__)
