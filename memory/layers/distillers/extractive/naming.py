"""From names to concepts: which of them are people, places, organisations or things."""

import re
from collections.abc import Mapping, Sequence

from memory.layers.distillers.extractive import organisations, people, places
from memory.layers.distillers.extractive.aliases import canonical, full_names, nicknames
from memory.layers.distillers.extractive.candidates import Candidate, SmallWords, candidates
from memory.layers.distillers.extractive.drafts import Drafts
from memory.layers.distillers.extractive.lexicon import lower_entries
from memory.layers.distillers.extractive.passages import Passage

_TOOLS = lower_entries("tools")
_ROLES = lower_entries("relations")
_DRAWN_OUT = re.compile(r"(.)\1\1")
_ENOUGH_FOR_A_THING = 2
_MOST_WORDS_OF_A_THING = 4
_SHORTEST_THING = 3


def add_names(drafts: Drafts, passages: Sequence[Passage], known: Mapping[str, tuple[str, str]]) -> None:
    """Add the people, places, organisations and things that the passages name."""
    small = SmallWords(passage.said for passage in passages)
    found = candidates(passages, small)
    speakers = _speakers(passages)
    kinds = {lower: _kind(candidate, small, known) for lower, candidate in found.items() if lower not in speakers}
    persons = {lower for lower, kind in kinds.items() if kind == "person"} | set(speakers)
    persons |= {lower for lower, kind in kinds.items() if kind == "thing" and _is_full_name(lower, persons)}
    _add_people(drafts, found, speakers, persons, known)
    for lower, kind in kinds.items():
        if kind is not None and lower not in persons:
            drafts.add("Topic", found[lower].name, found[lower].fragments, kind=kind)


def _speakers(passages: Sequence[Passage]) -> dict[str, str]:
    names = {passage.line.speaker for passage in passages if people.is_somebody(passage.line)}
    return {name.lower(): name for name in sorted(names)}


def _kind(candidate: Candidate, small: SmallWords, known: Mapping[str, tuple[str, str]]) -> str | None:
    """Return "person", the kind of a topic, or None for what is no name or shows too little."""
    if candidate.lower in known:
        return "person" if known[candidate.lower][0] == "Person" else "thing"
    if places.is_known_place(candidate.lower):
        return "place"
    if candidate.lower in _TOOLS or _is_common(candidate, small):
        return None
    if kind := _topic_kind(candidate):
        return kind
    if people.person_score(candidate) >= people.ENOUGH:
        return "person"
    if organisations.employs(candidate):
        return "organisation"
    return "thing" if _is_thing(candidate) else None


def _topic_kind(candidate: Candidate) -> str | None:
    if organisations.is_organisation_by_name(candidate):
        return "organisation"
    # One goes to Hannah, or moves in with her, as one does to a town.
    return "place" if places.place_score(candidate) >= places.ENOUGH + people.given_name_score(candidate) else None


def _is_common(candidate: Candidate, small: SmallWords) -> bool:
    words = candidate.words
    if _DRAWN_OUT.search(candidate.lower) or words[-1].removesuffix("s") in _ROLES:
        return True
    if len(words) > 1:
        return all(small.is_ordinary(word, len(candidate.evidence) + 1) for word in words)
    return small.is_ordinary(candidate.lower, sum(sighting.inside for sighting in candidate.evidence))


def _is_thing(candidate: Candidate) -> bool:
    inside = sum(sighting.inside for sighting in candidate.evidence)
    if people.is_pet(candidate):
        return True
    if len(candidate.lower) < _SHORTEST_THING or len(candidate.words) > _MOST_WORDS_OF_A_THING or not inside:
        return False
    return len(candidate.words) > 1 or (inside >= _ENOUGH_FOR_A_THING and len(candidate.telling) >= _ENOUGH_FOR_A_THING)


def _is_full_name(lower: str, persons: set[str]) -> bool:
    first, _, rest = lower.partition(" ")
    return bool(rest) and " " not in rest and first in persons


def _add_people(
    drafts: Drafts,
    found: Mapping[str, Candidate],
    speakers: Mapping[str, str],
    persons: set[str],
    known: Mapping[str, tuple[str, str]],
) -> None:
    short = nicknames(persons, speakers)
    full = full_names(persons, known)
    spelt = {lower: candidate.name for lower, candidate in found.items()} | dict(speakers)
    for lower in sorted(persons):
        form = canonical(short.get(lower, lower), full, known)
        name = known[form][1] if form in known else spelt[form]
        draft = drafts.add("Person", name, found[lower].fragments if lower in found else (), person_class="Human")
        drafts.call(draft, spelt[lower])
