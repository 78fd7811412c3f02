"""The proposals of several requests as one: a concept that several of them name becomes one concept."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from memory.layers.rules.proposals import ConceptProposal, Known, Proposals


def merged(parts: Sequence[Proposals], known: Known) -> Proposals:
    """All proposals together. Concepts of one type and name are one, under the name that the scope has for it."""
    concepts: dict[tuple[str, str], ConceptProposal] = {}
    for found in chain.from_iterable(part.concepts for part in parts):
        concept = _as_known(found, known)
        identity = (concept.type, concept.name.casefold())
        concepts[identity] = _united(concepts[identity], concept) if identity in concepts else concept
    return Proposals(
        fragments=[fragment for part in parts for fragment in part.fragments],
        events=[event for part in parts for event in part.events],
        concepts=[_tidied(concept) for concept in concepts.values()],
        facts=[fact for part in parts for fact in part.facts],
    )


def _as_known(concept: ConceptProposal, known: Known) -> ConceptProposal:
    type_, name = known.concepts.get(concept.name.lower(), ("", ""))
    if type_ != concept.type or name == concept.name:
        return concept
    return replace(concept, name=name, aliases=[*concept.aliases, concept.name])


def _united(one: ConceptProposal, other: ConceptProposal) -> ConceptProposal:
    return replace(
        one,
        aliases=[*one.aliases, *other.aliases],
        fragments=list(dict.fromkeys([*one.fragments, *other.fragments])),
        events=list(dict.fromkeys([*one.events, *other.events])),
        attributes=other.attributes | one.attributes,
    )


def _tidied(concept: ConceptProposal) -> ConceptProposal:
    by_form = {alias.casefold(): alias for alias in reversed(concept.aliases)}
    by_form.pop(concept.name.casefold(), None)
    return replace(concept, aliases=sorted(by_form.values()))
