"""Vectors of single words, kept for the life of the process: a query is widened by words that are near its own."""

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.embedding.choosing import embedder_named
from memory.embedding.embedder import Embedder

MOST_WORDS = 200_000
_FIRST_ROWS = 4_096


class WordVectors:
    """A matrix that grows by the words asked for, half precision: 512 bytes a word.

    When a call would take it above `most` words it begins anew with that call's.
    """

    def __init__(self, embedder: Embedder, most: int = MOST_WORDS) -> None:
        self._embedder = embedder
        self._most = most
        self._using = threading.Lock()
        self._rows: dict[str, int] = {}
        self._matrix = self._empty()

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One row a word, of unit length to three decimals. May be called by several threads at once."""
        with self._using:
            fresh = [word for word in dict.fromkeys(words) if word not in self._rows]
            if len(self._rows) + len(fresh) > self._most:
                self._rows, self._matrix = {}, self._empty()
                fresh = list(dict.fromkeys(words))
            if len(fresh) > self._most:
                return self._embedder.embed(words)
            self._learn(fresh)
            chosen = np.fromiter((self._rows[word] for word in words), dtype=np.intp, count=len(words))
            found = self._matrix[chosen]
        return found.astype(np.float32)

    def _learn(self, fresh: list[str]) -> None:
        start, end = len(self._rows), len(self._rows) + len(fresh)
        if end > len(self._matrix):
            grown = np.zeros(
                (min(max(end, 2 * len(self._matrix)), self._most), self._matrix.shape[1]), dtype=np.float16
            )
            grown[:start] = self._matrix[:start]
            self._matrix = grown
        self._matrix[start:end] = self._embedder.embed(fresh)
        self._rows.update((word, start + place) for place, word in enumerate(fresh))

    def _empty(self) -> NDArray[np.float16]:
        return np.zeros((min(_FIRST_ROWS, self._most), self._embedder.dimensions), dtype=np.float16)


_vectors = WordVectors(embedder_named("wordllama"))


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """wordllama's vectors of single words, one row of 256 each, of unit length; from memory where it has them.

    Whatever KNDL_EMBEDDER says: the widening of a query was measured with these.
    """
    return _vectors.of(words)
