"""Strength from its history: what it would be had one of its turns never been."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.layers.rules.strength import Strength, effective, recalled, repeated


@dataclass(frozen=True, slots=True)
class Turn:
    """One row of a node's history: what happened, when, and score, τ and pin after it."""

    kind: str
    at: datetime
    score: float
    tau: float
    pinned: bool


def replayed(layer: int, turns: Sequence[Turn], *, base_tau: float) -> Strength:
    """Strength after these turns, in their order.

    The first is how it was formed. Recalls and repetitions are worked out again; what a person set (a pin, a
    restoration, a τ) is taken as it was set. Raises ValueError without turns.
    """
    if not turns:
        raise ValueError("a strength has at least the turn that formed it")
    first = turns[0]
    strength = Strength(first.score, first.tau, first.at, first.pinned)
    for turn in turns[1:]:
        if turn.kind == "recall":
            strength = recalled(strength, turn.at, base_tau=base_tau)
        elif turn.kind == "duplicate":
            strength = repeated(layer, strength, turn.at, base_tau=base_tau)
        elif turn.kind == "pinned":
            strength = replace(strength, score=effective(strength, turn.at), scored_at=turn.at, pinned=True)
        elif turn.kind == "unpinned":
            strength = replace(strength, scored_at=turn.at, pinned=False)
        else:
            strength = Strength(turn.score, turn.tau, turn.at, turn.pinned)
    return strength
