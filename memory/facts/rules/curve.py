"""The confidence curve of a fact as geometry: where to draw it, what to write beside it. Nothing is drawn here."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise

from memory.facts.rules.axis import Exactness, exactness, label_of, ticks
from memory.facts.rules.confidence import UNCERTAIN, USABLE, Band, band, crossing, effective_confidence
from memory.facts.rules.decay import Decay, decay_words

LEFT, RIGHT, TOP, BOTTOM = 34.0, 562.0, 22.0, 216.0
SAMPLES = 40

# Of the axis, how much lies behind the last thing to see: the fall to stale, or now.
_ROOM_BEHIND = 0.18
_SHORTEST = timedelta(minutes=1)
_FLAT = timedelta(days=365)
_LONGEST = timedelta(days=36_525)
# Width of a character of the figure's text, in units of the view box.
_CHARACTER = 6.4
# A day inside the calendar, so that any zone can still write it.
_FIRST = datetime.min.replace(tzinfo=UTC) + timedelta(days=2)
_LAST = datetime.max.replace(tzinfo=UTC) - timedelta(days=2)


Fall = tuple[float, datetime]
"""A threshold and the instant from which the effective confidence is below it."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A round instant on the axis."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the curve inside one band; `points` as an SVG polyline takes them."""

    band: Band
    points: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A point worth naming. `label_x`, `label_y` and `anchor` place its text beside the line, not on it."""

    x: float
    y: float
    label: str
    label_x: float
    label_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Curve:
    """All of the picture, in a view box of 640 × 250; `title` says it in words for who does not see it.

    `decay` is in words; `form` is how exactly its instants need to be written.
    """

    title: str
    confidence: float
    decay: str | None
    segments: list[Segment]
    ticks: list[Tick]
    now: Dot
    crossings: list[Dot]
    form: Exactness
    usable_until: datetime | None
    uncertain_until: datetime | None


def confidence_curve(
    confidence: float, decay: Decay | None, valid_from: datetime, now: datetime, zone: tzinfo = UTC
) -> Curve:
    """Draw the effective confidence over time, around `now`; dates are written in `zone`.

    The axis holds the begin of validity, now, and the falls below 0.7 and 0.3 unless they lie more than a century
    ahead. `usable_until` and `uncertain_until` are those falls, wherever they lie; None where there is none.
    """
    usable_until = crossing(confidence, decay, valid_from, USABLE)
    uncertain_until = crossing(confidence, decay, valid_from, UNCERTAIN)
    start, end = _range(confidence, decay, valid_from, now, uncertain_until)

    def value_at(at: datetime) -> float:
        return effective_confidence(confidence, decay, valid_from, at)

    def place(at: datetime) -> tuple[float, float]:
        x = LEFT + (RIGHT - LEFT) * ((at - start) / (end - start))
        return round(x, 1), round(BOTTOM - (BOTTOM - TOP) * value_at(at), 1)

    limits = ((USABLE, usable_until), (UNCERTAIN, uncertain_until))
    falls = [(limit, at) for limit, at in limits if at and start < at <= end]
    corners = {at for at in (valid_from, *(at for _, at in falls)) if start < at < end}
    seen_now = min(max(now, start), end)
    form = exactness(end - start)
    return Curve(
        title=_title(value_at, valid_from, now, end, falls, lambda at: label_of(at, form, zone)),
        confidence=confidence,
        decay=decay_words(decay.text) if decay else None,
        segments=_segments([start, *sorted(corners), end], value_at, place),
        ticks=[Tick(place(at)[0], label) for at, label in ticks(start, end, zone)],
        now=_now_dot(value_at(now), *place(seen_now)),
        crossings=[_fall_dot(label_of(at, form, zone), *place(at)) for _, at in falls],
        form=form,
        usable_until=usable_until,
        uncertain_until=uncertain_until,
    )


def _range(
    confidence: float, decay: Decay | None, valid_from: datetime, now: datetime, uncertain_until: datetime | None
) -> tuple[datetime, datetime]:
    """Return the ends of the axis, inside the calendar and at least a minute apart."""
    start = min(max(min(valid_from, now), _FIRST), _LAST - _SHORTEST)
    if decay is None or confidence == 0.0:
        ahead = _FLAT.total_seconds()
    elif uncertain_until:
        ahead = (uncertain_until - valid_from).total_seconds()
    elif confidence < UNCERTAIN:
        ahead = decay.window_seconds * math.log(0.5) / math.log(decay.rate)
    else:
        ahead = math.inf
    ahead = min(ahead, _LONGEST.total_seconds())
    seen = max((valid_from - start).total_seconds() + ahead, (now - start).total_seconds())
    longest = (_LAST - start).total_seconds()
    seconds = min(max(seen / (1 - _ROOM_BEHIND), _SHORTEST.total_seconds()), longest)
    return start, start + timedelta(seconds=seconds)


def _segments(
    corners: list[datetime], value_at: Callable[[datetime], float], place: Callable[[datetime], tuple[float, float]]
) -> list[Segment]:
    """Sample each stretch between two corners, closest at its begin, where a fast decay falls steepest."""
    stretches: list[tuple[Band, list[str]]] = []
    for begin, end in pairwise(corners):
        length = end - begin
        name = band(value_at(begin + length / 2))
        points = [begin + length * (step / SAMPLES) ** 2 for step in range(SAMPLES)] + [end]
        texts = [f"{x},{y}" for x, y in map(place, points)]
        if stretches and stretches[-1][0] == name:
            stretches[-1][1].extend(texts)
        else:
            stretches.append((name, texts))
    # dict.fromkeys drops what rounds to the same place and keeps the order.
    return [Segment(name, " ".join(dict.fromkeys(texts))) for name, texts in stretches]


def _now_dot(value: float, x: float, y: float) -> Dot:
    """The point of now; its text stands above the plot, where no curve runs."""
    text = f"now {value:.4f}"
    anchor, label_x = _beside(x, text, 9.0)
    return Dot(x, y, text, label_x, TOP - 6.0, anchor)


def _fall_dot(text: str, x: float, y: float) -> Dot:
    """A fall out of a band: its text above the line to the right, or below it to the left where the right is full."""
    anchor, label_x = _beside(x, text, 8.0)
    return Dot(x, y, text, label_x, round(y - 9.0 if anchor == "start" else y + 18.0, 1), anchor)


def _beside(x: float, text: str, distance: float) -> tuple[str, float]:
    fits = x + distance + _CHARACTER * len(text) <= RIGHT
    return ("start", round(x + distance, 1)) if fits else ("end", round(x - distance, 1))


def _title(
    value_at: Callable[[datetime], float],
    valid_from: datetime,
    now: datetime,
    end: datetime,
    falls: list[Fall],
    write: Callable[[datetime], str],
) -> str:
    """Say the curve in a sentence, and in a second one when it is not valid yet."""
    first, last = value_at(valid_from), value_at(end)
    begin = write(min(max(valid_from, _FIRST), _LAST))
    if first == last:
        said = f"Effective confidence stays at {first:.4f} from {begin}."
    else:
        passed = [f"{limit} on {write(at)}" for limit, at in falls]
        if UNCERTAIN not in dict(falls):
            passed.append(f"{last:.4f} on {write(end)}")
        *through, to = passed
        middle = "".join(f" through {text}" for text in through)
        said = f"Effective confidence falls from {first:.4f} on {begin}{middle} to {to}."
    return said if now >= valid_from else f"{said} It is not valid before {begin}."
