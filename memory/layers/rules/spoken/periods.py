"""Dates that a question names, when there is no day to reckon from."""

import re
from dataclasses import dataclass

from memory.layers.rules.spoken.dated import NOT_AN_AMOUNT
from memory.layers.rules.spoken.vocabulary import DAY, DOUBTFUL_MONTHS, MONTH, MONTHS, YEAR


@dataclass(frozen=True, slots=True)
class Period:
    """A year, a month or a day, with what was not named as None: May of any year is `Period(None, 5, None)`."""

    year: int | None
    month: int | None
    day: int | None


_ISO = re.compile(
    r"(?<![\w.-])(?P<year>(?:19|20)[0-9]{2})-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12][0-9]|3[01]))?(?![\w-])"
)
_NAMED = (
    re.compile(rf"\b{MONTH} (?:the )?{DAY}(?:,? {{0,2}}{YEAR})?(?![0-9]|[:.][0-9])"),
    re.compile(rf"(?<![\w.]){DAY} (?:of )?{MONTH}(?:,? {{0,2}}{YEAR})?"),
    re.compile(rf"\b{MONTH}(?:,| of)? {YEAR}"),
    re.compile(rf"\b(?P<lead>(?:[a-z]{{1,10}} )?){MONTH}"),
)
_YEAR = re.compile(rf"(?<![\w.,$€£-]){YEAR}(?!\w){NOT_AN_AMOUNT}")
_LEADS = frozenset(
    "in of since last next during until till by before after late early mid from through this".split()  # noqa: SIM905
)
_TRIGGER = re.compile(rf"[0-9]|\b(?:{'|'.join(MONTHS)})\b")


def mentioned_periods(query: str) -> list[Period]:
    """Return the dates, months and years that a question names, in order of appearance.

    "may" and "march" are months only after a preposition or beside a number. Dates told from the day of asking, such
    as "last week", are not among them.
    """
    lowered = query.lower()
    if not _TRIGGER.search(lowered):
        return []
    found: dict[tuple[int, int], Period] = {}
    for match in _ISO.finditer(lowered):
        found[match.span()] = Period(int(match["year"]), int(match["number"]), _number(match["day"]))
    for pattern in (*_NAMED, _YEAR):
        for match in pattern.finditer(lowered):
            period = _period(match)
            if period and not any(match.start() < end and start < match.end() for start, end in found):
                found[match.span()] = period
    return [found[place] for place in sorted(found)]


def _period(match: re.Match[str]) -> Period | None:
    named = match.groupdict()
    month = named.get("month")
    if "lead" in named and month in DOUBTFUL_MONTHS and named["lead"].strip() not in _LEADS:
        return None
    return Period(_number(named.get("year")), MONTHS[month] if month else None, _number(named.get("day")))


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None
