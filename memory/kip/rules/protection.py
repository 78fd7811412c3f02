"""What no text may change: the definitions that everything else rests on, and who the memory is about."""

from typing import Any

from memory.kip.language.errors import KipError
from memory.kip.rules.values import same

CONCEPT_TYPE, PROPOSITION_TYPE = "$ConceptType", "$PropositionType"
DIRECTIVES = "core_directives"

_STRUCTURE = frozenset(
    {
        (CONCEPT_TYPE, CONCEPT_TYPE),
        (CONCEPT_TYPE, PROPOSITION_TYPE),
        (CONCEPT_TYPE, "Domain"),
        (PROPOSITION_TYPE, "belongs_to_domain"),
        ("Domain", "CoreSchema"),
    }
)
_ACTORS = frozenset({("Person", "$self"), ("Person", "$system")})
_STAYING = _STRUCTURE | _ACTORS | {("Domain", "Unsorted"), ("Domain", "Archived"), ("Domain", "System")}


def is_structure(type: str, name: str) -> bool:
    """Whether a concept may not be written at all, nor be the subject of a link that is."""
    return (type, name) in _STRUCTURE


def stays(type: str, name: str) -> bool:
    """Whether a concept may neither be deleted nor merged."""
    return (type, name) in _STAYING


def changes_directives(type: str, name: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a change of attributes touches the core directives of `$self` or `$system`."""
    if (type, name) not in _ACTORS:
        return False
    held, would = DIRECTIVES in before, DIRECTIVES in after
    return held != would or not same(before.get(DIRECTIVES), after.get(DIRECTIVES))


def guards_directives(type: str, name: str) -> bool:
    """Whether a concept has core directives that stay."""
    return (type, name) in _ACTORS


def protected(type: str, name: str, what: str, *, at: int | None = None) -> KipError:
    """The error that says so; `what` ends the sentence."""
    return KipError(
        "KIP_3004",
        f'{{type: "{type}", name: "{name}"}} belongs to the protected structure: {what}.',
        hint="Leave it out, or narrow the WHERE pattern; define a type, predicate or domain of your own instead.",
        at=at,
    )
