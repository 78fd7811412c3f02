"""The events of a batch: episodes, and the decisions and commitments made in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from memory.layers.distillers.extractive import keys
from memory.layers.distillers.extractive.episodes import episodes, stretches
from memory.layers.distillers.extractive.extracts import extract
from memory.layers.distillers.extractive.kinds import kind_of
from memory.layers.distillers.extractive.passages import Passage, Utterance
from memory.layers.distillers.extractive.titles import title_of
from memory.layers.distillers.extractive.vocabulary import Vocabulary
from memory.layers.distillers.extractive.words import is_question, sentences, shortened, words_of
from memory.layers.rules.proposals import EventProposal, FactProposal

_FEWEST_FRAGMENTS = 2
_LINES_AROUND = 2
_LONGEST_TITLE = 120
_LONGEST_TEXT = 600
_SAYS_DECIDED = re.compile(
    r"\A.{0,40}?\b(?:I|we)(?:['’]ve| have)? (?:\w{3,7} )?decided (?:to |on |that )?", re.IGNORECASE
)
_LED_BY = {"decided": "Decided", "decided_against": "Decided against", "will": "Promised"}
_LEADS = {"decision": "Decided", "commitment": "Promised"}


def events(
    said: Sequence[Utterance],
    vectors: NDArray[np.float32],
    facts: Mapping[str, Sequence[FactProposal]],
    vocabulary: Vocabulary,
) -> list[EventProposal]:
    """Return the episodes of what was said, then the decisions; `vectors` has one row an utterance.

    `facts` are those read from each fragment, by its key. An episode holds two fragments at least.
    """
    within = stretches([utterance.line.session for utterance in said], [utterance.line.at for utterance in said])
    found = []
    for part in episodes(within, vectors):
        episode = _episode(said[part.start : part.stop], vectors[part.start : part.stop], vocabulary)
        if episode is not None:
            found.append(episode)
    for stretch in within:
        found += _decisions(said[stretch.start : stretch.stop], facts)
    return found


def _episode(said: Sequence[Utterance], vectors: NDArray[np.float32], vocabulary: Vocabulary) -> EventProposal | None:
    kept = [passage for utterance in said for passage in utterance.passages]
    if len(kept) < _FEWEST_FRAGMENTS:
        return None
    begins = said[0].line.at
    return EventProposal(
        key=keys.episode_key(said[0].line),
        title=title_of(kept, begins.astimezone(UTC), vocabulary),
        text=extract(said, vectors, vocabulary),
        kind="episode",
        begins=begins,
        ends=max(utterance.line.at for utterance in said),
        fragments=tuple(passage.fragment.key for passage in kept),
    )


def _decisions(said: Sequence[Utterance], facts: Mapping[str, Sequence[FactProposal]]) -> Iterator[EventProposal]:
    """Yield a decision for each line that makes one, with the fragments of the two lines before and after."""
    for place, utterance in enumerate(said):
        deciding = next((passage for passage in utterance.passages if passage.fragment.kind in _LEADS), None)
        if deciding is None or not deciding.tells:
            continue
        around = said[max(0, place - _LINES_AROUND) : place + _LINES_AROUND + 1]
        speaker = utterance.line.speaker or utterance.line.role
        yield EventProposal(
            key=keys.decision_key(utterance.line),
            title=_decision_title(deciding, facts.get(deciding.fragment.key, ())),
            text=f"{speaker}: {shortened(deciding.fragment.text, _LONGEST_TEXT)}",
            kind="decision",
            begins=utterance.line.at,
            ends=utterance.line.at,
            fragments=tuple(passage.fragment.key for near in around for passage in near.passages),
        )


def _decision_title(passage: Passage, facts: Sequence[FactProposal]) -> str:
    for fact in facts:
        if fact.predicate in _LED_BY and not fact.negated and isinstance(fact.object, str):
            return shortened(f"{_LED_BY[fact.predicate]}: {fact.object}", _LONGEST_TITLE)
    deciding = _SAYS_DECIDED.sub("", _deciding(passage)).rstrip(" .。")
    return shortened(f"{_LEADS[passage.fragment.kind]}: {deciding}", _LONGEST_TITLE)


def _deciding(passage: Passage) -> str:
    """Return the sentence that decides, or the last question with its answer."""
    said = sentences(passage.said)
    for sentence in said:
        if kind_of(sentence, words_of(sentence)) == passage.fragment.kind:
            return sentence
    questions = [place for place, sentence in enumerate(said) if is_question(sentence)]
    return " ".join(said[questions[-1] :]) if questions else passage.said
