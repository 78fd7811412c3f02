"""What is a place: known ones, and names that something happens in."""

import re

from memory.layers.distillers.extractive.candidates import Candidate
from memory.layers.distillers.extractive.lexicon import lower_entries

ENOUGH = 3
_KNOWN_PLACE = 4
_HINT = 2
_AMBIGUOUS = lower_entries("ambiguous_places")
_PLACES = lower_entries("countries") | lower_entries("regions") | lower_entries("cities")
_HEADS = lower_entries("place_heads")
_HAPPENS = re.compile(
    r"""
    \b(live|lives|lived|living|moved?|moving|trip|travel|travell?ed|travell?ing|fly|flew|flying|born|grew\ up|based
      |vacation|holiday|arrived|stay|stayed|staying|been|went|going|go|headed|drive|drove|road\ trip|tour|visit|visited
      |visiting|relocated|relocating|back\ home|flights?|hike|hiking|camping|office|conference)
    (?:\ (?:back|over|up|down|here|out))?(?:\ (?:in|to|at|from|around|through|near))?(?:\ the)?\ $
    """,
    re.VERBOSE,
)
_VISITS = frozenset({"visit", "visited", "visiting", "tour"})
_WHERE = re.compile(
    r"\b(?:in|near|around|across|outside|from|to) (?:the |downtown |northern |southern |western |eastern |central )?$"
)


def is_known_place(lower: str) -> bool:
    """Tell whether a name in small letters is a country, region or well-known city, and seldom anything else."""
    return lower in _PLACES and lower not in _AMBIGUOUS


def place_score(candidate: Candidate) -> int:
    """Add up what speaks for a place: 3 is enough."""
    if is_known_place(candidate.lower):
        return _KNOWN_PLACE
    happens = set()
    where = 0
    for sighting in candidate.evidence:
        found = _HAPPENS.search(sighting.before)
        if found and (found[0].rstrip() != found[1] or found[1] in _VISITS):
            happens.add(found[1])
        if _WHERE.search(sighting.before):
            where = 1
    words = candidate.words
    head = len(words) > 1 and (words[-1] in _HEADS or words[0] in _HEADS or " ".join(words[-2:]) in _HEADS)
    known = _HINT if candidate.lower in _AMBIGUOUS else 0
    return _HINT * len(happens) + (ENOUGH if head else 0) + known + where
