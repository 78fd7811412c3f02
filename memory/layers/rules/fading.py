"""The day a memory falls below its threshold, and its strength over time as points to draw."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from memory.layers.rules.strength import DAY, Strength, effective

# 6,300 years: beyond it a date is of no use, and soon not a date.
_LONGEST = 2e11
_SAMPLES = 24

Point = tuple[datetime, float]


def fades_sql(table: str, threshold: str) -> str:
    """`fades_at` as SQL over a row of `node_strength`: null for never; `threshold` is the SQL of a number."""
    seconds = f"{table}.tau * {DAY} * ln({table}.score / {threshold})"
    return (
        f"(case when {table}.pinned or {table}.tau = 'Infinity' or {threshold} is null or {threshold} <= 0 then null"
        f" when {table}.score <= {threshold} then {table}.scored_at"
        f" when {seconds} > {_LONGEST} then null"
        f" else {table}.scored_at + make_interval(secs => {seconds}) end)"
    )


def curve(steps: Sequence[Strength], until: datetime) -> list[Point]:
    """Points of strength over time: `steps` is what the strength was set to, oldest first, `until` where it ends.

    Each step is a pair of points, before and after it; between two steps it falls, and is sampled evenly.
    """
    if not steps:
        return []
    points: list[Point] = []
    for step, later in pairwise(steps):
        points += _stretch(step, later.scored_at)
    return points + _stretch(steps[-1], max(until, steps[-1].scored_at))


def _stretch(step: Strength, end: datetime) -> list[Point]:
    length = max(end - step.scored_at, timedelta(0))
    if not length:
        return [(step.scored_at, effective(step, step.scored_at))]
    instants = [step.scored_at + length * (number / _SAMPLES) for number in range(_SAMPLES)]
    return [(at, effective(step, at)) for at in [*instants, end]]
