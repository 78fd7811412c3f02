"""Is it alive, and can it work? Asked by machines, so the answers are short."""

import shutil
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from common.errors import SpaceUnavailable
from common.times import now
from spaces.databases.entering import entered
from spaces.listing import ready_spaces
from spaces.models import Heartbeat

WORKER = "worker"
LATE = timedelta(minutes=3)
LEAST_DISK = 256 * 1024 * 1024


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the control database, the worker and the disk are well; lists Spaces out of reach without failing."""
    checks = {"database": _database(), "worker": _worker(), "disk": _disk()}
    well = all(reason is None for reason in checks.values())
    lost = _lost_spaces() if checks["database"] is None else []
    body = {
        "status": "ready" if well else "not ready",
        "checks": {name: reason or "ok" for name, reason in checks.items()},
        "lost_spaces": lost,
    }
    return JsonResponse(body, status=200 if well else 503)


def _database() -> str | None:
    try:
        with connections["default"].cursor() as cursor:
            cursor.execute("select 1")
    except (DatabaseError, InterfaceError):
        return "out of reach"
    return None


def _worker() -> str | None:
    try:
        beat = Heartbeat.objects.filter(name=WORKER).first()
    except (DatabaseError, InterfaceError):
        return "unknown"
    if beat is None:
        return "not seen yet"
    return f"last seen {beat.at:%Y-%m-%dT%H:%M:%SZ}" if now() - beat.at > LATE else None


def _disk() -> str | None:
    free = shutil.disk_usage(settings.KNDL.data_dir).free
    return None if free >= LEAST_DISK else f"{free // 2**20} MiB free"


def _lost_spaces() -> list[str]:
    lost = []
    for space in ready_spaces():
        try:
            with entered(space):
                pass
        except SpaceUnavailable:
            lost.append(space.slug)
    return lost
