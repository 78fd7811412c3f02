"""The words of a scope by which a query is widened, kept in the process until the scope's terms are counted again."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.embedding import word_vectors
from memory.layers.elements import run_sql
from memory.recall.rules.bm25 import idf
from memory.recall.rules.expansion import expand
from memory.recall.rules.querying import Query
from spaces.databases.entering import current

# The commonest; 1 kB each.
MOST_WORDS = 4_000
MOST_WIDENED = 20
_MOST_SCOPES = 16


@dataclass(frozen=True)
class Vocabulary:
    """Lexemes of a scope with a word for each, their idf, and the words' unit vectors, a row each."""

    counted: int
    pairs: list[tuple[str, str]]
    idf: dict[str, float]
    vectors: NDArray[np.float32]


_kept: OrderedDict[tuple[UUID, int], Vocabulary] = OrderedDict()
_using = threading.Lock()


def widened(scope: int, query: Query, counted: int, memories: int) -> dict[str, float]:
    """Further lexemes for a query with their weights, from the words of the scope. See `rules.expansion`."""
    if not query.words or not memories:
        return {}
    vocabulary = _vocabulary(scope, counted)
    if not vocabulary.pairs:
        return {}
    # A long question says in its own words what it means.
    lexemes = list(query.words)[:MOST_WIDENED]
    vectors = word_vectors([query.words[lexeme] for lexeme in lexemes])
    return expand(lexemes, vocabulary.idf, vocabulary.pairs, vocabulary.vectors, vectors)


def _vocabulary(scope: int, counted: int) -> Vocabulary:
    key = current().space_id, scope
    with _using:
        found = _kept.get(key)
        if found is not None and found.counted == counted:
            _kept.move_to_end(key)
            return found
    found = _read(scope, counted)
    with _using:
        _kept[key] = found
        _kept.move_to_end(key)
        while len(_kept) > _MOST_SCOPES:
            _kept.popitem(last=False)
    return found


def _read(scope: int, counted: int) -> Vocabulary:
    # One row of three columns: thousands of rows would take several times as long to receive.
    terms, words, holding = run_sql(
        "select coalesce(string_agg(term, ' '), ''), coalesce(string_agg(word, ' '), ''), array_agg(df) from (select"
        " term, word, df from term_df where scope = %(scope)s and word <> '' and df > 0 order by df desc, term"
        " limit %(most)s) t",
        {"scope": scope, "most": MOST_WORDS},
    )[0]
    pairs = list(zip(terms.split(), words.split(), strict=True))
    return Vocabulary(
        counted,
        pairs,
        {term: idf(counted, min(df, counted)) for (term, _), df in zip(pairs, holding or (), strict=True)},
        word_vectors([word for _, word in pairs]) if pairs else np.empty((0, 0), np.float32),
    )
