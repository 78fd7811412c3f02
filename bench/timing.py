"""Times and what is said of many of them. All are milliseconds."""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connections


@dataclass(frozen=True)
class Spread:
    """The least, the median and the 95th percentile of `count` times. The least hardly depends on a busy machine."""

    least: float
    p50: float
    p95: float
    count: int


def spread(times: Sequence[float]) -> Spread:
    """The spread of at least two times; percentiles lie between neighbours, as `statistics.quantiles` reckons them."""
    p95 = statistics.quantiles(times, n=20, method="inclusive")[-1]
    return Spread(min(times), statistics.median(times), p95, len(times))


def timed(act: Callable[[], Any]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1_000


def load() -> float:
    """How busy the machine was in the last minute: processes that ran or wanted to."""
    return round(os.getloadavg()[0], 1)


@dataclass
class StatementClock:
    """Adds up the time that statements take, from being sent to the last row having arrived."""

    spent: float = 0.0
    statements: int = 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.spent += (time.perf_counter() - started) * 1_000
            self.statements += 1


@contextmanager
def statement_clock(alias: str) -> Iterator[StatementClock]:
    """A clock on all statements that the block sends to the database `alias`."""
    clock = StatementClock()
    with connections[alias].execute_wrapper(clock):
        yield clock
