"""Times that come round: weekdays, weekends, months and holidays without a year, seasons, days of the month."""

import re
from datetime import date, timedelta

from memory.layers.rules.spoken.dated import month_part
from memory.layers.rules.spoken.stretches import Stretch, a_day, months_later, season_of, week_of, weekend_of
from memory.layers.rules.spoken.told import Family, Told
from memory.layers.rules.spoken.vocabulary import (
    DOUBTFUL_MONTHS,
    HOLIDAY,
    HOLIDAYS,
    MONTH,
    MONTHS,
    SEASON,
    SEASONS,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
)

_WEEK = timedelta(days=7)
_SURE_BEFORE_A_MONTH = frozenset({"in", "since", "during", "until", "till", "last", "next"})
_SHORT = 4


def _weekday(found: re.Match[str], told: Told) -> Stretch | None:
    name, which = found["weekday"], found["which"] or ""
    if len(name) <= _SHORT and not (told.capitalised(found, "weekday") and (found["lead"] or which)):
        return None
    in_this_week = week_of(told.day).first + timedelta(days=WEEKDAYS[name])
    if found["week"]:
        return a_day(in_this_week + _WEEK * {"last": -1, "this": 0, "next": 1}[found["week"]])
    if which == "next":
        return a_day(in_this_week + _WEEK)
    way = told.direction(found)
    if which == "this" and (in_this_week >= told.day or way == "past"):
        return a_day(in_this_week)
    back = which in ("last", "this past", "past") or (way == "past" and which not in ("this coming", "coming"))
    return a_day(_before(in_this_week, told.day) if back else _after(in_this_week, told.day))


def _before(one: date, day: date) -> date:
    return one if one < day else one - _WEEK


def _after(one: date, day: date) -> date:
    return one if one > day else one + _WEEK


def _weekend(found: re.Match[str], told: Told) -> Stretch:
    which = found["which"]
    here = weekend_of(told.day)
    way = told.direction(found)
    if which == "next":
        return weekend_of(told.day + _WEEK)
    if which in ("last", "past", "this past") or (way == "past" and told.day < here.first):
        return weekend_of(told.day - _WEEK)
    return here


def _month(found: re.Match[str], told: Told) -> Stretch | None:
    name, lead = found["month"], found["lead"] or found["which"] or ""
    if name in DOUBTFUL_MONTHS and not (
        lead in _SURE_BEFORE_A_MONTH or found["part"] or told.capitalised(found, "month")
    ):
        return None
    this_month = told.day.replace(day=1)
    months = (MONTHS[name] - told.day.month) % 12
    way = {"last": "past", "next": "future"}.get(found["which"] or "") or told.direction(found)
    if found["which"] == "this":
        return month_part(found, date(told.day.year, MONTHS[name], 1))
    if way == "past" or (way is None and months > 6):
        months -= 12 if months or found["which"] else 0
    elif found["which"] == "next" and not months:
        months = 12
    return month_part(found, months_later(this_month, months))


def _season(found: re.Match[str], told: Told) -> Stretch | None:
    name, which = found["season"], found["which"]
    if found["year"]:
        return season_of(int(found["year"]), name)
    begun = told.day.year if told.day.month >= SEASONS[name] else told.day.year - 1
    latest = season_of(begun, name)
    running = told.day < latest.after
    way = {"last": "past", "next": "future"}.get(which or "") or told.direction(found)
    if which == "this":
        return latest if running or (way == "past" and begun == told.day.year) else season_of(begun + 1, name)
    if way == "past":
        return season_of(begun - 1, name) if running and which == "last" else latest
    return season_of(begun if running and which is None else begun + 1, name) if way == "future" else None


def _holiday(found: re.Match[str], told: Told) -> Stretch | None:
    month, day = HOLIDAYS[found["holiday"].replace("’", "'")]
    if found["year"]:
        return a_day(date(int(found["year"]), month, day))
    this_year = date(told.day.year, month, day)
    way = {"last": "past", "next": "future"}.get(found["which"] or "") or told.direction(found)
    if found["which"] == "this":
        return a_day(this_year)
    if way is None:
        return None
    step = (-1 if this_year > told.day else 0) if way == "past" else (1 if this_year < told.day else 0)
    return a_day(this_year.replace(year=told.day.year + step))


def _day_of_a_month(found: re.Match[str], told: Told) -> Stretch | None:
    day, which = int(found["day"]), found["which"]
    first = told.day.replace(day=1)
    if which:
        return a_day(months_later(first, {"this": 0, "last": -1, "next": 1}[which]).replace(day=day))
    way = told.direction(found)
    if way is None:
        return None
    months = (-1 if day > told.day.day else 0) if way == "past" else (1 if day < told.day.day else 0)
    return a_day(months_later(first, months).replace(day=day))


FAMILIES = (
    Family(
        frozenset({"weekday"}),
        re.compile(
            r"\b(?:(?P<lead>on|by|until|till|before|since|due|from|for) )?"
            r"(?<!every )(?<!each )(?<!happy )(?<!black )(?<!good )(?<!most )"
            rf"(?P<words>(?:(?P<which>this past|this coming|last|this|next|past|coming) )?{WEEKDAY}"
            r"(?: (?:morning|afternoon|evening|night))?(?: (?P<week>last|this|next) week)?)\b"
        ),
        _weekday,
    ),
    Family(
        frozenset({"weekend"}),
        re.compile(r"\b(?P<words>(?P<which>this past|this|last|past|next|the) weekend)\b(?! (?:before|after|of)\b)"),
        _weekend,
    ),
    Family(
        frozenset({"month"}),
        re.compile(
            r"\b(?:(?P<lead>in|since|during|until|till|by|before|after|due) )?"
            r"(?P<words>(?:(?:the )?(?P<part>early|mid|late|end of|beginning of|start of|middle of)[ -])?"
            rf"(?:(?P<which>last|next|this) )?{MONTH})(?! ?[0-9])"
        ),
        _month,
    ),
    Family(
        frozenset({"season"}),
        re.compile(
            rf"\b(?P<words>(?P<which>last|next|this) {SEASON}(?: (?:of )?{YEAR})?)"
            r"(?! (?:down|off|apart)\b)"
        ),
        _season,
    ),
    Family(
        frozenset({"season"}),
        re.compile(
            r"\b(?P<which>)(?:in|since|during|by|until|before|over|for) "
            rf"(?P<words>(?:the )?{SEASON}(?: (?:of )?{YEAR})?)(?! (?:break|water|roll|rolls|cleaning|camp|school)\b)"
        ),
        _season,
    ),
    Family(
        frozenset({"season"}),
        re.compile(
            r"\b(?:on |at |for |over |by |before |until |since |during )?"
            rf"(?P<words>(?:(?P<which>last|next|this) )?{HOLIDAY}(?: (?:of )?{YEAR})?)"
            r"(?! (?:tree|movies?|songs?|carols?|gifts?))"
        ),
        _holiday,
    ),
    Family(
        frozenset({"digit"}),
        re.compile(
            r"\b(?:on|by|until|till|before|since) (?P<words>the (?P<day>3[01]|[12]?[0-9])(?:st|nd|rd|th)"
            r"(?: of (?P<which>this|last|next) month)?)(?=\s*(?:[.,;!?)]|$|(?:and|but|i|we)\b|at [0-9]))"
        ),
        _day_of_a_month,
    ),
)
