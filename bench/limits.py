"""What may not be missed, on two cores: `docs/benchmarks.md` says where each comes from."""

from collections.abc import Iterable
from dataclasses import dataclass

# Milliseconds at the 95th percentile: (in the database, through REST).
MOST: dict[str, tuple[float | None, float | None]] = {
    "query a subject": (10, 40),
    "query a subject as of the past": (10, 40),
    "contradictions of a subject": (10, 40),
    "page of 50 contradictions": (300, 300),
    "page of 50 contradictions as of the past": (300, 300),
    "provenance of 50 facts": (20, None),
}
LEAST_FACTS_A_SECOND = 5_000

# "Does not grow with the store": the least time may double between the smallest and the largest store, for deeper
# trees, or be longer by this many milliseconds. The least tells more work apart from a machine that is busy otherwise.
MOST_GROWTH = 2.0
NOISE = 2.0


@dataclass(frozen=True)
class Verdict:
    """One limit and what was measured."""

    what: str
    measured: float
    limit: float
    unit: str
    kept: bool


def of_times(name: str, database: float, rest: float) -> Iterable[Verdict]:
    """The verdicts on the 95th percentiles of a read."""
    for where, measured, limit in zip(
        ("database", "REST"), (database, rest), MOST.get(name, (None, None)), strict=True
    ):
        if limit is not None:
            yield Verdict(f"{name}, {where}, p95", measured, limit, "ms", measured <= limit)


def of_import(where: str, rate: float) -> Verdict:
    """The verdict on an import's speed."""
    return Verdict(f"import, {where}", rate, LEAST_FACTS_A_SECOND, "facts/s", rate >= LEAST_FACTS_A_SECOND)


def of_growth(name: str, smallest: float, largest: float) -> Verdict:
    """The verdict on how the least time of a read in the database changed from the smallest store to the largest."""
    limit = max(smallest * MOST_GROWTH, smallest + NOISE)
    return Verdict(f"{name}, growth", largest, round(limit, 2), "ms", largest <= limit)
