"""How fast a fact is said to lose confidence: `rate/window`, such as `0.5/30d`, a half every thirty days."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

_UNIT_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3_600.0,
    "d": 86_400.0,
    "w": 604_800.0,
    "mo": 2_592_000.0,
    "y": 31_536_000.0,
}
# How many of which unit stand for one, in words. A month is said in days, since those of the calendar differ.
_WORDS = {
    "ns": (1, "nanosecond"),
    "us": (1, "microsecond"),
    "ms": (1, "millisecond"),
    "s": (1, "second"),
    "m": (1, "minute"),
    "h": (1, "hour"),
    "d": (1, "day"),
    "w": (1, "week"),
    "mo": (30, "day"),
    "y": (365, "day"),
}
_DECAY = re.compile(r"(?P<rate>[0-9]+(?:\.[0-9]+)?)/(?P<window>[0-9]+(?:\.[0-9]+)?)(?P<unit>[a-z]+)")
_LONGEST_TEXT = 100

# Seconds. Inside these bounds no step of the formula, in Python or in SQL, leaves the range of a double.
SHORTEST_WINDOW = 1e-15
LONGEST_WINDOW = 1e15


@dataclass(frozen=True, slots=True)
class Decay:
    """Confidence is multiplied by `rate` (strictly between 0 and 1) with each `window_seconds` that pass.

    `text` is how it was written.
    """

    rate: float
    window_seconds: float
    text: str


@lru_cache(maxsize=1024)
def parse_decay(text: str) -> Decay:
    """Read `rate/window`: plain decimal numbers, no sign, exponent or white space, one unit and nothing after it.

    Units: ns us ms s m (minute) h d w mo (30 days) y (365 days). Raises ValueError with the end of a sentence.
    """
    found = _DECAY.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if found is None:
        raise ValueError("must be written rate/window, such as 0.5/30d")
    unit = _UNIT_SECONDS.get(found["unit"])
    if unit is None:
        raise ValueError(f"must have a window in one of the units {' '.join(_UNIT_SECONDS)}")
    rate = float(found["rate"])
    if not 0.0 < rate < 1.0:
        raise ValueError("must have a rate between 0 and 1, both excluded")
    window = float(found["window"]) * unit
    if window == 0.0:
        raise ValueError("must have a window longer than nothing")
    if not SHORTEST_WINDOW <= window <= LONGEST_WINDOW:
        raise ValueError(f"must have a window between {SHORTEST_WINDOW:g} and {LONGEST_WINDOW:g} seconds")
    return Decay(rate, window, text)


def decay_words(text: str) -> str:
    """Say a decay: "halves every 14 days" for 0.5/14d, "keeps 90 % every 30 days" for 0.9/30d, all digits exact.

    Raises ValueError for what is no decay.
    """
    parse_decay(text)
    rate, window = text.split("/")
    number, unit = window.rstrip("abcdefghijklmnopqrstuvwxyz"), window.lstrip("0123456789.")
    many, word = _WORDS[unit]
    count = Decimal(number) * many
    kept = Decimal(rate)
    does = "halves" if kept == Decimal("0.5") else f"keeps {_digits(kept.scaleb(2))} %"
    return f"{does} every {word}" if count == 1 else f"{does} every {_digits(count)} {word}s"


def _digits(number: Decimal) -> str:
    """Without an exponent, and without zeros that say nothing."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
