"""How many facts were recorded, and how many were true, along the sliders of the two axes of time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from math import ceil

from memory.facts.scoping import scope_sql
from memory.facts.statements import fetch
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

BUCKETS = 60
# So many of the newest facts are counted, that a large scope costs no more than this.
MOST_COUNTED = 20_000
# Of 20 pixels, with air above the highest.
WIDTH, HEIGHT, TALLEST = 600, 20, 18
GAP = 2


@dataclass(frozen=True)
class Bar:
    """One bucket as a rectangle of a picture of 600 by 20."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Bars:
    """Both axes: how many facts were recorded in each bucket, and how many were true in it."""

    known: tuple[Bar, ...]
    valid: tuple[Bar, ...]
    counted: int

    @property
    def is_sample(self) -> bool:
        return self.counted >= MOST_COUNTED


@dataclass(frozen=True)
class Span:
    """What a slider reaches over."""

    first: datetime
    days: int

    @property
    def bounds(self) -> list[datetime]:
        """Where the buckets begin, and where the last one ends."""
        width = timedelta(days=self.days + 1) / BUCKETS
        return [self.first + place * width for place in range(BUCKETS + 1)]


def histogram(binding: Binding, known: Span, valid: Span) -> Bars:
    """Count the newest 20,000 released facts of the bound scopes along two spans of time, in 60 buckets each."""
    sql = (
        "with newest as materialized (select f.recorded_at, f.valid_from, f.valid_until from fact f"
        f" where {scope_sql(binding)} and {released_sql()} order by f.recorded_at desc limit {MOST_COUNTED})"
        " select 'known' what, width_bucket(recorded_at, %(known)s::timestamptz[]) bucket, count(*) n from newest"
        " group by 2 union all select 'begun', width_bucket(valid_from, %(valid)s::timestamptz[]), count(*) from newest"
        " group by 2 union all select 'ended', width_bucket(valid_until, %(valid)s::timestamptz[]), count(*)"
        " from newest where valid_until is not null group by 2"
    )
    values = gate_values(binding) | {"scopes": binding.scope_ids, "known": known.bounds, "valid": valid.bounds}
    counts: dict[str, list[int]] = {what: [0] * (BUCKETS + 2) for what in ("known", "begun", "ended")}
    for row in fetch(sql, values):
        counts[row["what"]][row["bucket"]] = row["n"]
    return Bars(
        known=bars(counts["known"][1:-1]),
        valid=bars(true_in_buckets(counts["begun"], counts["ended"])),
        counted=sum(counts["known"]),
    )


def true_in_buckets(begun: list[int], ended: list[int]) -> list[int]:
    """How many were true at some time in each bucket, from how many began and ended in it.

    The first and the last number stand for what lies before and beyond the buckets.
    """
    begun_by, ended_by = list(accumulate(begun)), list(accumulate(ended))
    return [begun_by[place] - ended_by[place - 1] for place in range(1, len(begun) - 1)]


def bars(counts: list[int]) -> tuple[Bar, ...]:
    """Draw counts beside each other, the highest over almost the full height; what is not nothing can be seen."""
    highest, step = max(counts, default=0), WIDTH // len(counts)
    return tuple(
        Bar(place * step, HEIGHT - height, step - GAP, height)
        for place, count in enumerate(counts)
        if (height := ceil(TALLEST * count / highest) if highest else 0)
    )
