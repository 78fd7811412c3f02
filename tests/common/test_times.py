from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.times import format_instant, now, parse_instant

ZONES = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2026-04-23T10:00:00Z", "2026-04-23T10:00:00Z"),
        ("2026-04-23T10:00Z", "2026-04-23T10:00:00Z"),
        ("2026-04-23T12:00:00+02:00", "2026-04-23T10:00:00Z"),
        ("2026-04-23t10:00:00.5z", "2026-04-23T10:00:00.500000Z"),
        ("2026-04-23T10:00:00.123456789Z", "2026-04-23T10:00:00.123456Z"),
        ("2026-04-23", "2026-04-23T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ],
)
def test_an_instant_is_read_as_utc(text: str, canonical: str):
    assert format_instant(parse_instant(text)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "2026-04-23T10:00:00",  # no zone
        "2026-02-30T10:00:00Z",
        "2025-02-29",
        "2026-04-23T24:00:00Z",
        "2026-04-23T10:00:60Z",
        "0001-01-01T00:00:00+01:00",  # before the first year, in UTC
        "9999-12-31T23:59:59-01:00",
        "2026-04-23T10:00:00+2",
        "2026-04-23T10:00:00+24:00",
        "2026-04-23 10:00:00Z",
        "20260423T100000Z",
        "2026-W17-4",
        "2026-4-23",
        " 2026-04-23",
        "2026-04-23\n",
        "٢٠٢٦-٠٤-٢٣",
        "now",
        "1777000000",
        "",
    ],
)
def test_what_names_no_single_instant_is_refused(text: str):
    with pytest.raises(ValueError, match="must"):
        parse_instant(text)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=ZONES))  # noqa: DTZ001 (zones are drawn)
def test_writing_and_reading_an_instant_gives_it_back(instant: datetime):
    assert parse_instant(format_instant(instant)) == instant
    assert parse_instant(instant.isoformat()) == instant


def test_an_instant_without_a_zone_is_not_written():
    with pytest.raises(ValueError, match="zone"):
        format_instant(datetime(2026, 4, 23))  # noqa: DTZ001 (the fault under test)


def test_now_is_in_utc():
    assert now().tzinfo is UTC
