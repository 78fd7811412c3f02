"""Limits of memory's speed on two cores, and the verdicts on them: `docs/benchmarks.md` says where each comes from."""

from bench.limits import Verdict

MOST_RECALL_MS = 50
MOST_WORD_SEARCH_MS = 15
# How many times as long as a bare search of the nearest ten, the same scope filter on the same table.
MOST_TIMES_BARE = 3
LEAST_INGESTED = 5_000
LEAST_DISTILLED = 1_000
MOST_DECAY_SECONDS = 3
MOST_WORKER_MB = 400


def at_most(what: str, measured: float, limit: float, unit: str) -> Verdict:
    """The verdict on what must not be more."""
    return Verdict(what, measured, limit, unit, measured <= limit)


def at_least(what: str, measured: float, limit: float, unit: str) -> Verdict:
    """The verdict on what must not be less."""
    return Verdict(what, measured, limit, unit, measured >= limit)
