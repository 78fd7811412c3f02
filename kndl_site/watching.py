"""The embedded server, looked after while `up` runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from kndl_site.embedded import EmbeddedServer, EmbeddedServerError, is_running

EVERY = 1.0  # seconds

log = structlog.get_logger()


@contextmanager
def kept_running(data_dir: Path) -> Iterator[None]:
    """Start the server of `data_dir` again whenever it has ended, until the block does."""
    ending = threading.Event()
    thread = threading.Thread(target=_watch, args=(data_dir, ending), name="kndl-database-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def _watch(data_dir: Path, ending: threading.Event) -> None:
    while not ending.wait(EVERY):
        if is_running(data_dir):
            continue
        log.warning("database_ended", next="it is started again")
        try:
            with EmbeddedServer(data_dir):  # others use it, so the end of this use does not stop it
                log.warning("database_started_again")
        except EmbeddedServerError as error:
            log.error("database_not_started", reason=str(error))
