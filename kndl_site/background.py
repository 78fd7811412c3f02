"""Celery inside the process of `up`: a worker on threads and its beat, on the in-process broker."""

import threading
from types import TracebackType
from typing import Self

import structlog
from celery.beat import Scheduler, Service
from celery.worker import WorkController

from kndl_site.celery import app

THREADS = 2
log = structlog.get_logger()


class Background:
    """A worker and a beat, each in a thread of its own, until the block ends."""

    def __init__(self) -> None:
        app.loader.init_worker()
        self._worker = WorkController(
            app=app, pool_cls="threads", concurrency=THREADS, hostname="up@localhost", without_mingle=True,
            without_gossip=True, without_heartbeat=True,
        )
        self._beat = Service(app, scheduler_cls=Scheduler)
        self._threads = [
            threading.Thread(target=self._worker.start, name="kndl-worker", daemon=True),
            threading.Thread(target=self._beat.start, name="kndl-beat", daemon=True),
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        app.send_task("kndl.tick")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._beat.stop(wait=False)
        self._worker.stop()
        for thread in self._threads:
            thread.join(timeout=10)


