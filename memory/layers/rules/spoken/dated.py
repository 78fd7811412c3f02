"""Times that name their place in the calendar: dates, months and quarters with their year, years, decades."""

import re
from datetime import UTC, date, datetime, time, timedelta

from memory.layers.rules.spoken.stretches import Moment, Stretch, a_day, month_of, part_of, quarter_of, year_of
from memory.layers.rules.spoken.told import Family, Told
from memory.layers.rules.spoken.vocabulary import DAY, DOUBTFUL_MONTHS, MONTH, MONTHS, YEAR

PREPOSITION = re.compile(
    r"\b(?:on|by|in|until|till|since|from|before|after|of|for|to|through|during|due|the)(?: the)? {0,2}$"
)
# What stands after a number that counts something and dates nothing.
_NOT_COUNTED = (
    r"(?![0-9]|[:.][0-9]| ?%| (?:times?|miles?|km|steps|percent|people|days?|weeks?|hours?|minutes?|things"
    r"|of (?:them|us|you|these|those))\b)"
)
NOT_AN_AMOUNT = (
    r"(?! (?:times|words?|people|characters?|tokens?|lines?|rows?|miles?|steps|km|ms|m|kg|g|items?|files?|users?"
    r"|calories|dollars|euros|pounds|[a-z]{2,20}s of)\b)(?! ?[%$€£/x×*+=-])"
)
_PART = r"(?:(?P<part>early|mid|late|end|beginning|start|middle)(?: of|-|(?: in)?(?= ))? ?)?"
_PARTS = {"beginning": "early", "start": "early", "middle": "mid"}
_NEEDS_MONTH = frozenset({"month"})
_NEEDS_DIGIT = frozenset({"digit"})


def _iso(found: re.Match[str], told: Told) -> Stretch | Moment:
    day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    if found["hour"] is None:
        return a_day(day)
    clock = time(int(found["hour"]), int(found["minute"]))
    zone = found["zone"]
    begins = datetime.combine(day, clock, tzinfo=told.said_at.tzinfo)
    if zone == "z":
        begins = begins.replace(tzinfo=UTC)
    elif zone:
        begins = datetime.fromisoformat(f"{day}T{clock:%H:%M}{zone}")
    return Moment(begins, begins + timedelta(minutes=1))


def _day_first(found: re.Match[str], told: Told) -> Stretch:
    return a_day(date(int(found["year"]), int(found["month"]), int(found["day"])))


def _slashed(found: re.Match[str], told: Told) -> Stretch | None:
    """None when it can't be told which of the two is the day."""
    one, two, year = int(found["one"]), int(found["two"]), int(found["year"])
    if one <= 12 and two <= 12 and one != two:
        return None
    return a_day(date(year, min(one, two), max(one, two)) if one <= 12 or two <= 12 else date(year, one, two))


def _day_and_month(found: re.Match[str], told: Told) -> Stretch | None:
    month, day = MONTHS[found["month"]], int(found["day"])
    named = found["year"] or found["ordinal"] or told.capitalised(found, "month")
    before = told.lowered[max(0, found.start("words") - 20) : found.start("words")]
    if found["month"] in DOUBTFUL_MONTHS and not named and not PREPOSITION.search(before):
        return None
    if found["year"]:
        return a_day(date(int(found["year"]), month, day))
    return _nearest(month, day, told, told.direction(found))


def _nearest(month: int, day: int, told: Told, way: str | None) -> Stretch | None:
    dates = []
    for year in range(told.day.year - 4, told.day.year + 5):
        try:
            dates.append(date(year, month, day))
        except ValueError:
            continue
    if way == "past":
        dates = [one for one in dates if one <= told.day]
    elif way == "future":
        dates = [one for one in dates if one >= told.day]
    return a_day(min(dates, key=lambda one: abs(one - told.day))) if dates else None


def _month_of_a_year(found: re.Match[str], told: Told) -> Stretch:
    return _part(found, month_of(date(int(found["year"]), MONTHS[found["month"]], 1)))


