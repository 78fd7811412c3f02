"""From a model's answer to proposals: its numbers and keys are looked up among ours, everything else is set here."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from common.times import format_instant
from memory.layers.distillers.llm.answer import (
    Answer,
    ConceptAnswer,
    EventAnswer,
    FactAnswer,
    FragmentAnswer,
    SpokenAnswer,
)
from memory.layers.distillers.llm.requests import Piece
from memory.layers.rules.proposals import (
    ConceptProposal,
    DistillerRefused,
    EventProposal,
    FactProposal,
    FragmentProposal,
    Grain,
    Line,
    LineRange,
    Proposals,
    SpokenTime,
)

MOST_CONFIDENCE = 0.9

# Confidence halves in this time.
_DECAY = {
    "always": None,
    "for years": "0.5/730d",
    "for a year": "0.5/365d",
    "for months": "0.5/180d",
    "for days": "0.5/1d",
    "for hours": "0.5/1h",
}
# Days.
_MONTH = range(28, 32)
_YEAR = range(365, 367)


def proposals_of(answer: Answer, pieces: Sequence[Piece], prefix: str) -> Proposals:
    """The proposals of one request, every key beginning with `prefix`.

    Raises DistillerRefused for a line number or a key that is not there, a key twice, and an order that is impossible.
    """
    reading = _Reading(answer, pieces, prefix)
    return Proposals(
        fragments=[reading.fragment(told) for told in answer.fragments],
        events=[reading.event(told) for told in answer.events],
        concepts=[reading.concept(told, f"{prefix}c{number}") for number, told in enumerate(answer.concepts, 1)],
        facts=[reading.fact(told) for told in answer.facts],
    )


class _Reading:
    def __init__(self, answer: Answer, pieces: Sequence[Piece], prefix: str) -> None:
        self._lines = {
            fragment.key: _lines(pieces, fragment.first_line, fragment.last_line) for fragment in answer.fragments
        }
        self._fragments = _renamed([fragment.key for fragment in answer.fragments], f"{prefix}f")
        self._events = _renamed([event.key for event in answer.events], f"{prefix}e")

    def fragment(self, told: FragmentAnswer) -> FragmentProposal:
        lines = self._lines[told.key]
        speakers = {line.speaker for line in lines}
        return FragmentProposal(
            key=self._fragments[told.key],
            text=told.text,
            kind=told.kind,
            lines=LineRange(lines[0].session, lines[0].index, lines[-1].index),
            speaker=lines[0].speaker if len(speakers) == 1 else "",
            said_at=lines[0].at,
            salience=told.salience,
            spoken=_spoken(told.spoken) if told.spoken else None,
        )

    def event(self, told: EventAnswer) -> EventProposal:
        fragments = _ours(told.fragments, self._fragments)
        instants = [line.at for key in told.fragments for line in self._lines[key]]
        return EventProposal(
            key=self._events[told.key],
            title=_one_line(told.title),
            text=told.text,
            kind=told.kind,
            begins=min(instants),
            ends=max(instants),
            fragments=fragments,
        )

    def concept(self, told: ConceptAnswer, key: str) -> ConceptProposal:
        if not told.fragments and not told.events:
            raise DistillerRefused("The model named a concept that nothing mentions.")
        return ConceptProposal(
            key=key,
            type=told.type,
            name=_one_line(told.name),
            aliases=[_one_line(alias) for alias in told.aliases],
            fragments=_ours(told.fragments, self._fragments),
            events=_ours(told.events, self._events),
            attributes=_attributes(told),
        )

    def fact(self, told: FactAnswer) -> FactProposal:
        return FactProposal(
            subject=_one_line(told.subject),
            predicate=_one_line(told.predicate),
            object=told.object,
            statement=told.statement,
            confidence=min(told.confidence, MOST_CONFIDENCE),
            decay=_DECAY[told.lasting],
            fragment=_ours([told.fragment], self._fragments)[0],
            negated=told.negated,
        )


def _lines(pieces: Sequence[Piece], first: int, last: int) -> list[Line]:
    if last > len(pieces):
        raise DistillerRefused(f"The model cited line {last}, and was given {len(pieces)}.")
    if first > last:
        raise DistillerRefused(f"The model cited lines {first} to {last}, which is backwards.")
    return [piece.line for piece in pieces[first - 1 : last]]


def _renamed(theirs: list[str], prefix: str) -> dict[str, str]:
    if len(set(theirs)) != len(theirs):
        raise DistillerRefused("The model used a key twice.")
    return {key: f"{prefix}{number}" for number, key in enumerate(theirs, 1)}


def _ours(theirs: Sequence[str], known: Mapping[str, str]) -> list[str]:
    if not all(key in known for key in theirs):
        raise DistillerRefused("The model referred to a key that it did not give.")
    return list(dict.fromkeys(known[key] for key in theirs))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _spoken(told: SpokenAnswer) -> SpokenTime:
    if told.first_day > told.last_day:
        raise DistillerRefused("The model gave a time that ends before it begins.")
    begins, ends = _midnight(told.first_day), _midnight(told.last_day) + timedelta(days=1)
    return SpokenTime(told.words, begins, ends, _grain((ends - begins).days))


def _grain(days: int) -> Grain:
    if days == 1:
        return "day"
    if days == 7:
        return "week"
    if days in _MONTH:
        return "month"
    return "year" if days in _YEAR else "span"


def _attributes(told: ConceptAnswer) -> dict[str, Any]:
    if told.type == "Topic":
        return {"kind": told.kind or "subject"}
    if told.type == "Insight":
        return {"insight_class": "belief"}
    if told.type == "Commitment":
        due = {"due_at": format_instant(_midnight(told.due))} if told.due else {}
        return {"status": "pending", **due}
    return {}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
