"""How the instance is, as far as somebody who reads a Space needs to know."""

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from common.times import now
from spaces.models import Heartbeat

LATE = timedelta(minutes=3)
LEAST_DISK = 1024**3


@dataclass(frozen=True)
class Health:
    """`worker_at`: when the worker was last seen, or None; `disk_free` in bytes."""

    worker_at: datetime | None
    disk_free: int

    @property
    def worker_is_late(self) -> bool:
        return self.worker_at is None or now() - self.worker_at > LATE

    @property
    def disk_is_low(self) -> bool:
        return self.disk_free < LEAST_DISK


def health_of_instance() -> Health:
    """What the worker and the disk are like now; one query."""
    beat = Heartbeat.objects.filter(name="worker").first()
    return Health(beat.at if beat else None, shutil.disk_usage(settings.KNDL.data_dir).free)
