"""How many facts there are along the sliders of time."""

from datetime import UTC, datetime
from typing import Any

from memory.facts.histogram import BUCKETS, HEIGHT, TALLEST, Bars, Span, bars, histogram, true_in_buckets
from tests.facts.reading_directly import reading
from tests.rest.client import Rest, seat, stored

# Sixty days from the new year: a bucket is a day.
SPAN = Span(datetime(2026, 1, 1, tzinfo=UTC), BUCKETS - 1)


def counted(space: Any, purpose: str | None = None) -> Bars:
    with reading(space, purpose) as binding:
        return histogram(binding, SPAN, SPAN)


def places(drawn: tuple[Any, ...]) -> list[int]:
    """The buckets that have a bar."""
    return [bar.x // 10 for bar in drawn]


def test_a_bar_stands_where_something_was_recorded(north: Any, rest: Rest):
    days = (
        "2026-01-01T00:00:00Z",
        "2026-01-03T23:59:59Z",
        "2026-01-04T00:00:00Z",
        "2025-12-31T23:59:59Z",
        "2026-03-02",
    )
    rest.imported(*(stored(f"f{n}", recordedAt=day) for n, day in enumerate(days)))

    found = counted(north)

    assert places(found.known) == [0, 2, 3]
    assert found.counted == 5
    assert not found.is_sample


def test_a_fact_counts_in_each_bucket_in_which_it_was_true(north: Any, rest: Rest):
    rest.imported(
        stored("short", validFrom="2026-01-03T00:00:00Z", validUntil="2026-01-05T12:00:00Z"),
        stored("open", validFrom="2026-02-20T00:00:00Z"),
        stored("over", validFrom="2025-01-01T00:00:00Z", validUntil="2025-06-01T00:00:00Z"),
    )

    assert places(counted(north).valid) == [2, 3, 4, *range(50, 60)]


def test_phi_that_is_withheld_is_not_counted(north: Any):
    rest = seat(north)
    given = {"id": "consent:c", "subject": "patient:1", "purposes": ["care"], "granted_by": "human://patient"}
    assert rest.post("consents", given).status_code == 201
    rest.imported(stored("phi", classification="PHI", consent="consent:c", subject="patient:1"))

    assert (counted(north).known, counted(north).valid, counted(north).counted) == ((), (), 0)
    assert counted(north, "care").counted == 1


def test_what_began_before_is_true_until_it_ends():
    assert true_in_buckets([2, 1, 0, 0, 5], [1, 0, 1, 0, 0]) == [2, 2, 1]


def test_the_highest_bar_is_the_tallest_and_one_of_many_can_still_be_seen():
    drawn = bars([1_000, 0, 1])

    assert [bar.height for bar in drawn] == [TALLEST, 1]
    assert all(bar.y + bar.height == HEIGHT for bar in drawn)
    assert bars([0, 0]) == ()
