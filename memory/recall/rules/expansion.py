"""Words of the scope that mean nearly what the query's words mean."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

NEAR_ENOUGH = 0.60
WEIGHT = 0.4
MOST = 6


def expand(
    query_terms: Sequence[str],
    idf: Mapping[str, float],
    vocabulary: Sequence[tuple[str, str]],
    vectors: NDArray[np.float32],
    query_vectors: NDArray[np.float32],
) -> dict[str, float]:
    """Return further lexemes for a query with their weights, up to 6 for each of `query_terms`.

    `query_terms` are the lexemes to expand (keys of Query.words), `query_vectors` the unit vectors of their words, one
    row each. `vocabulary` lists (lexeme, word) of the scope, `vectors` the unit vectors of its words in that order; a
    scope that keeps no words may give the lexemes in their place.
    `idf` holds those of the scope: a word without one is not taken, and a query's lexeme without one is the rarest.

    A word counts from cosine 0.60 on. Its weight is 0.4 × cosine × min(1, idf of the query's / its own), the greatest
    where several of the query's words lead to it. None of `query_terms` comes back.
    """
    if not query_terms or not vocabulary:
        return {}
    cosines = query_vectors @ vectors.T
    given = set(query_terms)
    found: dict[str, float] = {}
    for row, term in enumerate(query_terms):
        near = np.flatnonzero(cosines[row] >= NEAR_ENOUGH)
        taken: dict[str, float] = {}
        for place in near[np.argsort(-cosines[row][near], kind="stable")]:
            lexeme = vocabulary[place][0]
            if lexeme in given or lexeme in taken or not idf.get(lexeme):
                continue
            rarity = min(1.0, idf[term] / idf[lexeme]) if term in idf else 1.0
            taken[lexeme] = WEIGHT * float(cosines[row][place]) * rarity
            if len(taken) == MOST:
                break
        for lexeme, weight in taken.items():
            found[lexeme] = max(weight, found.get(lexeme, 0.0))
    return found
