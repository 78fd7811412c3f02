"""Which claim would have been preferred, and would be, at other instants. No database here."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from math import log
from typing import Literal

from memory.facts.rules.confidence import effective_confidence
from memory.facts.rules.decay import Decay
from memory.facts.rules.disagreement import Claim, Rule, conflict_among

State = Literal["nothing", "agreed", "preferred", "tied"]
_MICROSECOND = timedelta(microseconds=1)
_LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Spell:
    """When a fact stood: recorded, and superseded at an instant or never; with what its confidence comes from."""

    claim: Claim[None]
    confidence: float
    decay: Decay | None
    superseded_at: datetime | None

    def at(self, instant: datetime) -> Claim[None] | None:
        """The claim as it stood at an instant; None when it was not known, superseded, or not valid."""
        claim = self.claim
        known = claim.recorded_at <= instant and (self.superseded_at is None or instant < self.superseded_at)
        valid = claim.valid_from <= instant and (claim.valid_until is None or instant < claim.valid_until)
        if not (known and valid):
            return None
        effective = effective_confidence(self.confidence, self.decay, claim.valid_from, instant)
        return Claim(**{**vars(claim), "effective": effective})


@dataclass(frozen=True)
class Stretch:
    """From an instant on: whether claims stood, agreed, or one was preferred; which, and by what rule."""

    begin: datetime
    state: State
    first: str | None = None
    rule: Rule | None = None


def stretches(
    spells: Sequence[Spell], chain_length: Callable[[str], int], *, multi_valued: bool = False
) -> list[Stretch]:
    """Who was preferred from when on, the oldest first; consecutive stretches differ."""
    found: list[Stretch] = []
    for instant in sorted(set(_turns(spells))):
        standing = [claim for spell in spells if (claim := spell.at(instant))]
        conflict = conflict_among(standing, chain_length, multi_valued=multi_valued)
        if conflict is None:
            alone = standing[0].id if len(standing) == 1 else None
            stretch = Stretch(instant, "agreed" if standing else "nothing", alone)
        elif conflict.preferred is None:
            stretch = Stretch(instant, "tied", rule=conflict.rule)
        else:
            stretch = Stretch(instant, "preferred", conflict.preferred.id, conflict.rule)
        if not found or (found[-1].state, found[-1].first, found[-1].rule) != (
            stretch.state,
            stretch.first,
            stretch.rule,
        ):
            found.append(stretch)
    return found


def _turns(spells: Sequence[Spell]) -> Iterator[datetime]:
    """The instants at which another claim could come to be preferred.

    Confidence has a say only between facts recorded at one instant, so only their curves are crossed.
    """
    for spell in spells:
        claim = spell.claim
        yield claim.recorded_at
        yield claim.valid_from
        yield from (end for end in (claim.valid_until, spell.superseded_at) if end is not None)
    for one, other in combinations(spells, 2):
        if one.claim.recorded_at == other.claim.recorded_at and one.claim.negated == other.claim.negated:
            yield from _crossings(one, other)


def _crossings(one: Spell, other: Spell) -> Iterator[datetime]:
    """Where two curves of confidence meet, and the microsecond after.

    The logarithm of each is level until `validFrom` and falls in a straight line from there.
    """
    if min(one.confidence, other.confidence) <= 0.0:
        return
    origin = min(one.claim.valid_from, other.claim.valid_from)
    begins = sorted({one.claim.valid_from, other.claim.valid_from})
    for begin, end in zip(begins, [*begins[1:], None], strict=True):
        (at_one, slope_one), (at_other, slope_other) = _line(one, begin, origin), _line(other, begin, origin)
        if slope_one == slope_other:
            continue
        seconds = (at_other - at_one) / (slope_one - slope_other)
        try:
            instant = origin + timedelta(seconds=seconds)
        except OverflowError:
            continue
        if begin <= instant and (end is None or instant <= end) and instant < _LAST_INSTANT - _MICROSECOND:
            yield from (instant - _MICROSECOND, instant, instant + _MICROSECOND)


def _line(spell: Spell, begin: datetime, origin: datetime) -> tuple[float, float]:
    """(logarithm at `origin`, slope a second) of the straight line that the curve follows from `begin` on."""
    level = log(spell.confidence)
    if spell.decay is None or begin < spell.claim.valid_from:
        return level, 0.0
    slope = log(spell.decay.rate) / spell.decay.window_seconds
    return level - slope * (spell.claim.valid_from - origin).total_seconds(), slope
