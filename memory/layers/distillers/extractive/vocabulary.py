"""The words of a batch weighed by how much they tell: frequent ones little, words of grammar and courtesy nothing."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import chain
from math import log

from common.text import lexemes
from memory.layers.distillers.extractive.lexicon import entries

_DULL = entries("stop_words") | entries("courtesies") | entries("foreign_stop_words") | entries("dull_words")
_UNSPACED = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3400-\u9fff]{2,}|[\uac00-\ud7a3]{2,}")
_LATIN = re.compile(r"[a-zß-ɏ'-]+")
_WORD_OF_HAN = 4
_SHORTEST = 3
_FREQUENT_SHARE = 0.5
_BACKGROUND = 50  # texts without the word that are taken for given, or what a short talk is about would weigh least


class Vocabulary:
    """Weights of a batch's words: inverse document frequency over its texts, halved for what the scope uses often."""

    def __init__(self, texts: Sequence[Sequence[str]], frequent: Set[str], names: Set[str]) -> None:
        """Weigh the words of `texts`; `frequent` are the scope's common stems, `names` those of the speakers."""
        occurs = Counter(chain.from_iterable(map(set, texts)))
        self._stems = {word: () if word.partition("'")[0] in names else tuple(_analysed(word)) for word in occurs}
        stems: Counter[str] = Counter()
        for word, times in occurs.items():
            for stem in self._stems[word]:
                stems[stem] += times
        self._weights = {stem: _weight(times, len(texts), frequent=stem in frequent) for stem, times in stems.items()}

    def stems(self, word: str) -> tuple[str, ...]:
        """Return the stems of a word of the batch: none for dull words, several for unspaced writing."""
        return self._stems.get(word, ())

    def weight(self, stem: str) -> float:
        """Return how much a stem of the batch tells, near 0 for one that is everywhere."""
        return self._weights.get(stem, 0.0)


def _analysed(word: str) -> list[str]:
    if word in _DULL:
        return []
    if _LATIN.fullmatch(word):
        return lexemes(word.partition("'")[0])[:1] if len(word) >= _SHORTEST else []
    runs: list[str] = _UNSPACED.findall(word)
    if not runs:
        return lexemes(word) if len(word) >= _SHORTEST else []
    return [part for run in runs for part in _words_of_run(run)]


def _words_of_run(run: str) -> list[str]:
    """Take a short run of characters for a word, a long one for its pairs."""
    if len(run) <= _WORD_OF_HAN or not "\u3400" <= run[0] <= "\u9fff":
        return [run]
    return [run[start : start + 2] for start in range(len(run) - 1)]


def _weight(occurs: int, texts: int, *, frequent: bool) -> float:
    weight = log((texts + _BACKGROUND) / min(occurs, texts))
    return weight * _FREQUENT_SHARE if frequent else weight