def _year(found: re.Match[str], told: Told) -> Stretch:
    return _part(found, year_of(date(int(found["year"]), 1, 1)))


def _years(found: re.Match[str], told: Told) -> Stretch | None:
    first, last = int(found["year"]), int(found["last"])
    return Stretch(date(first, 1, 1), date(last + 1, 1, 1), "span") if first < last else None


def _decade(found: re.Match[str], told: Told) -> Stretch:
    year = int(found["decade"])
    first = year if year > 99 else 1900 + year if year >= 30 else 2000 + year
    return Stretch(date(first, 1, 1), date(first + 10, 1, 1), "span")


def _quarter(found: re.Match[str], told: Told) -> Stretch:
    year = int(found["year"]) if found["year"] else told.day.year
    return quarter_of(date(year, 3 * int(found["quarter"]) - 2, 1))


def _part(found: re.Match[str], whole: Stretch) -> Stretch:
    part = (found["part"] or "").removesuffix(" of")
    return part_of(whole, _PARTS.get(part, part)) if part else whole


def month_part(found: re.Match[str], month: date) -> Stretch:
    """A month or the part of it that the match names."""
    return _part(found, month_of(month))


FAMILIES = (
    Family(
        _NEEDS_DIGIT,
        re.compile(
            r"(?<![\w.-])(?P<words>(?P<year>(?:19|20)[0-9]{2})-(?P<month>[01][0-9])-(?P<day>[0-3][0-9])"
            r"(?:[t ](?P<hour>[0-2][0-9]):(?P<minute>[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
            r"(?P<zone>z|[+-][0-2][0-9]:[0-5][0-9])?)?)(?![\w-])"
        ),
        _iso,
    ),
    Family(
        _NEEDS_DIGIT,
        re.compile(rf"(?<![\w.])(?<!version )(?P<words>(?P<day>[0-3]?[0-9])\.(?P<month>[01]?[0-9])\.{YEAR})"),
        _day_first,
    ),
    Family(
        _NEEDS_DIGIT,
        re.compile(rf"(?<![\w/.])(?P<words>(?P<one>[0-3]?[0-9])/(?P<two>[0-3]?[0-9])/{YEAR})(?!/)"),
        _slashed,
    ),
    Family(
        _NEEDS_MONTH,
        re.compile(rf"\b(?P<words>{MONTH} (?:the )?{DAY}(?:,? {{0,2}}{YEAR}|{_NOT_COUNTED}))"),
        _day_and_month,
    ),
    Family(
        _NEEDS_MONTH,
        re.compile(rf"(?<![\w.$€£-])(?P<words>{DAY} (?:of )?{MONTH}(?:,? {{0,2}}{YEAR})?)"),
        _day_and_month,
    ),
    Family(
        _NEEDS_MONTH,
        re.compile(rf"\b(?P<words>{_PART}{MONTH}(?:,| of)? {YEAR})"),
        _month_of_a_year,
    ),
    Family(
        _NEEDS_DIGIT,
        re.compile(rf"\b(?:from|between) (?P<words>{YEAR}(?: to | and | until |-|–)(?P<last>(?:19|20)[0-9]{{2}}))\b"),
        _years,
    ),
    Family(
        _NEEDS_DIGIT,
        re.compile(r"\b(?:the |early |late |mid-?)(?P<words>['’]?(?P<decade>(?:19|20)?[0-9]0)['’]?s)\b"),
        _decade,
    ),
    Family(
        _NEEDS_DIGIT,
        re.compile(rf"\b(?P<words>q(?P<quarter>[1-4])(?: (?:of )?{YEAR})?)\b"),
        _quarter,
    ),
    Family(
        _NEEDS_DIGIT,
        re.compile(
            rf"\b(?:in|since|by|until|till|during|before|after|from|of|back in|year)(?: the)? (?:the year )?"
            rf"(?P<words>{_PART}{YEAR})\b{NOT_AN_AMOUNT}"
        ),
        _year,
    ),
)
