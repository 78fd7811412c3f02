"""Finding every time told in a text."""

import re
from datetime import UTC, datetime, time

from memory.layers.rules.proposals import SpokenTime
from memory.layers.rules.spoken import dated, recurring, relative
from memory.layers.rules.spoken.stretches import Moment, Stretch
from memory.layers.rules.spoken.told import Family, Told
from memory.layers.rules.spoken.vocabulary import HOLIDAYS, MONTHS, SEASONS, WEEKDAYS

# Of times that overlap the longest is the one told; of equally long ones the first of these.
_FAMILIES: tuple[Family, ...] = (*dated.FAMILIES, *relative.FAMILIES, *recurring.FAMILIES)

_TRIGGER = re.compile(
    rf"(?P<digit>[0-9])|\b(?:(?P<month>{'|'.join(MONTHS)})|(?P<weekday>{'|'.join(WEEKDAYS)})|(?P<weekend>weekend)"
    r"|(?P<unit>minute|hour|day|week|fortnight|month|quarter|year|decade)s?"
    rf"|(?P<season>{'|'.join(SEASONS)}|{'|'.join({name.split()[0] for name in HOLIDAYS} - {'new'})}|new year['’]s)"
    r"|(?P<day_word>today|yesterday|tomorrow|tonight|night|morning|afternoon|evening|eod|cob|eow))\b"
)
_UPPER = str.maketrans({code: chr(code + 32) for code in range(ord("A"), ord("Z") + 1)})


def spoken_times(text: str, said_at: datetime) -> list[SpokenTime]:
    """Return the times told in an English text, in order of appearance, resolved from when it was said (aware).

    Days, weeks (from Monday), months and years are those of the zone that `said_at` carries; seasons are northern and
    of three whole months. What the words leave open between past and future is decided by the verbs around them. A
    time that can't be resolved, such as "30 February" or "the other day", is left out.
    """
    lowered = _lowered(text)
    kinds = _kinds(lowered)
    if not kinds:
        return []
    told = Told(text, lowered, said_at, said_at.date())
    taken = bytearray(len(text))
    found: dict[int, SpokenTime] = {}
    for family, match in _longest_first(lowered, kinds):
        start, end = match.span("words")
        if any(taken[start:end]):
            continue
        try:
            stretch = family.resolve(match, told)
            if stretch is None:
                continue
            found[start] = _spoken(told, text[start:end].strip(" ."), stretch)
        except (ValueError, OverflowError):
            # A date that does not exist has none inside it either: "30 February 2020" is no February.
            pass
        taken[start:end] = b"\1" * (end - start)
    return [found[start] for start in sorted(found)]


def _lowered(text: str) -> str:
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.translate(_UPPER)


def _kinds(lowered: str) -> set[str]:
    return {str(found.lastgroup) for found in _TRIGGER.finditer(lowered)}


def _longest_first(lowered: str, kinds: set[str]) -> list[tuple[Family, re.Match[str]]]:
    matches = [
        (family, match)
        for family in _FAMILIES
        if not family.needs.isdisjoint(kinds)
        for match in family.pattern.finditer(lowered)
    ]
    return sorted(matches, key=lambda one: one[1].start("words") - one[1].end("words"))


def _spoken(told: Told, words: str, stretch: Stretch | Moment) -> SpokenTime:
    if isinstance(stretch, Moment):
        return SpokenTime(words, stretch.begins.astimezone(UTC), stretch.ends.astimezone(UTC), "instant")
    zone = told.said_at.tzinfo
    begins, ends = (
        datetime.combine(day, time(), tzinfo=zone).astimezone(UTC) for day in (stretch.first, stretch.after)
    )
    return SpokenTime(words, begins, ends, stretch.grain)
