"""Which part of recall a statement belongs to, and how long the statements of each part take."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connections

from bench.recall.kinds import FREQUENCIES, GATHERING, OTHERS, PARTS, RECENT, SOURCES, SPREADING, USE, WORD_SEARCH

# By what only its statement holds, the first that fits.
_MARKS = (
    (SPREADING, "hop1"),
    (WORD_SEARCH, "i.search @@"),
    (FREQUENCIES, "term_df"),
    (RECENT, "session_line"),
    (GATHERING, "wanted"),
    (SOURCES, "node_source"),
    (SOURCES, "node_fact"),
    (USE, "recall_use"),
    (USE, "reinforcement"),
)


def part_of(sql: str) -> str:
    """The part of recall that a statement belongs to."""
    return next((name for name, mark in _MARKS if mark in sql), OTHERS)


@dataclass
class PartsClock:
    """Adds up the milliseconds of statements by part, each from being sent to its last row having arrived."""

    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.spent[part_of(sql)] += (time.perf_counter() - started) * 1_000


@contextmanager
def parts_clock(alias: str) -> Iterator[PartsClock]:
    """A clock on all statements that the block sends to the database `alias`."""
    clock = PartsClock()
    with connections[alias].execute_wrapper(clock):
        yield clock
