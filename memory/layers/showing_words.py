"""What pages call a memory, its kind, its lines and what happened to it."""

import json
from collections.abc import Sequence

from memory.layers.rules.strength import CONCEPT, EVENT
from memory.layers.statements import Memory, Source

TYPES = ("Fragment", "Event", "Person", "Topic", "Preference", "Insight", "Commitment")
_STEPS = {
    "formed": "formed",
    "recall": "shown by a recall",
    "duplicate": "said again",
    "pinned": "pinned",
    "unpinned": "unpinned",
    "restored": "restored",
    "archived": "archived",
    "undone": "an undo set it back",
    "set": "set by a merge or by the settings",
}
_LINKS = {
    ("part_of", "out"): "Part of",
    ("part_of", "in"): "Holds",
    ("mentions", "out"): "Mentions",
    ("mentions", "in"): "Mentioned by",
    ("next", "out"): "Said next",
    ("next", "in"): "Said before",
}


def title_of(memory: Memory) -> str:
    """What stands for a memory in a list: the words of a fragment, the title of an event, the name of a concept."""
    if memory.phi_ref is None and memory.layer == EVENT:
        return str(memory.attributes.get("title") or memory.text or memory.name)
    if memory.phi_ref is None and memory.layer == CONCEPT:
        return memory.name
    return memory.text


def more_of(memory: Memory) -> str:
    """What a memory says beside its title; empty where that is all."""
    return "" if memory.text == title_of(memory) else memory.text


def kind_of(memory: Memory) -> str:
    """What sort of thing it is, in a word: decision, preference, person, place, belief."""
    for name in ("kind", "event_class", "insight_class"):
        told = memory.attributes.get(name)
        if isinstance(told, str) and told:
            return told.replace("_", " ")
    return {"Fragment": "", "Event": "episode", "Insight": "belief"}.get(memory.type, memory.type.lower())


def sent_words(value: object) -> str:
    """What a client sent beside a line: words as they are, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def lines_words(first: int, last: int) -> str:
    """Lines `first` to `last` as they are written: "line 4", "lines 4–7"."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def line_count(sources: Sequence[Source]) -> int:
    """How many lines these are, one that is named twice counted once."""
    return len({(source.session, index) for source in sources for index in range(source.first, source.last + 1)})


def step_words(kind: str) -> str:
    """What set a strength."""
    return _STEPS.get(kind, kind)


def link_words(predicate: str, direction: str) -> str:
    """What a link says of the memory at its other end."""
    plain = predicate.replace("_", " ")
    return _LINKS.get((predicate, direction), plain.capitalize() if direction == "out" else f"Is {plain} of")
