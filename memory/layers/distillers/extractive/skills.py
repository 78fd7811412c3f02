"""Skills: programs and languages one works with, and what one practises, by lists of ours."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memory.layers.distillers.extractive.lexicon import lower_entries
from memory.layers.distillers.extractive.passages import Passage

_TOOLS = lower_entries("tools") - lower_entries("ambiguous_tools")
_ACTIVITIES = lower_entries("activities")
_BUSY = lower_entries("ambiguous_activities")
_ALL = _TOOLS | _ACTIVITIES
_SINGLE = frozenset(entry for entry in _ALL if entry.isalpha())
_PHRASES = sorted(_ALL - _SINGLE)
_PRACTISED = re.compile(
    r"""
    \b(?:
      lov(?:e|es|ed|ing) | enjoy(?:s|ed|ing)? | into | start(?:ed|ing)? | try | tried | trying | learn\w{0,3}
    | practi[cs]\w{1,4} | (?:good|better|great|bad)\ at | teach\w{0,3} | taught | play\w{0,3} | taking | took(?:\ up)?
    | (?:class(?:es)?|lessons?)\ in | hobby\ is | hobbies\ are | passion\ for
    | (?:fluent|written|skills|certified|expert|qualified|experienced?)\ in
    | go | goes | went | knows? | uses? | using | switched\ to | experience\ with
    )\ (?:(?:up|my|the|some|a\ bit\ of|how\ to)\ )?(?:[\w.+#-]{1,20}(?:,|,?\ and|\ &)\ ){0,3}$
    """,
    re.VERBOSE,
)
_TAUGHT = re.compile(
    r"\A (?:class|classes|lessons?|course|practice|club|skills|tournament|competition|studio|teacher|coach|team)\b"
)
_DONE_TO = re.compile(r"\A (?:my|an?|the|this|that|our|your|his|her|their|out|late|low|into|up|it|them|to)\b")
_ENOUGH_LINES = 2
_AROUND = 80


@dataclass(slots=True)
class Skill:
    """A skill in small letters, as it is written, with the fragments that name it and whether anyone practises it."""

    lower: str
    name: str
    fragments: dict[str, None] = field(default_factory=dict)
    lines: set[tuple[int, int]] = field(default_factory=set)
    practised: bool = False

    @property
    def is_evident(self) -> bool:
        """Whether it was named in two lines, or in one by somebody who practises it."""
        return self.practised or (len(self.lines) >= _ENOUGH_LINES and self.lower not in _BUSY)


def skills(passages: Iterable[Passage]) -> dict[str, Skill]:
    """Return every skill that the passages name, by its small letters, evident or not."""
    found: dict[str, Skill] = {}
    for passage in passages:
        if passage.line.role in {"tool", "system"}:
            continue
        text = passage.said
        lowered = text.lower()
        for lower in _named(lowered, passage.words):
            place = _place(lowered, lower)
            if place is None:
                continue
            name = text[place : place + len(lower)] if len(text) == len(lowered) else lower
            skill = found.setdefault(lower, Skill(lower, name if name != lower else _capitalised(lower)))
            skill.fragments[passage.fragment.key] = None
            if passage.tells:
                skill.lines.add((passage.line.session, passage.line.index))
                skill.practised = skill.practised or _is_practised(lowered, lower, place)
    return found


def _named(lowered: str, words: Sequence[str]) -> list[str]:
    single = sorted(_SINGLE.intersection(words))
    return [*single, *(phrase for phrase in _PHRASES if phrase in lowered)]


def _place(lowered: str, skill: str) -> int | None:
    found = re.search(rf"(?<![\w.-]){re.escape(skill)}(?![\w+#-])", lowered)
    return found.start() if found else None


def _capitalised(lower: str) -> str:
    return lower[:1].upper() + lower[1:] if lower in _ACTIVITIES else lower


def _is_practised(lowered: str, skill: str, place: int) -> bool:
    after = lowered[place + len(skill) : place + len(skill) + _AROUND]
    if skill in _BUSY and _DONE_TO.match(after):
        return False
    return _PRACTISED.search(lowered, max(0, place - _AROUND), place) is not None or _TAUGHT.match(after) is not None
