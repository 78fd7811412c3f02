"""What happens at a tick: each room's registered work, the instance's first, then that of each Space that is due."""

from datetime import timedelta

import structlog
from django.db import connections
from django.db.models import Q

from common.errors import SpaceUnavailable
from common.registries import instance_ticks, space_ticks
from common.times import now
from spaces.databases.backend.base import close_idle
from spaces.databases.entering import entered
from spaces.models import Heartbeat, Space

SWEEP = timedelta(minutes=15)
WORKER = "worker"
SWEPT = "sweep"
log = structlog.get_logger()


def tick() -> None:
    """Do what is due. A part that fails is logged, and the others go on."""
    beat(WORKER)
    for name, work in instance_ticks:
        try:
            work()
        except Exception:
            log.exception("tick_failed", part=name)
    for space in _due_spaces():
        _visit(space)
    beat(WORKER)
    connections.close_all()
    close_idle()


def beat(name: str) -> None:
    """Note that a background part was seen working."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": now()})


def _due_spaces() -> list[Space]:
    """The Spaces whose hint says so; every quarter of an hour all of them, for what the hints missed."""
    at = now()
    ready = Space.objects.filter(state=Space.State.READY)
    last = Heartbeat.objects.filter(name=SWEPT).values_list("at", flat=True).first()
    if last is None or at - last >= SWEEP:
        beat(SWEPT)
        return list(ready.order_by("slug"))
    return list(ready.filter(Q(next_due_at__lte=at)).order_by("next_due_at"))


def _visit(space: Space) -> None:
    Space.objects.filter(pk=space.pk, next_due_at=space.next_due_at).update(next_due_at=None)
    try:
        with entered(space):
            for name, work in space_ticks:
                try:
                    work()
                except SpaceUnavailable:
                    raise
                except Exception:
                    log.exception("tick_failed", part=name, space=space.slug)
    except SpaceUnavailable as error:
        log.warning("tick_skipped_space", space=space.slug, reason=error.detail)
