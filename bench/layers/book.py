"""A book: the conversations of one scope, what a distiller would make of them, and what is indexed of that."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.layers.talk import A_SESSION, Said, conversation
from bench.layers.vocabulary import vocabulary
from memory.embedding import Embedder
from memory.layers.index_rows import embed_fragments, embed_texts
from memory.layers.indexing import month_words
from memory.layers.vectors import Vectors
from memory.recall.rules.indexing import IndexedText, IndexInput, index_fragment, index_whole

# For each 1,000 fragments, as a year of conversations gave: 100 events, 30 concepts, 2,700 links.
AN_EVENT = 10
CONCEPTS = 0.03
_MENTIONS_OF_EVENT = 3
_EMBEDDED_AT_ONCE = 5_000

# Ends of a link are places in `Book.indexed`: fragments, then events, then concepts.
Link = tuple[int, str, int]


@dataclass(frozen=True)
class Book:
    """Fragments are lines in their order, an event is ten of them, a concept a name.

    `words` and `vectors` have a row for each fragment, then for each event, then for each concept.
    """

    talks: Sequence[Sequence[Said]]
    events: Sequence[str]
    concepts: Sequence[str]
    links: Sequence[Link]
    words: Sequence[IndexedText]
    vectors: Vectors

    @property
    def fragments(self) -> int:
        return sum(len(talk) for talk in self.talks)


def written(number: int, fragments: int, embedder: Embedder) -> Book:
    """The book of this number, of so many fragments; its vectors are the embedder's."""
    lengths = [min(A_SESSION, fragments - begin) for begin in range(0, fragments, A_SESSION)]
    talks = [conversation(number, place, length) for place, length in enumerate(lengths)]
    lines = [line for talk in talks for line in talk]
    events = [_title(lines[begin : begin + AN_EVENT]) for begin in range(0, fragments, AN_EVENT)]
    concepts = list(vocabulary().names.listed[-max(1, round(fragments * CONCEPTS)) :])
    inputs = [item for talk in talks for item in _inputs(talk)]
    words = [index_fragment(item) for item in inputs]
    words += [index_whole(text) for text in (*events, *concepts)]
    return Book(
        talks,
        events,
        concepts,
        _links(lengths, len(events), len(concepts), np.random.default_rng([number, fragments])),
        words,
        np.concatenate([_vectors(inputs, embedder), embed_texts([*events, *concepts], embedder)]),
    )


def _title(lines: Sequence[Said]) -> str:
    return " ".join(lines[0].text.split()[:8] + lines[-1].text.split()[-8:])


def _inputs(talk: Sequence[Said]) -> list[IndexInput]:
    texts = [None, *(line.text for line in talk), None]
    return [
        IndexInput(line.speaker, line.text, texts[place], texts[place + 2], month_words(line.at))
        for place, line in enumerate(talk)
    ]


def _vectors(inputs: Sequence[IndexInput], embedder: Embedder) -> Vectors:
    starts = range(0, len(inputs), _EMBEDDED_AT_ONCE)
    return np.concatenate(
        [embed_fragments(inputs[start : start + _EMBEDDED_AT_ONCE], embedder).composed for start in starts]
    )


def _links(lengths: Sequence[int], events: int, concepts: int, chance: np.random.Generator) -> list[Link]:
    """Fragments to their event and to the next one, every second fragment to a concept, events to three each."""
    fragments = sum(lengths)
    last_of_talks = set(np.cumsum(lengths).tolist())
    found: list[Link] = [(place, "part_of", fragments + place // AN_EVENT) for place in range(fragments)]
    found += [(place - 1, "next", place) for place in range(1, fragments) if place not in last_of_talks]
    mentioning = [
        *range(0, fragments, 2),
        *(fragments + place for place in range(events) for _ in range(_MENTIONS_OF_EVENT)),
    ]
    # The first concepts are mentioned far more often than the last.
    chosen = (concepts * chance.random(len(mentioning)) ** 3).astype(int).tolist()
    mentions = zip(mentioning, chosen, strict=True)
    return found + sorted({(place, "mentions", fragments + events + concept) for place, concept in mentions})
