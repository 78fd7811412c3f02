"""Words that no language has, drawn as often as words of a language are: the n-th commonest about 1/n as often."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

NOUNS, VERBS, ADJECTIVES, NAMES = 14_000, 5_000, 4_000, 1_200

# Mandelbrot's form of Zipf's law: frequency ∝ 1 / (rank + 2.7).
_SHIFT = 2.7
_DRAWN_AT_ONCE = 4_096
_ONSETS = (
    *("b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n"),
    *("p", "pl", "pr", "qu", "r", "s", "sh", "sl", "st", "t", "th", "tr", "v", "w", "z"),
)
_NUCLEI = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS = ("", "", "", "l", "m", "n", "r", "sk", "nt", "rd", "lp", "ck")


@dataclass(frozen=True)
class Words:
    """Words in the order of how common they are."""

    listed: Sequence[str]
    cumulated: NDArray[np.float64]

    def drawn(self, chance: np.random.Generator) -> Iterator[str]:
        """Words without end, each by its frequency."""
        while True:
            places = np.searchsorted(self.cumulated, chance.random(_DRAWN_AT_ONCE))
            yield from (self.listed[place] for place in places.tolist())


@dataclass(frozen=True)
class Vocabulary:
    """24,200 words, no two alike. Verbs are in the past tense, names have a capital."""

    nouns: Words
    verbs: Words
    adjectives: Words
    names: Words


@cache
def vocabulary() -> Vocabulary:
    """The one vocabulary, the same in every process."""
    chance = random.Random(20_260_101)
    taken: set[str] = set()
    verbs = [f"{_verb_stem(word)}ed" for word in _new(VERBS, chance, taken)]
    names = [word.capitalize() for word in _new(NAMES, chance, taken)]
    return Vocabulary(
        nouns=_ranked(_new(NOUNS, chance, taken)),
        verbs=_ranked(verbs),
        adjectives=_ranked([f"{word}ish" for word in _new(ADJECTIVES, chance, taken)]),
        names=_ranked(names),
    )


def _new(count: int, chance: random.Random, taken: set[str]) -> list[str]:
    """`count` words that are not taken yet; the common ones are short, as in any language."""
    found: list[str] = []
    while len(found) < count:
        syllables = (chance.choice(_ONSETS) + chance.choice(_NUCLEI) for _ in range(chance.choice((2, 2, 3, 3, 4))))
        word = "".join(syllables) + chance.choice(_CODAS)
        if word not in taken:
            taken.add(word)
            found.append(word)
    return sorted(found, key=lambda word: len(word) + 4 * chance.random())


def _verb_stem(word: str) -> str:
    return word if word[-1] not in "aeiou" else f"{word}t"


def _ranked(listed: Sequence[str]) -> Words:
    weights = 1 / (np.arange(1, len(listed) + 1) + _SHIFT)
    return Words(listed, np.cumsum(weights / weights.sum()))
