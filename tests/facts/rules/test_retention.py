from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.times import format_instant, parse_instant
from memory.facts.rules.retention import due

INSTANTS = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 (drawn in UTC)


@pytest.mark.parametrize(
    ("recorded_at", "retention", "at"),
    [
        ("2026-03-17T12:00:00Z", "P7Y", "2033-03-17T12:00:00Z"),
        ("2026-01-31T00:00:00Z", "P1M", "2026-02-28T00:00:00Z"),
        ("2024-01-31T00:00:00Z", "P1M", "2024-02-29T00:00:00Z"),
        ("2024-02-29T00:00:00Z", "P1Y", "2025-02-28T00:00:00Z"),
        ("2026-12-31T23:00:00Z", "P2M", "2027-02-28T23:00:00Z"),
        ("2026-01-31T00:00:00Z", "P1M1D", "2026-03-01T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "P2W", "2026-01-15T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "P1DT12H", "2026-01-02T12:00:00Z"),
        ("2026-01-01T00:00:00Z", "PT90M", "2026-01-01T01:30:00Z"),
        ("2026-01-01T00:00:00Z", "PT0.5S", "2026-01-01T00:00:00.500000Z"),
        ("2026-01-01T00:00:00Z", "PT0,5S", "2026-01-01T00:00:00.500000Z"),
        ("2026-01-01T00:00:00Z", "2026-06-01", "2026-06-01T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "2026-06-01T02:00:00+02:00", "2026-06-01T00:00:00Z"),
        ("2026-01-01T00:00:00Z", "2020-01-01", "2020-01-01T00:00:00Z"),
    ],
)
def test_a_fact_is_due_by_the_calendar_or_at_its_date(recorded_at: str, retention: str, at: str):
    assert format_instant(due(parse_instant(recorded_at), retention)) == at


@pytest.mark.parametrize(
    "retention",
    [
        *["", "seven years", "P", "PT", "P1", "P1DT", "P1H", "PT1D", "P1D1Y", "p7y", "7Y", "P7Y ", "P 7Y", "P7Y\n"],
        *["-P1D", "P-1D", "+P1D", "P1.5Y", "PT1.5H", "P0D", "P0Y0M", "PT0S", "P٧Y"],
        *["P8000Y", "P999999999Y", "P999999999D", "P9999999999D", "PT999999999H" + "9" * 400, "P95688M"],
        *["2026-02-30", "2026-06-01T00:00:00", "now", "2026-06"],
    ],
)
def test_what_sets_no_later_instant_is_refused(retention: str):
    with pytest.raises(ValueError, match=r"^must "):
        due(datetime(2026, 1, 1, tzinfo=UTC), retention)


@given(INSTANTS, st.integers(0, 100), st.integers(0, 100), st.integers(0, 1000), st.integers(1, 10**6))
def test_a_duration_always_leads_forward(recorded_at: datetime, years: int, months: int, days: int, seconds: int):
    at = due(recorded_at, f"P{years}Y{months}M{days}DT{seconds}S")

    assert at > recorded_at
    assert at - due(recorded_at, f"P{years}Y{months}MT1S") == timedelta(days=days, seconds=seconds - 1)


@given(INSTANTS, st.integers(1, 1000))
def test_months_keep_the_day_or_take_the_last_one(recorded_at: datetime, months: int):
    at = due(recorded_at, f"P{months}M")

    assert (at.year - recorded_at.year) * 12 + at.month - recorded_at.month == months
    assert at.day == recorded_at.day or (at.day < recorded_at.day and (at + timedelta(days=1)).day == 1)
