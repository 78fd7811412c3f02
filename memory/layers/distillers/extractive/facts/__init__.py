"""Facts from plain English statements, by pattern: few, and meant to be right."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from memory.layers.distillers.extractive.facts.choices import choices
from memory.layers.distillers.extractive.facts.clauses import MAY_STATE, REMOVED, clauses
from memory.layers.distillers.extractive.facts.found import Clause, Found, Pattern
from memory.layers.distillers.extractive.facts.happenings import happenings
from memory.layers.distillers.extractive.facts.health import health
from memory.layers.distillers.extractive.facts.identity import identity, kin
from memory.layers.distillers.extractive.facts.kinds import KINDS, Dated, Kind, kind_of
from memory.layers.distillers.extractive.facts.refusals import is_left_open, is_no_evidence, is_sum
from memory.layers.distillers.extractive.facts.status import status
from memory.layers.distillers.extractive.facts.taste import taste
from memory.layers.distillers.extractive.facts.things import things
from memory.layers.rules.proposals import FactProposal, Line

__all__ = ["KINDS", "Kind", "facts_in", "kind_of"]

LONGEST_OF_OTHERS = 600

_OF_THE_SPEAKER: tuple[Pattern, ...] = (identity, status, health, taste, choices, happenings)
_FIRST_PERSON = re.compile(
    r"(?:i|im|i['’][a-z]{1,2}|we|we['’][a-z]{1,2}|my|one of my|(?:people |friends |every\w{3,4} |you can |please "
    r"|just )?call me)\b",
    re.IGNORECASE,
)
# A program that talks is nobody of whom facts are kept.
_PROGRAMS = frozenset({
    "", "assistant", "ai", "model", "bot", "chatbot", "chatgpt", "claude", "codex", "copilot", "gemini", "gpt", "agent",
})  # fmt: skip
# "a boat from 1990": the time belongs to the thing, not to what is told of it.
_OF_A_THING = re.compile(
    r"\b(?:of|from|about|(?:made|built|founded|published|released|born|written|painted|set) (?:in|on|since))\s{0,2}$",
    re.IGNORECASE,
)


def facts_in(line: Line, fragment_key: str) -> list[FactProposal]:
    """Return the facts that a line states, each resting on the fragment of that key, in order and without repeats.

    The speaker of the first person is the subject, `user` when unnamed. Only users are read, and others in lines of
    up to 600 characters; of a program that talks only what it says about things. What is asked, quoted, supposed,
    wished, joked or left open gives nothing. Confidence, decay and review are those of `KINDS`. What has an end is
    valid from when it was said.
    """
    if line.role in ("tool", "system") or (line.role != "user" and len(line.text) > LONGEST_OF_OTHERS):
        return []
    if not MAY_STATE.search(line.text):
        return []
    is_program = line.role != "user" and line.speaker.lower() in _PROGRAMS
    stated = [
        (found, clause)
        for clause in clauses(line)
        for found in _found_in(clause, is_program=is_program)
        if not is_left_open(clause)
    ]
    if not stated or is_no_evidence(line.text):
        return []
    if is_sum(line.text):
        stated = [(found, clause) for found, clause in stated if found.predicate != "price"]
    return _each_once(_proposal(found, clause, fragment_key) for found, clause in stated)


def _each_once(proposals: Iterable[FactProposal]) -> list[FactProposal]:
    kept: dict[tuple[str, str, str, bool], FactProposal] = {}
    for one in proposals:
        kept.setdefault((one.subject, one.predicate, str(one.object).lower(), one.negated), one)
    return list(kept.values())


def _found_in(clause: Clause, *, is_program: bool) -> Iterator[Found]:
    yield from things(clause)
    if is_program:
        return
    if _FIRST_PERSON.match(clause.body):
        for pattern in _OF_THE_SPEAKER:
            yield from pattern(clause)
    elif "my favo" in clause.body:
        yield from taste(clause)
    yield from kin(clause)


def _proposal(found: Found, clause: Clause, fragment_key: str) -> FactProposal:
    kind = kind_of(found.predicate)
    return FactProposal(
        subject=found.subject or clause.speaker,
        predicate=found.predicate,
        object=found.object,
        statement=f"{clause.speaker}: {_sentence(clause.text)}",
        confidence=kind.confidence,
        decay=kind.decay,
        fragment=fragment_key,
        negated=found.negated,
        valid_from=clause.at if found.until else _since(clause, kind.dated),
        valid_until=found.until,
        review=kind.review,
    )


def _since(clause: Clause, dated: Dated) -> datetime | None:
    """When what a clause says began: the one time told in it, if that is past and no part of what it speaks of."""
    times = clause.times() if dated else []
    if len(times) != 1 or times[0].begins > clause.at:
        return None
    place = clause.text.find(times[0].words)
    leads = place < len(clause.text) - len(clause.body)
    if not leads and (dated == "lead" or _OF_A_THING.search(clause.text[:place])):
        return None
    return times[0].begins


def _sentence(words: str) -> str:
    words = words.replace(REMOVED, "…").strip()
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?", "…")) else ".")
