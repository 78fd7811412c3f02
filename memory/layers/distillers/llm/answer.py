"""The form of a model's answer: checked strictly on arrival, and told to endpoints that enforce it as JSON Schema."""

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from common.strict import Confidence, Read, StrictModel, VisibleText

FragmentKind = Literal["statement", "question", "decision", "preference", "commitment", "plan", "tool error"]
ConceptType = Literal["Person", "Topic", "Preference", "Insight", "Commitment"]
TopicKind = Literal["place", "organisation", "thing", "skill", "subject"]
Lasting = Literal["always", "for years", "for a year", "for months", "for days", "for hours"]

_LARGEST_NUMBER = 10**15


def _day(text: str) -> date:
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) or not "1000" <= text[:4] <= "9998":
        raise ValueError("must be a day, YYYY-MM-DD")
    return date.fromisoformat(text)


Day = Annotated[date, Read(_day), WithJsonSchema({"type": "string", "description": "YYYY-MM-DD"})]
Key = Annotated[str, Field(pattern=r"\A[A-Za-z0-9_\-]{1,32}\z")]
Keys = Annotated[list[Key], Field(max_length=500)]
LineNumber = Annotated[int, Field(ge=1, le=1_000_000)]
Name = Annotated[str, VisibleText(1, 200)]
Term = Annotated[str, VisibleText(1, 500)]
Number = Annotated[int | float, Field(ge=-_LARGEST_NUMBER, le=_LARGEST_NUMBER)]


class SpokenAnswer(StrictModel):
    words: Annotated[str, VisibleText(1, 200)]
    first_day: Day
    last_day: Day


class FragmentAnswer(StrictModel):
    key: Key
    text: Annotated[str, VisibleText(1, 1_000)]
    kind: FragmentKind
    first_line: LineNumber
    last_line: LineNumber
    salience: Confidence
    spoken: SpokenAnswer | None = None


class EventAnswer(StrictModel):
    key: Key
    title: Annotated[str, VisibleText(1, 200)]
    text: Annotated[str, VisibleText(1, 2_000)]
    kind: Literal["decision", "episode"]
    fragments: Annotated[Keys, Field(min_length=1)]


class ConceptAnswer(StrictModel):
    type: ConceptType
    name: Name
    aliases: Annotated[list[Name], Field(max_length=20)] = []
    kind: TopicKind | None = None
    due: Day | None = None
    fragments: Keys = []
    events: Keys = []


class FactAnswer(StrictModel):
    subject: Term
    predicate: Term
    object: Term | bool | Number
    statement: Annotated[str, VisibleText(1, 1_000)]
    confidence: Confidence
    lasting: Lasting
    fragment: Key
    negated: bool = False


class Answer(StrictModel):
    """All that a model may say about one request."""

    fragments: Annotated[list[FragmentAnswer], Field(max_length=500)]
    events: Annotated[list[EventAnswer], Field(max_length=200)]
    concepts: Annotated[list[ConceptAnswer], Field(max_length=500)]
    facts: Annotated[list[FactAnswer], Field(max_length=500)]


# What endpoints that enforce a schema understand in common; lengths and ranges are checked here alone.
_PORTABLE = frozenset({"$defs", "$ref", "anyOf", "description", "enum", "items", "properties", "type"})


def answer_schema() -> dict[str, Any]:
    """The JSON Schema of `Answer`, every property required and no other allowed, as strict endpoints ask for it."""
    return _portable(Answer.model_json_schema())


def _portable(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in schema.items() if name in _PORTABLE}
    for name in {"$defs", "properties"} & kept.keys():
        kept[name] = {key: _portable(value) for key, value in kept[name].items()}
    if "anyOf" in kept:
        kept["anyOf"] = [_portable(choice) for choice in kept["anyOf"]]
    if "items" in kept:
        kept["items"] = _portable(kept["items"])
    if "properties" in kept:
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept
