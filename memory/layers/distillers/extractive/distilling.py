"""The default distiller: rules and word vectors, no language model, no network."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memory.layers.distillers.extractive.concepts import concepts
from memory.layers.distillers.extractive.events import events
from memory.layers.distillers.extractive.facts import facts_in
from memory.layers.distillers.extractive.kinds import kind_by_facts
from memory.layers.distillers.extractive.passages import Passage, Utterance, names_of_speakers, passages_of, utterances
from memory.layers.distillers.extractive.vocabulary import Vocabulary
from memory.layers.rules.proposals import FactProposal, Known, Line, Proposals

_EMBEDDED = 400  # characters of a line by which its topic is told; more would cost time and change little


class Extractive:
    """Keeps what was said in its own words. The same lines and the same knowledge give the same proposals."""

    name = "extractive"

    def __init__(self, embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> None:
        """`embed` gives one vector of unit length for each text, as the rows of a matrix."""
        self._embed = embed

    def distil(self, lines: Sequence[Line], known: Known) -> Proposals:
        """Return fragments, events, concepts and facts for lines that are in order within each session.

        Meant for batches of up to a few thousand lines; time and memory grow with their number.
        """
        said = utterances(lines)
        if not said:
            return Proposals()
        facts = _facts_by_fragment(said)
        _refine_kinds(said, facts)
        vocabulary = Vocabulary([utterance.words for utterance in said], known.frequent, names_of_speakers(lines))
        vectors = self._embed([(utterance.said or utterance.text)[:_EMBEDDED] for utterance in said])
        happened = events(said, vectors, facts, vocabulary)
        passages = list(passages_of(said))
        stated = [fact for passage in passages for fact in facts.get(passage.fragment.key, ())]
        return Proposals(
            fragments=tuple(passage.fragment for passage in passages),
            events=tuple(happened),
            concepts=tuple(concepts(passages, happened, stated, known)),
            facts=tuple(stated),
        )


def _facts_by_fragment(said: Sequence[Utterance]) -> dict[str, list[FactProposal]]:
    return {passage.fragment.key: found for passage in passages_of(said) if (found := _facts_of(passage))}


def _facts_of(passage: Passage) -> list[FactProposal]:
    """Read the facts of a fragment; a decision made of a proposal and its answer is not one person's statement."""
    line, fragment = passage.line, passage.fragment
    if not passage.tells or fragment.lines.first != fragment.lines.last:
        return []
    return facts_in(line if fragment.text == line.text else replace(line, text=fragment.text), fragment.key)


def _refine_kinds(said: Sequence[Utterance], facts: dict[str, list[FactProposal]]) -> None:
    """Give a fragment the kind that its facts show, where they show one."""
    for utterance in said:
        for place, passage in enumerate(utterance.passages):
            kind = kind_by_facts(fact.predicate for fact in facts.get(passage.fragment.key, ()))
            if kind is not None and kind != passage.fragment.kind:
                utterance.passages[place] = replace(passage, fragment=replace(passage.fragment, kind=kind))
