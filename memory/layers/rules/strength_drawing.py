"""The strength of a memory over time as geometry: where to draw it, what to write beside it. Nothing is drawn here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from memory.facts.rules.axis import Exactness, exactness, label_of, ticks
from memory.layers.rules.fading import Point, curve
from memory.layers.rules.strength import Strength, effective, fades_at

LEFT, RIGHT, TOP, BOTTOM = 34.0, 562.0, 22.0, 216.0
# Of the axis, how much lies behind the day it fades.
_ROOM_BEHIND = 0.15
_WITHOUT_END = timedelta(days=90)
_FARTHEST = timedelta(days=3_650)
_SHORTEST = timedelta(hours=1)
_CHARACTER = 6.4


@dataclass(frozen=True, slots=True)
class Mark:
    """A point worth naming, and where its words stand."""

    x: float
    y: float
    label: str
    label_x: float
    label_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class StrengthCurve:
    """All of the picture, in a view box of 640 × 250; lines as SVG polylines take their points.

    `past` is what was, `ahead` what is to come unless it is recalled, `other` what another τ would do. `title` says it
    in words. `form` is how exactly its instants need to be written.
    """

    title: str
    past: str
    ahead: str
    other: str
    threshold_y: float | None
    ticks: list[tuple[float, str]]
    now: Mark
    fades: Mark | None
    other_fades: Mark | None
    form: Exactness


@dataclass(frozen=True)
class _Frame:
    start: datetime
    end: datetime

    def place(self, at: datetime, strength: float) -> tuple[float, float]:
        x = LEFT + (RIGHT - LEFT) * ((at - self.start) / (self.end - self.start))
        return round(x, 1), round(BOTTOM - (BOTTOM - TOP) * strength, 1)

    def line(self, points: Sequence[Point]) -> str:
        # dict.fromkeys drops what rounds to the same place and keeps the order.
        inside = [self.place(at, value) for at, value in points if self.start <= at <= self.end]
        return " ".join(dict.fromkeys(f"{x},{y}" for x, y in inside))


def strength_curve(
    steps: Sequence[Strength],
    now: datetime,
    threshold: float,
    *,
    other: Strength | None = None,
    zone: tzinfo,
) -> StrengthCurve:
    """Draw what a memory's strength was set to, oldest first, to `now` and on until it falls below `threshold`.

    `steps` holds one at least; `other` is the present strength with another τ. Beyond ten years nothing is drawn.
    """
    present = steps[-1]
    fades = fades_at(present, threshold)
    other_fades = fades_at(other, threshold) if other else None
    frame = _frame(min(steps[0].scored_at, now), now, [at for at in (fades, other_fades) if at])
    form = exactness(frame.end - frame.start)

    def fall(at: datetime | None, word: str, above: bool) -> Mark | None:
        if at is None or not now <= at <= frame.end:
            return None
        return _mark(frame, at, threshold, f"{word} {label_of(at, form, zone)}", above=above)

    x, y = frame.place(now, effective(present, now))
    anchor, label_x = _beside(x, f"now {effective(present, now):.2f}", 9.0)
    return StrengthCurve(
        title=_title(steps, now, fades, form, zone),
        past=frame.line(curve(list(steps), now)),
        ahead=frame.line(_ahead(present, now, frame.end)),
        other=frame.line(_ahead(other, now, frame.end)) if other else "",
        threshold_y=frame.place(now, threshold)[1] if threshold > 0 else None,
        ticks=[(frame.place(at, 0)[0], label) for at, label in ticks(frame.start, frame.end, zone)],
        now=Mark(x, y, f"now {effective(present, now):.2f}", label_x, TOP - 6.0, anchor),
        fades=fall(fades, "fades", True),
        other_fades=fall(other_fades, "then", False),
        form=form,
    )


def _frame(start: datetime, now: datetime, falls: Sequence[datetime]) -> _Frame:
    ahead = max([at - now for at in falls if at > now], default=_WITHOUT_END if not falls else timedelta(0))
    seen = max(now - start + min(ahead, _FARTHEST), _SHORTEST)
    return _Frame(start, start + seen / (1 - _ROOM_BEHIND))


def _ahead(strength: Strength, now: datetime, end: datetime) -> list[Point]:
    return [(now, effective(strength, now)), *(point for point in curve([strength], end) if point[0] > now)]


def _mark(frame: _Frame, at: datetime, value: float, label: str, *, above: bool) -> Mark:
    x, y = frame.place(at, value)
    anchor, label_x = _beside(x, label, 8.0)
    return Mark(x, y, label, label_x, y - (10.0 if above else 26.0), anchor)


def _beside(x: float, text: str, distance: float) -> tuple[str, float]:
    fits = x + distance + _CHARACTER * len(text) <= RIGHT + 70
    return ("start", round(x + distance, 1)) if fits else ("end", round(x - distance, 1))


def _title(steps: Sequence[Strength], now: datetime, fades: datetime | None, form: Exactness, zone: tzinfo) -> str:
    first, present = steps[0], steps[-1]
    begin = f"Strength was {first.score:.2f} on {label_of(first.scored_at, form, zone)}"
    times = len(steps) - 1
    then = f", was set anew {times} time{'' if times == 1 else 's'}" if times else ""
    is_now = f" and is {effective(present, now):.2f} now."
    if fades is None:
        return f"{begin}{then}{is_now} It does not fade."
    return f"{begin}{then}{is_now} It falls below its threshold on {label_of(fades, form, zone)}."
