"""Effective confidence: how far a fact can be relied on at an instant, in Python and as the same formula in SQL.

`confidence × rate^((t − validFrom) / window)`, age clamped at 0 (specification of KNDL memory, "Decay formula").
"""

import math
from bisect import bisect_left
from datetime import UTC, datetime, timedelta
from typing import Literal

from memory.facts.rules.decay import Decay

Band = Literal["usable", "uncertain", "stale"]

USABLE = 0.7
UNCERTAIN = 0.3

# PostgreSQL raises on underflow, so a value whose natural logarithm is below this counts as nothing, here as there.
_LOWEST_LOGARITHM = -600.0
_SMALLEST_LOGGED = 1e-300
_MICROSECOND = timedelta(microseconds=1)
_LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


def effective_confidence(confidence: float, decay: Decay | None, valid_from: datetime, at: datetime) -> float:
    """Return the confidence, in [0, 1], that is left at `at` of what was stated to hold from `valid_from`.

    Without decay, and up to `valid_from`, it is the confidence itself; 0.0 once it would be less than e^-600.
    """
    if decay is None or at <= valid_from:
        return confidence
    windows = _seconds(at - valid_from) / decay.window_seconds
    logarithm = math.log(max(confidence, _SMALLEST_LOGGED)) + windows * math.log(decay.rate)
    if logarithm < _LOWEST_LOGARITHM:
        return 0.0
    return float(confidence * decay.rate**windows)


def band(value: float) -> Band:
    """Return the band of an effective confidence, judged on the unrounded number."""
    if value >= USABLE:
        return "usable"
    if value >= UNCERTAIN:
        return "uncertain"
    return "stale"


def crossing(confidence: float, decay: Decay | None, valid_from: datetime, threshold: float) -> datetime | None:
    """Return the first microsecond at which the effective confidence is below `threshold`.

    None when it never falls below it: no decay, below from the start, or not before the year 10000.
    """
    if decay is None or confidence < threshold:
        return None
    moments = range((_LAST_INSTANT - valid_from) // _MICROSECOND + 1)

    def is_below(age: int) -> bool:
        at = valid_from + age * _MICROSECOND
        return effective_confidence(confidence, decay, valid_from, at) < threshold

    first = bisect_left(moments, True, key=is_below)
    return valid_from + first * _MICROSECOND if first < len(moments) else None


def effective_sql(at: str, table: str = "f") -> str:
    """Return the SQL expression (float8) that equals `effective_confidence` for the rows of `table` at `at`.

    `at` is an SQL expression of type timestamptz, such as a placeholder with its cast; it is repeated. The table has
    the columns confidence, decay_rate, decay_window (float8, seconds; both null without decay) and valid_from.
    No part of it can raise, even where PostgreSQL works out constant parts ahead of the CASE that guards them.
    """
    windows = f"(date_part('epoch', greatest({at} - {table}.valid_from, interval '0')) / {table}.decay_window)"
    confidence_logarithm = f"ln(greatest({table}.confidence, {_SMALLEST_LOGGED!r}::float8))"
    rate_logarithm = f"ln({table}.decay_rate)"
    most_windows = f"(({_LOWEST_LOGARITHM!r}::float8 - {confidence_logarithm}) / {rate_logarithm})"
    return (
        f"(CASE WHEN {table}.decay_rate IS NULL OR {at} <= {table}.valid_from THEN {table}.confidence"
        f" WHEN {confidence_logarithm} + {windows} * {rate_logarithm} < {_LOWEST_LOGARITHM!r}::float8 THEN 0::float8"
        f" ELSE {table}.confidence * power({table}.decay_rate, least({windows}, {most_windows})) END)"
    )


def _seconds(age: timedelta) -> float:
    """Return an age in seconds by the steps of PostgreSQL's date_part('epoch', …), so that both round alike."""
    return (age.seconds * 1_000_000 + age.microseconds) / 1_000_000.0 + 86_400.0 * age.days
