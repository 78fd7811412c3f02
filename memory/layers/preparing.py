"""From proposals to what can be stored in one transaction. Models are called here, outside it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from memory.embedding import Embedder
from memory.layers.batches import (
    Batch,
    Prepared,
    Proposed,
    Ready,
    concept_attributes,
    description_of,
    event_attributes,
    fragment_attributes,
)
from memory.layers.index_rows import embed_fragments, embed_texts, words_of_fragments
from memory.layers.indexing import month_words
from memory.layers.rules.proposals import ConceptProposal, EventProposal, FragmentProposal, LineRange
from memory.layers.rules.strength import CONCEPT, EVENT, FRAGMENT
from memory.layers.tombstones import Blocked
from memory.layers.twins import Live, Told, find_twins, twins_within
from memory.layers.unforgotten import unforgotten
from memory.layers.vectors import Vectors
from memory.recall.rules.indexing import IndexInput, index_whole

# Persons are told apart by their names alone: Anna is not Anne, however near they are.
_BY_NAME_ALONE = frozenset({"Person"})


def prepare(batch: Batch, live: Live, embedder: Embedder, blocked: Blocked) -> Prepared:
    """Leave out what was forgotten, index what is left, and find what is known already. Raises EmbedderUnavailable."""
    batch = replace(batch, proposals=unforgotten(batch, blocked))
    fragments = _fragments(batch, live, embedder)
    kept = {ready.key for ready in fragments} | set(batch.adopted)
    events = _events(batch, live, embedder, kept)
    kept |= {ready.key for ready in events}
    concepts = _concepts(batch, live, embedder, kept)
    facts = [fact for fact in batch.proposals.facts if fact.fragment in kept]
    return Prepared(fragments, events, concepts, facts)


def _fragments(batch: Batch, live: Live, embedder: Embedder) -> list[Ready[FragmentProposal]]:
    proposals = batch.proposals.fragments
    if not proposals:
        return []
    parts = _parts(proposals)
    inputs = [_input(batch, proposal, part) for proposal, part in zip(proposals, parts, strict=True)]
    vectors = embed_fragments(inputs, embedder)
    attributes = [
        fragment_attributes(proposal, batch.lines) | ({"part": part} if part else {})
        for proposal, part in zip(proposals, parts, strict=True)
    ]
    told = [
        Told("Fragment", proposal.text, kept, batch.class_of([proposal.key]))
        for proposal, kept in zip(proposals, attributes, strict=True)
    ]
    twins = _twins(FRAGMENT, proposals, told, vectors.own, live, embedder)
    return [
        Ready(proposal, kept, words, composed, twin)
        for proposal, kept, words, composed, twin in zip(
            proposals, attributes, words_of_fragments(inputs), vectors.composed, twins, strict=True
        )
    ]


def _events(batch: Batch, live: Live, embedder: Embedder, kept: set[str]) -> list[Ready[EventProposal]]:
    proposals: list[EventProposal] = []
    for event in batch.proposals.events:
        under = [key for key in event.fragments if key in kept]
        if under:
            proposals.append(replace(event, fragments=under))
    if not proposals:
        return []
    attributes = [event_attributes(proposal) for proposal in proposals]
    told = [
        Told("Event", proposal.text, held, batch.class_of(proposal.fragments))
        for proposal, held in zip(proposals, attributes, strict=True)
    ]
    own = embed_texts([proposal.text for proposal in proposals], embedder)
    twins = _twins(EVENT, proposals, told, own, live, embedder)
    return _wholes(proposals, attributes, [(proposal.title, proposal.text) for proposal in proposals], twins, embedder)


def _concepts(batch: Batch, live: Live, embedder: Embedder, kept: set[str]) -> list[Ready[ConceptProposal]]:
    proposals: list[ConceptProposal] = []
    for concept in batch.proposals.concepts:
        fragments = [key for key in concept.fragments if key in kept]
        events = [key for key in concept.events if key in kept]
        if fragments or events:
            proposals.append(replace(concept, fragments=fragments, events=events))
    if not proposals:
        return []
    attributes = [concept_attributes(proposal) for proposal in proposals]
    told = [
        Told(proposal.type, proposal.name, held, batch.class_of(proposal.fragments))
        for proposal, held in zip(proposals, attributes, strict=True)
    ]
    own = embed_texts([proposal.name for proposal in proposals], embedder)
    twins = _twins(CONCEPT, proposals, told, np.where(_by_meaning(proposals), own, np.float32(0)), live, embedder)
    texts = [(proposal.name, *proposal.aliases, description_of(proposal)) for proposal in proposals]
    return _wholes(proposals, attributes, texts, _same_names(proposals, twins), embedder)


def _wholes(
    proposals: Sequence[Proposed],
    attributes: Sequence[dict[str, Any]],
    texts: Sequence[tuple[str, ...]],
    twins: Sequence[int | str | None],
    embedder: Embedder,
) -> list[Ready[Proposed]]:
    """Events or concepts with what is indexed of them, which is what `indexing.texts_of` gives of their nodes."""
    vectors = embed_texts([" ".join(parts) for parts in texts], embedder)
    return [
        Ready(proposal, held, index_whole(*parts), vector, twin)
        for proposal, held, parts, vector, twin in zip(proposals, attributes, texts, vectors, twins, strict=True)
    ]


def _twins(
    layer: int, proposals: Sequence[Proposed], told: Sequence[Told], own: Vectors, live: Live, embedder: Embedder
) -> list[int | str | None]:
    """For each proposal what says the same: an earlier one of the batch by its key, else a live node."""
    within = twins_within(layer, told, own)
    known = find_twins(live, layer, told, own, embedder)
    return [proposals[within[place]].key if place in within else node for place, node in enumerate(known)]


def _same_names(proposals: Sequence[ConceptProposal], twins: Sequence[int | str | None]) -> list[int | str | None]:
    """The twins, and of two concepts with one type and name the earlier for the later."""
    first: dict[tuple[str, str], str] = {}
    found: list[int | str | None] = []
    for proposal, twin in zip(proposals, twins, strict=True):
        earlier = first.setdefault((proposal.type, proposal.name), proposal.key)
        found.append(twin if earlier == proposal.key else earlier)
    return found


def _by_meaning(proposals: Sequence[ConceptProposal]) -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    return np.array([[proposal.type not in _BY_NAME_ALONE] for proposal in proposals])


def _input(batch: Batch, proposal: FragmentProposal, part: int) -> IndexInput:
    lines = proposal.lines
    return IndexInput(
        speaker=proposal.speaker,
        text=proposal.text,
        previous=batch.text_at(lines.session, lines.first - 1) if part == 0 else None,
        following=batch.text_at(lines.session, lines.last + 1) if part == 0 else None,
        month_words=month_words(proposal.said_at),
    )


def _parts(proposals: Sequence[FragmentProposal]) -> list[int]:
    """Which part of its line each fragment is, from 0."""
    seen: Counter[LineRange] = Counter()
    parts = []
    for proposal in proposals:
        parts.append(seen[proposal.lines])
        seen[proposal.lines] += 1
    return parts
