"""Strength from its history: what it would be had some of its turns never been."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from memory.layers.rules.strength import EVENT, FRAGMENT, Strength, effective, nudged


@dataclass(frozen=True, slots=True)
class Turn:
    """One row of a node's history: what happened, when, and score (as of then), τ and pin after it.

    `undone`: it is to be as if it had not been.
    """

    kind: str
    at: datetime
    score: float
    tau: float
    pinned: bool
    undone: bool = False


def replayed(layer: int, turns: Sequence[Turn]) -> list[Strength]:
    """Strength after each of these turns, which are in their order; after an undone one it is what it was before.

    The first is how it was formed. Recalls and repetitions are worked out again, τ growing by what it grew by then;
    what was set (a restoration, a merge, another τ for all) is taken as it was set. Raises ValueError without turns.
    """
    if not turns:
        raise ValueError("a strength has at least the turn that formed it")
    first = turns[0]
    strength = Strength(first.score, first.tau, first.at, first.pinned)
    found = [strength]
    for before, turn in pairwise(turns):
        if not turn.undone:
            strength = _after(layer, strength, before, turn)
        found.append(strength)
    return found


def _after(layer: int, strength: Strength, before: Turn, turn: Turn) -> Strength:
    if turn.kind == "archived" or math.isinf(strength.tau):
        return strength
    if turn.kind in ("recall", "duplicate"):
        if layer not in (FRAGMENT, EVENT):
            return strength
        return replace(nudged(strength, turn.at), tau=strength.tau + turn.tau - before.tau)
    if turn.kind == "pinned":
        return replace(strength, score=effective(strength, turn.at), scored_at=turn.at, pinned=True)
    if turn.kind == "unpinned":
        return replace(strength, scored_at=turn.at, pinned=False)
    return Strength(turn.score, turn.tau, turn.at, turn.pinned)
