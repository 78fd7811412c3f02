"""Times told from the day of speaking: yesterday, two weeks ago, in three days, last year."""

import re
from datetime import date, timedelta

from memory.layers.rules.spoken.stretches import (
    CALENDAR,
    ONE_DAY,
    Moment,
    Stretch,
    a_day,
    part_of,
    shifted,
    week_of,
)
from memory.layers.rules.spoken.told import Family, Told
from memory.layers.rules.spoken.vocabulary import COUNT, UNIT, count

_DAYS_AWAY = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
}
_PART_OF_DAY = r"(?:morning|afternoon|evening|night)"
_HOURS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_STEP = {"last": -1, "past": -1, "previous": -1, "this": 0, "the": 0, "next": 1, "coming": 1, "upcoming": 1}
_GENERIC = r"(?!['’]s (?:world|age|society|market|economy|standards?|youth|kids|children|climate|environment))"
_NEEDS_DAY_WORD = frozenset({"day_word"})
_NEEDS_UNIT = frozenset({"unit"})


def _day_word(found: re.Match[str], told: Told) -> Stretch:
    return a_day(told.day + timedelta(days=_DAYS_AWAY.get(found["which"], 0)))


def _end_of_work(found: re.Match[str], told: Told) -> Stretch:
    return a_day(told.day) if found["words"] in ("eod", "cob") else _last_days(week_of(told.day), 3)


def _ago(found: re.Match[str], told: Told) -> Stretch | Moment:
    fewest, most = count(found["count"])
    unit = found["unit"]
    if unit in _HOURS:
        begins = told.said_at - most * _HOURS[unit]
        return Moment(begins, told.said_at - fewest * _HOURS[unit] + _HOURS[unit])
    return _from_to(told.day, -most, -fewest, unit)


def _ahead(found: re.Match[str], told: Told) -> Stretch | Moment | None:
    """None for "I read it in two days", which says how long it took."""
    way = told.direction(found)
    if way == "past" or (found["count"] in ("a", "an") and way is None):
        return None
    fewest, most = count(found["count"])
    unit = found["unit"]
    if unit in _HOURS:
        begins = told.said_at + fewest * _HOURS[unit]
        return Moment(begins, told.said_at + (most + 1) * _HOURS[unit])
    return _from_to(told.day, fewest, most, unit)


def _from_to(day: date, fewest: int, most: int, unit: str) -> Stretch:
    around = CALENDAR[{"fortnight": "week", "decade": "year"}.get(unit, unit)]
    first, last = around(shifted(day, fewest, unit)), around(shifted(day, most, unit))
    return first if fewest == most else Stretch(first.first, last.after, "span")


def _up_to_now(found: re.Match[str], told: Told) -> Stretch | None:
    most = count(found["count"] or "a")[1]
    if found["unit"] in _HOURS:
        return None
    return Stretch(shifted(told.day, -most, found["unit"]), told.day + ONE_DAY, "span")


def _from_now(found: re.Match[str], told: Told) -> Stretch | None:
    most = count(found["count"] or "a")[1]
    if found["unit"] in _HOURS or told.direction(found) == "past":
        return None
    return Stretch(told.day, shifted(told.day, most, found["unit"]) + ONE_DAY, "span")


def _named_unit(found: re.Match[str], told: Told) -> Stretch:
    unit = found["unit"]
    whole = CALENDAR[unit](shifted(told.day, _STEP[found["which"]], unit))
    if not found["part"]:
        return whole
    return _last_days(whole, {"week": 3, "month": 7, "quarter": 14, "year": 31}[unit])


def _beyond(found: re.Match[str], told: Told) -> Stretch:
    steps = -2 if found["which"] == "before last" else 2
    return CALENDAR[found["unit"]](shifted(told.day, steps, found["unit"]))


def _part_of_a_unit(found: re.Match[str], told: Told) -> Stretch:
    step = {"this": 0, "last": -1, "next": 1}[found["which"]]
    return part_of(CALENDAR[found["unit"]](shifted(told.day, step, found["unit"])), found["part"])


def _last_days(whole: Stretch, days: int) -> Stretch:
    return Stretch(whole.after - timedelta(days=days), whole.after, "span")


FAMILIES = (
    Family(
        _NEEDS_DAY_WORD,
        re.compile(
            r"\b(?P<words>(?P<which>(?:the )?day before yesterday|(?:the )?day after tomorrow|last night|tonight|today"
            rf"|yesterday|tomorrow)(?: {_PART_OF_DAY})?|this (?:morning|afternoon|evening))\b{_GENERIC}"
        ),
        _day_word,
    ),
    Family(_NEEDS_DAY_WORD, re.compile(r"\b(?:by|before|until|at|due) (?P<words>eod|cob|eow)\b"), _end_of_work),
    Family(_NEEDS_UNIT, re.compile(rf"\b(?<!half )(?P<words>{COUNT} {UNIT}s? ago)\b"), _ago),
    Family(
        _NEEDS_UNIT,
        re.compile(
            rf"\b(?P<words>(?:in|within) (?:(?:about|around|another|roughly) )?{COUNT} {UNIT}s?(?: time)?)\b(?! of\b)"
        ),
        _ahead,
    ),
    Family(_NEEDS_UNIT, re.compile(rf"\b(?P<words>{COUNT} {UNIT}s? from (?:now|today))\b"), _ahead),
    Family(
        _NEEDS_UNIT,
        re.compile(rf"\b(?P<words>(?:in|over|during|for|within) the (?:last|past) (?:{COUNT} )?{UNIT}s?)\b(?! of\b)"),
        _up_to_now,
    ),
    Family(
        _NEEDS_UNIT,
        re.compile(rf"\b(?P<words>(?:in|over|during|for|within) the (?:next|coming) {COUNT} {UNIT}s?)\b(?! of\b)"),
        _from_now,
    ),
    Family(
        _NEEDS_UNIT,
        re.compile(r"\b(?P<words>the (?P<unit>week|month|year|weekend) (?P<which>before last|after next))\b"),
        _beyond,
    ),
    Family(
        _NEEDS_UNIT,
        re.compile(
            r"\b(?P<words>(?P<part>early|mid|late)(?:r|-)? ?(?P<which>this|last|next) (?P<unit>month|year))\b(?! of\b)"
        ),
        _part_of_a_unit,
    ),
    Family(
        _NEEDS_UNIT,
        re.compile(
            r"\b(?P<words>(?P<part>(?:the )?end of )(?P<which>the|this|last|next) (?P<unit>week|month|quarter|year))"
            r"\b(?! of\b)"
        ),
        _named_unit,
    ),
    Family(
        _NEEDS_UNIT,
        re.compile(
            r"\b(?P<words>(?P<part>)(?P<which>last|past|previous|this|next|coming|upcoming)"
            r" (?P<unit>week|month|quarter|year))\b(?! of\b)"
        ),
        _named_unit,
    ),
)
