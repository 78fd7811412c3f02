"""The types and predicates of a graph, read from its own definition nodes once for each text."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memory.kip.graph import Graph
from memory.kip.language.errors import KipError
from memory.kip.rules.protection import CONCEPT_TYPE, PROPOSITION_TYPE
from memory.layers.elements import run_sql

# They define themselves, so the text that makes them may name them.
_BUILT_IN = (CONCEPT_TYPE, PROPOSITION_TYPE)
_READ = (
    "select type, name, attributes from node"
    " where scope = %(scope)s and type = any(%(types)s) and superseded_by is null and merged_into is null"
)


@dataclass(frozen=True)
class PredicateRule:
    """What a predicate may join; None is anything, links included."""

    subject_types: frozenset[str] | None
    object_types: frozenset[str] | None
    description: str = ""

    def refusal(self, subject: str | None, object: str | None) -> str | None:
        """Why it may not join ends of these types, as the end of a sentence; None for a link's. None when it may."""
        for place, allowed, given in (("subject", self.subject_types, subject), ("object", self.object_types, object)):
            if allowed is not None and given not in allowed:
                said = "a link" if given is None else f"a {given}"
                return f"takes {' or '.join(sorted(allowed))} as its {place}, not {said}"
        return None


@dataclass
class Registry:
    """Types with their `instance_schema`, and predicates; what a text defines is added as it goes."""

    types: dict[str, Any] = field(default_factory=lambda: dict.fromkeys(_BUILT_IN))
    predicates: dict[str, PredicateRule] = field(default_factory=dict)

    def define(self, type: str, name: str, attributes: dict[str, Any]) -> None:
        """Take in a definition node as it stands now; any other node changes nothing."""
        if type == CONCEPT_TYPE:
            self.types[name] = attributes.get("instance_schema")
        elif type == PROPOSITION_TYPE:
            self.predicates[name] = rule_of(attributes)

    def require_type(self, name: str, *, at: int | None = None) -> None:
        """Raise KIP_2001 for a type that is not registered."""
        if name not in self.types:
            raise unregistered("type", name, self.types, at=at)

    def require_predicate(self, name: str, *, at: int | None = None) -> PredicateRule:
        """What a predicate may join. Raises KIP_2001 when it is not registered."""
        if name not in self.predicates:
            raise unregistered("predicate", name, self.predicates, at=at)
        return self.predicates[name]


def registry(graph: Graph) -> Registry:
    """What the graph defines at this moment."""
    found = Registry()
    for type, name, attributes in run_sql(_READ, {"scope": graph.scope, "types": list(_BUILT_IN)}):
        found.define(type, name, json.loads(attributes))
    return found


def types(graph: Graph) -> set[str]:
    """The names of the registered concept types."""
    return set(registry(graph).types)


def predicates(graph: Graph) -> dict[str, PredicateRule]:
    """The registered predicates with what they may join."""
    return registry(graph).predicates


def rule_of(attributes: dict[str, Any]) -> PredicateRule:
    """What the definition of a predicate says of its ends."""
    return PredicateRule(
        _allowed(attributes.get("subject_types")),
        _allowed(attributes.get("object_types")),
        str(attributes.get("description") or ""),
    )


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The registered name that was probably meant; None when none is near."""
    folded = {known.casefold(): known for known in sorted(names, reverse=True)}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def unregistered(what: str, name: str, names: Iterable[str], *, at: int | None = None) -> KipError:
    """KIP_2001 for a type or predicate that the graph does not know."""
    meant = nearest(name, names)
    list_all = f"DESCRIBE {'CONCEPT' if what == 'type' else 'PROPOSITION'} TYPES"
    hint = f"Did you mean '{meant}'? " if meant else ""
    return KipError("KIP_2001", f'The {what} "{name}" is not registered.', hint=f"{hint}{list_all} lists them.", at=at)


def _allowed(told: Any) -> frozenset[str] | None:
    if not isinstance(told, list):
        return None
    names = frozenset(name for name in told if isinstance(name, str))
    return None if not names or "*" in names else names
