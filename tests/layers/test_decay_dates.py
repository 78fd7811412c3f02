"""When a decay pass is due: by the local date, once, forwards only."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.passes import asks_first, date_due, next_date_begins

ZONES = [
    ZoneInfo(name)
    for name in (
        *("UTC", "Europe/Lisbon", "America/St_Johns", "America/Sao_Paulo", "America/Havana", "Pacific/Apia"),
        *("Asia/Beirut", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati", "Etc/GMT+12"),
    )
]
INSTANTS = st.integers(0, 48 * 365 * 86_400).map(
    lambda seconds: datetime(1990, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)


def ticked(at: datetime, ticks: list[tuple[timedelta, ZoneInfo]]) -> list[tuple[date, date]]:
    """(date passed, local date at that tick) of a Space whose worker ticks after these pauses, in these zones."""
    last, passed = None, []
    for pause, zone in ticks:
        at += pause
        day = date_due(at, zone, last)
        if day is not None:
            passed.append((day, at.astimezone(zone).date()))
            last = day
    return passed


PAUSES = st.timedeltas(timedelta(0), timedelta(days=3))


@given(INSTANTS, st.lists(st.tuples(PAUSES, st.sampled_from(ZONES)), max_size=40))
def test_whatever_the_zone_becomes_dates_are_passed_once_and_in_order(at, ticks):
    passed = [day for day, _ in ticked(at, ticks)]
    assert passed == sorted(set(passed))


@given(INSTANTS, st.lists(PAUSES, max_size=40), st.sampled_from(ZONES))
def test_a_pass_is_of_the_date_on_which_it_runs_and_no_date_with_a_tick_is_left_out(at, pauses, zone):
    passed = ticked(at, [(pause, zone) for pause in pauses])
    assert all(day == today for day, today in passed)
    seen, instant = [], at
    for pause in pauses:
        instant += pause
        seen.append(instant.astimezone(zone).date())
    reached = [day for place, day in enumerate(seen) if all(day > before for before in seen[:place])]
    assert [day for day, _ in passed] == reached


@given(INSTANTS, st.sampled_from(ZONES))
def test_the_next_date_begins_where_the_local_date_changes(at, zone):
    last = at.astimezone(zone).date()
    begins = next_date_begins(at, zone, last)
    assert begins > at
    assert date_due(begins, zone, last) is not None
    # Where the clock is set back over midnight the date is there for a minute, and goes away again.
    assert date_due(begins - timedelta(microseconds=1), zone, last) is None or zone.key == "America/St_Johns"


def test_a_date_that_the_zone_skips_has_no_pass():
    apia = ZoneInfo("Pacific/Apia")
    before = datetime(2011, 12, 30, 9, 59, tzinfo=UTC)
    assert before.astimezone(apia).date() == date(2011, 12, 29)
    begins = next_date_begins(before, apia, date(2011, 12, 29))
    assert begins == datetime(2011, 12, 30, 10, 0, tzinfo=UTC)
    assert date_due(begins, apia, date(2011, 12, 29)) == date(2011, 12, 31)


def test_a_midnight_that_the_clock_jumps_over_begins_with_the_jump():
    beirut = ZoneInfo("Asia/Beirut")
    day = date(2024, 3, 30)
    begins = next_date_begins(datetime(2024, 3, 30, 12, tzinfo=UTC), beirut, day)
    assert begins == datetime(2024, 3, 30, 22, tzinfo=UTC)
    assert begins.astimezone(beirut).isoformat() == "2024-03-31T01:00:00+03:00"


def test_a_clock_set_back_over_midnight_does_not_repeat_the_pass():
    st_johns = ZoneInfo("America/St_Johns")
    # At 00:01 on 7 November 2010 it became 23:01 on the 6th.
    first = datetime(2010, 11, 7, 2, 30, 30, tzinfo=UTC)
    assert first.astimezone(st_johns).date() == date(2010, 11, 7)
    day = date_due(first, st_johns, date(2010, 11, 6))
    assert day == date(2010, 11, 7)
    again = first + timedelta(minutes=10)
    assert again.astimezone(st_johns).date() == date(2010, 11, 6)
    assert date_due(again, st_johns, day) is None
    assert date_due(again + timedelta(hours=1), st_johns, day) is None


def test_a_change_of_zone_to_the_west_waits_for_the_next_new_date():
    at = datetime(2026, 5, 2, 3, tzinfo=UTC)
    assert date_due(at, ZoneInfo("America/Havana"), date(2026, 5, 2)) is None
    begins = next_date_begins(at, ZoneInfo("America/Havana"), date(2026, 5, 2))
    assert begins == datetime(2026, 5, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("going", "live", "asks"),
    [(99, 99, False), (100, 100, True), (100, 199, True), (100, 200, False), (101, 201, True), (0, 0, False)],
)
def test_a_pass_asks_when_it_would_take_more_than_half_and_a_hundred_or_more(going, live, asks):
    assert asks_first(going, live) is asks
