"""The strength of one memory as a page shows it: its curve, the day it fades, and what another τ would do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.layers.rules.strength import Strength, fades_at
from memory.layers.rules.strength_drawing import StrengthCurve, strength_curve
from memory.layers.settings import base_tau, layer_settings, thresholds
from memory.layers.statements import Memory
from memory.layers.tracing import Step


@dataclass(frozen=True)
class ShownStrength:
    """The picture and its words; `other_fades_at` is for the τ that was asked for, `base` is the layer's own."""

    curve: StrengthCurve
    threshold: float
    base: float
    fades_at: datetime | None
    other_tau: float | None
    other_fades_at: datetime | None


def strength_of(memory: Memory, history: Sequence[Step], at: datetime, zone: str, tau: float | None) -> ShownStrength:
    """How the strength went and goes on; `tau` (days) asks what the layer's τ would do if it were that."""
    settings = layer_settings()
    threshold = thresholds(settings).get(memory.layer, 0.0)
    base = base_tau(settings, memory.layer)
    other = None if tau is None or math.isinf(base) else under_tau(memory.strength, tau, base)
    steps = [step.after for step in history]
    if not steps or steps[-1] != memory.strength:
        steps = [*(step for step in steps if step.scored_at <= memory.strength.scored_at), memory.strength]
    return ShownStrength(
        curve=strength_curve(steps, at, threshold, other=other, zone=ZoneInfo(zone)),
        threshold=threshold,
        base=base,
        fades_at=fades_at(memory.strength, threshold) if memory.stands else None,
        other_tau=None if other is None else other.tau,
        other_fades_at=None if other is None else fades_at(other, threshold),
    )


def under_tau(strength: Strength, tau: float, base: float) -> Strength:
    """This strength if its layer's τ were `tau` and not `base`: what recall added grows in proportion."""
    return replace(strength, tau=strength.tau * tau / base)
