"""What somebody began, finished, got or joined."""

import re
from collections.abc import Iterator

from memory.layers.distillers.extractive.facts.choices import without_time
from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.grammar import ADVERBS, HAVE, WE
from memory.layers.distillers.extractive.facts.objects import phrase

_HAPPENED = re.compile(
    rf"{WE}\s?{HAVE}{ADVERBS}(?P<verb>started|joined|bought|adopted|finished|launched|graduated from|enrolled in"
    r"|signed up for) (?P<object>.+)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:to (?:be|feel|think|see|notice|wonder|cry|laugh|get|realize|realise|understand|have)|with|by|at|in|on|off|out"
    r"|up|over|from|for|as|into|because|crying|laughing|thinking|feeling|noticing|wondering|getting|seeing|being"
    r"|having|going|looking|talking|saying|asking|trying|doing|a (?:conversation|fight|chat|discussion|call)|forces"
    r"|hands|in|the same|my (?:day|morning|shift|week|meal|coffee|breakfast|lunch|dinner)|breakfast|lunch|dinner|work"
    r"|all|some|a few|me|us|the(?! (?-i:[A-Z]))|[0-9]|early|late|small|slow|again|today|yesterday|new|over)\b",
    re.IGNORECASE,
)
_PREDICATES = {"graduated from": "graduated_from", "enrolled in": "enrolled_in", "signed up for": "enrolled_in"}


def happenings(clause: Clause) -> Iterator[Found]:
    """Beginnings, endings and purchases, the verb being the predicate."""
    found = _HAPPENED.match(clause.body)
    if found is None or _NOTHING.match(found["object"]):
        return
    what = phrase(without_time(found["object"], clause.times()))
    if what:
        verb = found["verb"].lower()
        yield Found(_PREDICATES.get(verb, verb), what)
