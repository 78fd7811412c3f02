"""Who is a person: the signs that stand around a name, added up."""

import re

from memory.layers.distillers.extractive.candidates import Candidate
from memory.layers.distillers.extractive.lexicon import entries, lower_entries
from memory.layers.distillers.extractive.sightings import Sighting
from memory.layers.rules.proposals import Line

ENOUGH = 2
_SURE = 3
_MOST_NAMES = 3
_NO_NAME = lower_entries("speaking_roles")
_MACHINES = lower_entries("machines")
_BETWEEN_WORDS = re.compile(r"[\s\d._:/()-]+")
_GIVEN = lower_entries("given_names")
_RELATION = "|".join(re.escape(word.lower()) for word in sorted(entries("relations"), key=len, reverse=True))
_OWNER = r"(?:my|his|her|our|their|your|an?|the|mein\w{0,2}|unser\w{0,2}|mi|mis|ma|mon|notre|nuestr[oa])"
_RELATED = re.compile(rf"\b{_OWNER} (?:[\w-]{{1,15}} ){{0,2}}(?:{_RELATION}),? (?:named |called )?$")
_ADDRESSED = re.compile(
    r"\b(?:hey|hi|hello|dear|thanks|thank you|hiya|hola|hallo|bonjour|dr\.?|mrs?\.?|ms\.?|prof\.?|uncle|aunt),? $"
)
_MET = re.compile(r"\b(met|told|with|named|asked|called|saw|texted|married|dating|helped|invited|thank) $")
_ACTS = re.compile(
    rf"""
      \ (?:said|says|suggested|told|asked|thinks|thought|mentioned|texted|laughed|promised|who's|who\ is)\b
    | 's\ (?:birthday|wedding|house|place|mom|mum|dad|mother|father|wife|husband|family|kids|funeral)\b
    | ,\ (?:my|his|her|our)\ (?:[\w-]{{1,15}}\ ){{0,2}}(?:{_RELATION})\b
    """,
    re.VERBOSE,
)
_PET = re.compile(
    rf"\b(?:{'|'.join(re.escape(pet.lower()) for pet in sorted(entries('pets')))}),?(?: is| are)? "
    r"(?:named |called |name is |names are )?(?:[\w-]{1,20} and )?$"
)
_CALLED_AT_END = re.compile(r"\A\s?(?:[!?]|\.(?:\s|\Z)|\Z)")
_TWICE = 2


def person_score(candidate: Candidate) -> int:
    """Add up what speaks for a person: 2 is enough; 0 when anything speaks against it."""
    if not _may_be_a_name(candidate) or any(_PET.search(sighting.before) for sighting in candidate.evidence):
        return 0
    met: set[str] = set()
    best = 0
    called = 0
    if any(_RELATED.search(sighting.before) for sighting in candidate.foreign):
        best = _SURE
    for sighting in candidate.evidence:
        best = max(best, _strongest(sighting))
        if found := _MET.search(sighting.before):
            met.add(found[1])
        called += _is_called(sighting)
    return best + min(len(met), ENOUGH) + (ENOUGH if called >= _TWICE else 0) + given_name_score(candidate)


def given_name_score(candidate: Candidate) -> int:
    """Return 2 for a common given name, 1 when it only begins sentences, else 0."""
    if candidate.words[0] not in _GIVEN:
        return 0
    return ENOUGH if any(sighting.inside for sighting in candidate.evidence) else 1


def is_pet(candidate: Candidate) -> bool:
    """Tell an animal's name."""
    return any(_PET.search(sighting.before) for sighting in candidate.evidence)


def is_somebody(line: Line) -> bool:
    """Tell whether the speaker of a line is a person with a name, not a role, a tool or a program."""
    words = set(_BETWEEN_WORDS.split(line.speaker.lower())) - {""}
    if not words or line.role not in {"user", "assistant"} or words & _NO_NAME:
        return False
    return line.role == "user" or not words & _MACHINES


def _may_be_a_name(candidate: Candidate) -> bool:
    words = candidate.words
    return (
        not candidate.name.replace(" ", "").isupper()
        and all(word[:1].isalpha() and not any(char.isdigit() for char in word) for word in words)
        and len(words) <= _MOST_NAMES
        and (len(words) < _MOST_NAMES or words[0] in _GIVEN)
    )


def _strongest(sighting: Sighting) -> int:
    if _RELATED.search(sighting.before) or _ADDRESSED.search(sighting.before):
        return _SURE
    return ENOUGH if _ACTS.match(sighting.after) else 0


def _is_called(sighting: Sighting) -> bool:
    before = sighting.before.rstrip()
    if before.endswith(","):
        return _CALLED_AT_END.match(sighting.after) is not None
    return (not before or before[-1] in ".!?\n") and sighting.after.startswith(", ")
