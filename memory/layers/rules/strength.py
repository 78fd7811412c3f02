"""Strength: a score that decays when it is read. Source: "Four layers of memory", scores decay as score × e^(−days/τ).

Scores and strengths are 0 to 1, τ is in days, and no age is negative.
"""

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

FRAGMENT, EVENT, CONCEPT = 1, 2, 3
NUDGE = 0.1
DAY = 86_400.0
# Near e^−700 PostgreSQL raises an underflow; nobody tells a strength of e^−600 from 0.
_LEAST_LOGARITHM = -600.0


@dataclass(frozen=True, slots=True)
class Strength:
    """Score as of `scored_at`, and τ; τ is infinite for what never fades. A pinned one stands still."""

    score: float
    tau: float
    scored_at: datetime
    pinned: bool = False


def effective(strength: Strength, at: datetime) -> float:
    """Strength at the instant `at`, 0 to 1."""
    if strength.pinned or math.isinf(strength.tau):
        return strength.score
    exponent = -max(0.0, (at - strength.scored_at).total_seconds() / DAY) / strength.tau
    if strength.score <= 0 or math.log(strength.score) + exponent < _LEAST_LOGARITHM:
        return 0.0
    return strength.score * math.exp(exponent)


def recalled(strength: Strength, at: datetime, *, base_tau: float) -> Strength:
    """A fragment after a recall: its strength is nudged up, and τ grows by half the base value (days).

    A pinned one keeps its score, and its τ grows all the same.
    """
    return replace(nudged(strength, at), tau=strength.tau + base_tau / 2)


def repeated(layer: int, strength: Strength, at: datetime, *, base_tau: float) -> Strength:
    """After a near-duplicate was met: a fragment counts it as a recall, an event keeps its τ, a concept stays."""
    if layer == FRAGMENT:
        return recalled(strength, at, base_tau=base_tau)
    return nudged(strength, at) if layer == EVENT else strength


def nudged(strength: Strength, at: datetime) -> Strength:
    """Strength at the instant `at` and a tenth of what it lacks; a pinned one stands still. Clocks never go back."""
    now = effective(strength, at)
    score = now if strength.pinned else now + NUDGE * (1 - now)
    return replace(strength, score=score, scored_at=max(at, strength.scored_at))


def fades_at(strength: Strength, threshold: float) -> datetime | None:
    """When strength falls below `threshold`: None for never; not before `scored_at`."""
    if strength.pinned or math.isinf(strength.tau) or threshold <= 0:
        return None
    if strength.score <= threshold:
        return strength.scored_at
    days = strength.tau * math.log(strength.score / threshold)
    try:
        return strength.scored_at + timedelta(days=days)
    except OverflowError:
        return None


def effective_sql(table: str, at: str) -> str:
    """`effective` as SQL over a row of `node_strength`; `at` is the SQL of an instant."""
    exponent = f"-greatest(0, date_part('epoch', {at} - {table}.scored_at)) / {DAY} / {table}.tau"
    return (
        f"(case when {table}.pinned then {table}.score when {table}.score <= 0 then 0"
        f" when ln({table}.score) + {exponent} < {_LEAST_LOGARITHM} then 0"
        f" else {table}.score * exp({exponent}) end)"
    )
