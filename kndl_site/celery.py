"""The Celery application. Tasks carry ids only; rows say what is to be done."""

import os
from typing import Any

from celery import Celery
from celery.beat import Service
from celery.signals import beat_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kndl_site.settings")


class Application(Celery):
    """Celery that refuses a worker or beat process of its own where messages never leave a process."""

    @property
    def Worker(self) -> Any:  # noqa: N802 - Celery's name; what `celery worker` makes
        self._refuse_lonely_process("worker")
        return super().Worker

    @property
    def Beat(self) -> Any:  # noqa: N802 - Celery's name; what `celery beat` makes
        self._refuse_lonely_process("beat")
        return super().Beat

    def _refuse_lonely_process(self, what: str) -> None:
        if str(self.conf.broker_url).startswith("memory:"):
            raise SystemExit(
                f"celery {what}: KNDL_BROKER_URL is memory://, which works within `manage.py up` alone."
                " Name a Redis for processes of their own: KNDL_BROKER_URL=redis://localhost:6379/0"
            )


app = Application("kndl")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@beat_init.connect
def tick_at_start(sender: Service, **_: object) -> None:
    """The first tick comes when the beat begins, not a minute later."""
    sender.app.send_task("kndl.tick")
