"""What a concept's type says of it as a memory: its layer, the text that is shown of it, how soon it fades."""

import math
from collections.abc import Mapping
from typing import Any

from memory.layers.rules.strength import CONCEPT, EVENT, FRAGMENT

BESIDE = 0
_LAYERS = {
    "Fragment": FRAGMENT,
    "Event": EVENT,
    **dict.fromkeys(("Person", "Domain", "Topic", "Preference", "Insight", "Commitment"), CONCEPT),
}
# In days. The profile, section 10: a salient experience fades more slowly, up to half as fast.
_EXPERIENCE, _SKILL = 30.0, 90.0
_SHOWN = {
    "Fragment": ("text", "content"),
    "Event": ("content_summary",),
    "Experience": ("goal", "outcome"),
    "ExperienceStep": ("summary",),
    "SleepTask": ("reason",),
}


def layer_of(type: str) -> int:
    """The layer of a concept that KIP makes; 0 for what stands beside the layers."""
    return _LAYERS.get(type, BESIDE)


def tau_of(type: str, attributes: Mapping[str, Any], base: float) -> float:
    """τ in days, infinite for what never fades; `base` is what the Space says of the type's layer."""
    if type == "Experience":
        salience = attributes.get("salience_score")
        if not isinstance(salience, int | float) or isinstance(salience, bool):
            return _EXPERIENCE
        return _EXPERIENCE * (1 + float(min(100, max(0, salience))) / 100)
    return _SKILL if type == "Skill" else base


def score_of(metadata: Mapping[str, Any]) -> float | None:
    """The strength that the metadata states, 0 to 1; None where it states none."""
    told = metadata.get("memory_strength")
    if not isinstance(told, int | float) or isinstance(told, bool) or not math.isfinite(told):
        return None
    return float(min(1, max(0, told)))


def text_of(type: str, attributes: Mapping[str, Any]) -> str:
    """What is shown of a concept as a memory; empty where its attributes say nothing of the kind."""
    told = (attributes.get(name) for name in _SHOWN.get(type, ("description",)))
    return " – ".join(text for text in told if isinstance(text, str) and text)
