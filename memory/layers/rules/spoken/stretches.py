"""Stretches of whole days in a calendar: weeks begin on Monday, the winter of a year in its December."""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from memory.layers.rules.proposals import Grain
from memory.layers.rules.spoken.vocabulary import SEASONS

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """From the start of the day `first` to the start of the day `after`."""

    first: date
    after: date
    grain: Grain


@dataclass(frozen=True, slots=True)
class Moment:
    """An exact time of the clock, from `begins` to before `ends` (aware)."""

    begins: datetime
    ends: datetime


def a_day(day: date) -> Stretch:
    return Stretch(day, day + ONE_DAY, "day")


def week_of(day: date) -> Stretch:
    monday = day - timedelta(days=day.weekday())
    return Stretch(monday, monday + timedelta(days=7), "week")


def weekend_of(day: date) -> Stretch:
    """The Saturday and Sunday of the day's week."""
    monday = week_of(day).first
    return Stretch(monday + timedelta(days=5), monday + timedelta(days=7), "span")


def month_of(day: date) -> Stretch:
    first = day.replace(day=1)
    return Stretch(first, months_later(first, 1), "month")


def quarter_of(day: date) -> Stretch:
    first = date(day.year, day.month - (day.month - 1) % 3, 1)
    return Stretch(first, months_later(first, 3), "span")


def year_of(day: date) -> Stretch:
    return Stretch(date(day.year, 1, 1), date(day.year + 1, 1, 1), "year")


def season_of(year: int, name: str) -> Stretch:
    first = date(year, SEASONS[name], 1)
    return Stretch(first, months_later(first, 3), "season")


def months_later(day: date, months: int) -> date:
    """The same day of a month that many months later (earlier when negative), or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def part_of(stretch: Stretch, part: str) -> Stretch:
    """The early, middle or late third of a month or a longer stretch; `end` is as `late`.

    Of a month these are its first ten days, the next ten and the rest; of a year four months each.
    """
    start, stop = {"early": (0, 1), "mid": (1, 2), "late": (2, 3), "end": (2, 3)}[part]
    if stretch.grain == "month":
        bounds = [*(stretch.first + timedelta(days=10 * third) for third in range(3)), stretch.after]
    else:
        third_of_it = (stretch.after - stretch.first) / 3
        bounds = [*(stretch.first + third_of_it * third for third in range(3)), stretch.after]
    if stretch.grain == "year":
        bounds = [*(date(stretch.first.year, 1 + 4 * third, 1) for third in range(3)), stretch.after]
    return Stretch(bounds[start], bounds[stop], "span")


CALENDAR: dict[str, Callable[[date], Stretch]] = {
    "day": a_day,
    "week": week_of,
    "weekend": weekend_of,
    "month": month_of,
    "quarter": quarter_of,
    "year": year_of,
}


def shifted(day: date, count: int, unit: str) -> date:
    """The day that many units later, or earlier when `count` is negative."""
    if unit in _DAYS:
        return day + timedelta(days=count * _DAYS[unit])
    return months_later(day, count * _MONTHS[unit])


_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
