"""From proposals to what can be stored in one transaction. Models are called here, outside it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memory.embedding import Embedder
from memory.layers.batches import (
    Batch,
    Prepared,
    Ready,
    concept_attributes,
    event_attributes,
    fragment_attributes,
)
from memory.layers.index_rows import embed_fragments, embed_texts, words_of_fragment, words_of_whole
from memory.layers.indexing import month_words
from memory.layers.rules.proposals import ConceptProposal, EventProposal, FragmentProposal, LineRange
from memory.layers.rules.strength import CONCEPT, EVENT, FRAGMENT
from memory.layers.tombstones import Blocked
from memory.layers.twins import Live, Told, find_twins, twins_within
from memory.recall.rules.indexing import IndexInput

# Persons are told apart by their names alone: Anna is not Anne, however near they are.
_BY_NAME_ALONE = frozenset({"Person"})


def prepare(batch: Batch, live: Live, embedder: Embedder, blocked: Blocked) -> Prepared:
    """Leave out what was forgotten, index what is left, and find what is known already. Raises EmbedderUnavailable."""
    fragments, same = _fragments(batch, live, embedder, blocked)
    kept = {ready.key for ready in fragments} | set(same) | set(batch.adopted)
    events = _events(batch, live, embedder, blocked, kept)
    kept |= {ready.key for ready in events}
    concepts = _concepts(batch, live, embedder, blocked, kept)
    facts = [fact for fact in batch.proposals.facts if fact.fragment in kept]
    return Prepared(fragments, events, concepts, facts, same)


def _fragments(
    batch: Batch, live: Live, embedder: Embedder, blocked: Blocked
) -> tuple[list[Ready[FragmentProposal]], dict[str, str]]:
    proposals = [
        proposal
        for proposal in batch.proposals.fragments
        if not blocked.fragment(
            proposal.text, batch.sessions[proposal.lines.session].pk, proposal.lines.first, proposal.lines.last
        )
    ]
    if not proposals:
        return [], {}
    parts = _parts(proposals)
    inputs = [_input(batch, proposal, part) for proposal, part in zip(proposals, parts, strict=True)]
    vectors = embed_fragments(inputs, embedder)
    attributes = [
        fragment_attributes(proposal, batch.lines) | ({"part": part} if part else {})
        for proposal, part in zip(proposals, parts, strict=True)
    ]
    told = [
        Told("Fragment", proposal.text, kept, batch.sessions[proposal.lines.session].classification)
        for proposal, kept in zip(proposals, attributes, strict=True)
    ]
    within = twins_within(FRAGMENT, told, vectors.own)
    twins = find_twins(live, FRAGMENT, told, vectors.own, embedder)
    ready = [
        Ready(proposal, kept, words_of_fragment(item), composed, own, twin)
        for proposal, kept, item, composed, own, twin in zip(
            proposals, attributes, inputs, vectors.composed, vectors.own, twins, strict=True
        )
    ]
    same = {proposals[later].key: proposals[first].key for later, first in within.items()}
    return [item for place, item in enumerate(ready) if place not in within], same


def _events(
    batch: Batch, live: Live, embedder: Embedder, blocked: Blocked, kept: set[str]
) -> list[Ready[EventProposal]]:
    proposals: list[EventProposal] = []
    for event in batch.proposals.events:
        under = [key for key in event.fragments if key in kept]
        if under and not _event_is_blocked(batch, blocked, event):
            proposals.append(replace(event, fragments=under))
    if not proposals:
        return []
    own = embed_texts([proposal.text for proposal in proposals], embedder)
    attributes = [event_attributes(proposal) for proposal in proposals]
    told = [
        Told("Event", proposal.text, kept_attributes, batch.class_of(proposal.fragments))
        for proposal, kept_attributes in zip(proposals, attributes, strict=True)
    ]
    within = twins_within(EVENT, told, own)
    twins = find_twins(live, EVENT, told, own, embedder)
    return [
        Ready(proposal, attributes[place], words_of_whole(proposal.title, proposal.text), own[place], own[place], twin)
        for place, (proposal, twin) in enumerate(zip(proposals, twins, strict=True))
        if place not in within
    ]


def _concepts(
    batch: Batch, live: Live, embedder: Embedder, blocked: Blocked, kept: set[str]
) -> list[Ready[ConceptProposal]]:
    proposals: list[ConceptProposal] = []
    for concept in batch.proposals.concepts:
        fragments = [key for key in concept.fragments if key in kept]
        events = [key for key in concept.events if key in kept]
        if (fragments or events) and not blocked.concept(concept.type, concept.name):
            proposals.append(replace(concept, fragments=fragments, events=events))
    if not proposals:
        return []
    own = embed_texts([proposal.name for proposal in proposals], embedder)
    attributes = [concept_attributes(proposal) for proposal in proposals]
    told = [
        Told(proposal.type, proposal.name, kept_attributes, batch.class_of(proposal.fragments))
        for proposal, kept_attributes in zip(proposals, attributes, strict=True)
    ]
    twins = find_twins(live, CONCEPT, told, np.where(_by_meaning(proposals), own, 0.0), embedder)
    return [
        Ready(proposal, kept_attributes, words_of_whole(proposal.name, *proposal.aliases), vector, vector, twin)
        for proposal, kept_attributes, vector, twin in zip(proposals, attributes, own, twins, strict=True)
    ]


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


def _event_is_blocked(batch: Batch, blocked: Blocked, event: EventProposal) -> bool:
    lines = [batch.ranges[key] for key in event.fragments if key in batch.ranges]
    if not lines:
        return False
    session = batch.sessions[lines[0].session].pk
    return blocked.event(session, min(item.first for item in lines), max(item.last for item in lines), event.title)
