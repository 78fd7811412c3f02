"""Proposals as JSON, while they wait for a person, and back."""

from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, TypeVar

from common.times import format_instant, parse_instant
from memory.layers.rules.proposals import (
    ConceptProposal,
    EventProposal,
    FactProposal,
    FragmentProposal,
    LineRange,
    SpokenTime,
)

AnyProposal = FragmentProposal | EventProposal | ConceptProposal | FactProposal
Made = TypeVar("Made", FragmentProposal, EventProposal, ConceptProposal, FactProposal)

KINDS: dict[str, type[AnyProposal]] = {
    "fragment": FragmentProposal,
    "event": EventProposal,
    "concept": ConceptProposal,
    "fact": FactProposal,
}
_INSTANTS = frozenset({"said_at", "begins", "ends", "valid_from", "valid_until"})


def kind_of(proposal: AnyProposal) -> str:
    """What a proposal is called: fragment, event, concept or fact."""
    return next(kind for kind, made in KINDS.items() if isinstance(proposal, made))


def to_document(proposal: AnyProposal) -> dict[str, Any]:
    """The proposal as a JSON object; its lines keep the number of their session within the batch."""
    return {name: _plain(value) for name, value in asdict(proposal).items()}


def from_document(kind: str, document: dict[str, Any]) -> AnyProposal:
    """The proposal that `to_document` wrote. Raises KeyError for another kind."""
    made = KINDS[kind]
    known = {item.name for item in fields(made)}
    values = {name: _read(name, value) for name, value in document.items() if name in known}
    return made(**values)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _read(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _INSTANTS:
        return parse_instant(value)
    if name == "lines":
        return LineRange(**value)
    if name == "spoken":
        return SpokenTime(**{key: _read(key, item) for key, item in value.items()})
    return tuple(value) if name in {"fragments", "events", "aliases"} else value
