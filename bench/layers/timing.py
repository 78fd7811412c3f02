"""Rates: how many things a second."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from bench.timing import load

Result = TypeVar("Result")


@dataclass(frozen=True)
class Rate:
    """`count` things in `seconds`, of which this process worked for `cpu`; and the machine's load at the end."""

    count: float
    seconds: float
    cpu: float
    load: float

    @property
    def a_second(self) -> float:
        return self.count / self.seconds

    def document(self) -> dict[str, float]:
        """As it is kept."""
        return {**vars(self), "a_second": self.a_second}


@dataclass
class RateClock:
    """Adds up the time of what is run on it."""

    count: float
    seconds: float = 0.0
    cpu: float = 0.0

    def run(self, act: Callable[[], Result]) -> Result:
        """Do it, and count its time."""
        started, worked = time.perf_counter(), time.process_time()
        result = act()
        self.seconds += time.perf_counter() - started
        self.cpu += time.process_time() - worked
        return result

    def rate(self) -> Rate:
        """What it came to."""
        return Rate(self.count, self.seconds, self.cpu, load())


def timed_rate(count: float) -> RateClock:
    """A clock for `count` things."""
    return RateClock(count)
