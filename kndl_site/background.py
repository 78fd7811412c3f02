"""What runs beside the pages in the process of `up`: a worker on threads, its beat, and what rooms ask for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from celery.beat import Scheduler, Service
from celery.worker import WorkController

from common.registries import companions
from kndl_site.celery import app

THREADS = 2
LONGEST_SLEEP = 1  # second; the beat looks this often whether it is to end
END_SECONDS = 10


@contextmanager
def background() -> Iterator[None]:
    """A worker and a beat, each in a thread of its own, until the block ends."""
    app.loader.init_worker()
    worker = WorkController(
        app=app,
        pool_cls="threads",
        concurrency=THREADS,
        hostname="up@localhost",
        without_mingle=True,
        without_gossip=True,
        without_heartbeat=True,
    )
    beat = Service(app, max_interval=LONGEST_SLEEP, scheduler_cls=Scheduler)
    threads = [
        threading.Thread(target=worker.start, name="kndl-worker", daemon=True),
        threading.Thread(target=beat.start, name="kndl-beat", daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        beat.stop(wait=False)
        worker.stop()
        for thread in threads:
            thread.join(timeout=END_SECONDS)


@contextmanager
def accompanied() -> Iterator[None]:
    """What rooms asked for, each in a thread of its own, until the block ends."""
    ending = threading.Event()
    threads = [
        threading.Thread(target=work, args=(ending,), name=f"kndl-{name}", daemon=True) for name, work in companions
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ending.set()
        for thread in threads:
            thread.join(timeout=END_SECONDS)
