"""Round instants along a time axis, from seconds to millennia, and how an instant on it is written."""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import Literal

Exactness = Literal["date", "minute", "second"]

MOST_TICKS = 7

_SECONDS = (10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000, 12_000, 24_000)
_MONTH_SECONDS = 2_629_800


def ticks(start: datetime, end: datetime, zone: tzinfo) -> Iterator[tuple[datetime, str]]:
    """Yield up to about seven round instants between `start` and `end` with their labels, round in `zone`.

    Both ends must be a day inside the calendar. Clocks read "09:30", days "12 Oct", months "Jan 2027", years "2027".
    """
    widest = (end - start).total_seconds() / MOST_TICKS
    first = start.astimezone(zone)
    for seconds in _SECONDS:
        if seconds >= widest:
            return (yield from _clock(first, end, seconds))
    for days in _DAYS:
        if days * 86_400 >= widest:
            return (yield from _days(first, end, days))
    months = next((count for count in _MONTHS if count * _MONTH_SECONDS >= widest), _MONTHS[-1])
    return (yield from _months(first, end, months))


def exactness(span: timedelta) -> Exactness:
    """Return how exactly an axis of that span needs an instant written."""
    if span >= timedelta(days=30):
        return "date"
    return "minute" if span >= timedelta(days=1) else "second"


def label_of(at: datetime, form: Exactness, zone: tzinfo) -> str:
    """Write an instant in `zone`: "12 Oct 2026", "12 Oct 2026, 09:19" or "12 Oct 2026, 09:19:44"."""
    local = at.astimezone(zone)
    clock = {"date": "", "minute": ", %H:%M", "second": ", %H:%M:%S"}[form]
    return f"{local.day} {local:%b} {local.year}{local.strftime(clock)}"


def _clock(first: datetime, end: datetime, seconds: int) -> Iterator[tuple[datetime, str]]:
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    since = (first.timestamp() - midnight.timestamp()) // seconds + 1
    # Counted on the absolute line: where a clock is put back an hour is not shown twice at one place.
    at = datetime.fromtimestamp(midnight.timestamp() + since * seconds, first.tzinfo)
    while at <= end:
        if (at.hour, at.minute, at.second) == (0, 0, 0):
            yield at, f"{at.day} {at:%b}"
        else:
            yield at, f"{at:%H:%M:%S}" if seconds < 60 else f"{at:%H:%M}"
        at = datetime.fromtimestamp(at.timestamp() + seconds, first.tzinfo)


def _days(first: datetime, end: datetime, days: int) -> Iterator[tuple[datetime, str]]:
    at = first.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while at <= end:
        yield at, f"{at.day} {at:%b}"
        at += timedelta(days=days)


def _months(first: datetime, end: datetime, months: int) -> Iterator[tuple[datetime, str]]:
    index = (first.year * 12 + first.month - 1) // months * months + months
    while index // 12 <= end.year:
        at = datetime(index // 12, index % 12 + 1, 1, tzinfo=first.tzinfo)
        if at > end:
            return
        yield at, str(at.year) if months % 12 == 0 else f"{at:%b} {at.year}"
        index += months
