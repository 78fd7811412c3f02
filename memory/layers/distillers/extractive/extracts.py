"""What happened in an episode, in a few of its own sentences: those nearest its middle."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from memory.layers.distillers.extractive.passages import Utterance
from memory.layers.distillers.extractive.vocabulary import Vocabulary
from memory.layers.distillers.extractive.words import is_question, sentences, shortened, words_of

_LONGEST_SENTENCE = 300
_FULL_LENGTH = 8
_LESSER = 0.7
_ALIKE = 0.9
_FEW, _SOME = 4, 10


def extract(said: Sequence[Utterance], vectors: NDArray[np.float32], vocabulary: Vocabulary) -> str:
    """Return one to three sentences of what was kept, in their order, each with who said it.

    Lines count by the cosine of their vector with the mean; short ones, questions and tools less. Of a line its
    weightiest sentence is taken.
    """
    kept = [place for place, utterance in enumerate(said) if utterance.passages]
    wanted = 1 if len(kept) <= _FEW else 2 if len(kept) <= _SOME else 3
    middle = vectors[kept].mean(axis=0)
    scores = vectors[kept] @ middle * np.array([_worth(said[place]) for place in kept])
    chosen: list[int] = []
    for best in np.argsort(-scores, kind="stable"):
        place = kept[int(best)]
        if all(float(vectors[place] @ vectors[other]) < _ALIKE for other in chosen):
            chosen.append(place)
        if len(chosen) == wanted:
            break
    return _told([said[place] for place in sorted(chosen)], vocabulary)


def weightiest_sentence(text: str, vocabulary: Vocabulary) -> str:
    """Return the sentence of a text that tells most by the words it holds, in one line of at most 300 characters."""
    found = sentences(text)
    best = max(found, key=lambda sentence: (_weight(sentence, vocabulary), len(sentence))) if len(found) > 1 else text
    return shortened(best, _LONGEST_SENTENCE)


def _worth(utterance: Utterance) -> float:
    length = min(1.0, len(utterance.words) / _FULL_LENGTH)
    if utterance.line.role == "tool" or is_question(utterance.said):
        return length * _LESSER
    return length


def _weight(sentence: str, vocabulary: Vocabulary) -> float:
    words = words_of(sentence)
    weight: float = sum(vocabulary.weight(stem) for word in words for stem in vocabulary.stems(word))
    return weight / sqrt(max(len(words), _FULL_LENGTH))


def _told(said: Sequence[Utterance], vocabulary: Vocabulary) -> str:
    told = []
    last = ""
    for utterance in said:
        speaker = utterance.line.speaker or utterance.line.role
        sentence = weightiest_sentence(utterance.said or utterance.text, vocabulary)
        told.append(sentence if speaker == last else f"{speaker}: {sentence}")
        last = speaker
    return " ".join(told)
