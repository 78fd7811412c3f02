"""Doing several things at the same moment."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connections

from common.errors import KndlError


def together(*works: Callable[[], Any]) -> list[Any]:
    """Run each in a thread of its own, all from one moment on; returns what they returned, or the refusals they met."""
    barrier, outcomes = threading.Barrier(len(works)), []

    def run(work: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            outcomes.append(work())
        except KndlError as error:
            outcomes.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes
