"""What somebody decided, and what somebody has promised to do by a date."""

import re
from collections.abc import Iterator
from datetime import timedelta

from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.grammar import ADVERBS, ARE, HAVE, WE
from memory.layers.distillers.extractive.facts.objects import phrase
from memory.layers.distillers.extractive.lexicon import entries
from memory.layers.rules.proposals import SpokenTime

GRACE = timedelta(days=14)

_DECIDED = re.compile(
    rf"{WE}\s?{HAVE}{ADVERBS}(?:decided|agreed|chose|chosen|settled|opted|made the decision)"
    r" (?P<how>not to|against|to|on|for|that we will not|that we['’]ll|that we will|upon)? ?(?P<object>.+)",
    re.IGNORECASE,
)
_GOING_WITH = re.compile(
    rf"(?:{ARE} {ADVERBS}(?P<not>not )?going with|{WE} {ADVERBS}went with|{WE}\s?{HAVE}{ADVERBS}picked) (?P<object>.+)",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"(?:up|out|on|off|my|our|his|some|a (?:friend|group|few)|friends?|family|people|kids|everyone|.{1,80} to the)\b",
    re.IGNORECASE,
)
_GIVEN_NAMES = entries("given_names")
_NEEDS_A_LINK = re.compile(r"\b(?:decided|agreed|settled|opted|decision) ?$", re.IGNORECASE)
_EMPTY = re.compile(
    r"(?:go with )?(?:option|plan|choice|version) (?:[0-9]|(?-i:[A-Z])\b)|(?:to disagree|disagree|give|try|take a"
    r" (?:look|break)|go for|see|check|with|stuff|do so|be|get)\b(?! [\w-]+ \w+)",
    re.IGNORECASE,
)
_WILL = re.compile(
    rf"(?:{WE} {ADVERBS}(?:will|plan to|intend to|promise to)|(?:i|we)['’]ll|{ARE} {ADVERBS}(?P<no>not )?(?:going to"
    rf"|gonna|planning to)|{WE} (?P<wont>won['’]t|will not|am not going to)) {ADVERBS}(?P<not>not )?(?P<object>.+)",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"(?:see|have|talk|chat|catch|let|be (?:back|there|here|around|ready|ok|fine|sure)|keep you|miss|try|do my best"
    r"|check|ping|get back|have to|need|never|always|probably|like|love|hope|think|know|look forward|wait|go now"
    # "going to" a place
    r"|the|an?|my|our|bed|work|school|church|(?-i:[A-Z])\w*)\b",
    re.IGNORECASE,
)
_BEFORE_A_TIME = re.compile(
    r"[\s,]{0,3}\b(?:(?:by|on|before|until|till|at|in|for|around|no later than|due|during|from|starting"
    r"|the)\s{0,2}){1,3}$",
    re.IGNORECASE,
)


def choices(clause: Clause) -> Iterator[Found]:
    """Decisions for and against, and commitments with a date."""
    yield from _decision(clause)
    yield from _commitment(clause)


def _decision(clause: Clause) -> Iterator[Found]:
    if found := _GOING_WITH.match(clause.body):
        wanted = phrase(found["object"])
        if wanted and not _COMPANY.match(wanted) and wanted.split()[0] not in _GIVEN_NAMES:
            yield Found("decided_against" if found["not"] else "decided", wanted)
        return
    found = _DECIDED.match(clause.body)
    if found is None:
        return
    how = (found["how"] or "").lower()
    if not how and _NEEDS_A_LINK.search(found[0][: found.start("object")]):
        return
    against = how in ("against", "not to", "that we will not")
    wanted = phrase(without_time(found["object"], clause.times()).removeprefix("to "))
    if wanted and not _EMPTY.match(wanted):
        yield Found("decided_against" if against else "decided", wanted)


def _commitment(clause: Clause) -> Iterator[Found]:
    found = _WILL.match(clause.body)
    if found is None or _SMALL_TALK.match(found["object"]):
        return
    times = [time for time in clause.times() if time.ends > clause.at]
    if not times:
        return
    deed = phrase(without_time(found["object"], times), to_listener=True)
    if deed is not None and len(deed.split()) > 1:
        negated = bool(found["not"] or found["no"] or found["wont"])
        yield Found("will", deed, negated, until=times[-1].ends + GRACE)


def without_time(words: str, times: list[SpokenTime]) -> str:
    """Words up to the first of the times told in them, or with it taken from their beginning or end."""
    for time in times:
        before, told, after = words.partition(time.words)
        if told:
            before = _BEFORE_A_TIME.sub("", before.rstrip())
            words = before if before.strip() else after.strip()
    return words
