"""The words of which English tells times, as parts of regular expressions and as numbers."""

from collections.abc import Iterable

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
# These are other words as often as months.
DOUBTFUL_MONTHS = frozenset({"may", "march", "mar"})

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tues", "tue"),
            ("wednesday", "wed"),
            ("thursday", "thurs", "thur", "thu"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in names
}

# The month a season begins in (northern hemisphere, whole months); each has three.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

HOLIDAYS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
}

_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
# How many are meant, at least and at most.
COUNTS = {
    **{word: (number, number) for number, word in enumerate(_ONES, start=1)},
    "a": (1, 1),
    "an": (1, 1),
    "a couple of": (2, 2),
    "a couple": (2, 2),
    "couple of": (2, 2),
    "couple": (2, 2),
    "a dozen": (12, 12),
    "a few": (3, 5),
    "few": (3, 5),
    "several": (3, 7),
}


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


MONTH = rf"(?P<month>{_any_of(MONTHS)})\b\.?"
WEEKDAY = rf"(?P<weekday>{_any_of(WEEKDAYS)})\b"
SEASON = rf"(?P<season>{_any_of(SEASONS)})\b"
HOLIDAY = rf"(?P<holiday>{_any_of(HOLIDAYS)})\b".replace("'", "['’]")
YEAR = r"(?P<year>(?:19|20)[0-9]{2})(?![0-9]|[.,][0-9])"
DAY = r"(?P<day>3[01]|[12][0-9]|0?[1-9])(?P<ordinal>st|nd|rd|th)?\b"
COUNT = rf"(?P<count>[0-9]{{1,3}}|{_any_of(COUNTS)})"
UNIT = r"(?P<unit>minute|hour|day|week|fortnight|month|quarter|year|decade)"


def count(words: str) -> tuple[int, int]:
    """Return how many a count says, at least and at most: (2, 2) for "two", (3, 5) for "a few"."""
    return (int(words), int(words)) if words.isdecimal() else COUNTS[words]
