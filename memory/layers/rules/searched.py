"""What of a node is searched beside its name, aliases and text, by its type."""

from collections.abc import Iterator, Mapping
from typing import Any

_SEARCHED = {
    "Event": ("content_summary", "key_concepts"),
    "Experience": ("goal", "initial_state", "outcome", "context"),
    "ExperienceStep": ("summary",),
    "Skill": (*("description", "goal", "trigger_conditions", "applicability_context", "procedure", "failure_signals"),),
}


def searched_texts(type: str, attributes: Mapping[str, Any], text: str) -> list[str]:
    """The texts of a node's attributes that are searched; none that `text` says already."""
    found = []
    for name in _SEARCHED.get(type, ("description",)):
        said = " ".join(words_in(attributes.get(name)))
        if said and said not in text:
            found.append(said)
    return found


def words_in(value: Any) -> Iterator[str]:
    """Every string, number and key of a JSON value, in order."""
    if isinstance(value, Mapping):
        for key, told in value.items():
            yield str(key).replace("_", " ")
            yield from words_in(told)
    elif isinstance(value, list):
        for item in value:
            yield from words_in(item)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
