"""The models of the room, which Django looks for here; each topic keeps its own."""

from memory.facts.models import (
    Consent,
    ContradictionDecision,
    EmergencyRelease,
    Fact,
    FactGroup,
    FactParent,
    Hold,
    InferenceRule,
    Predicate,
    Snooze,
)
from memory.keys.models import DataKey

__all__ = [
    "Consent",
    "ContradictionDecision",
    "DataKey",
    "EmergencyRelease",
    "Fact",
    "FactGroup",
    "FactParent",
    "Hold",
    "InferenceRule",
    "Predicate",
    "Snooze",
]
