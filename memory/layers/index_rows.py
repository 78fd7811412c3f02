"""What is searched of a node: its words, their weighted length, and its vector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from django.db import connections

from memory.embedding import Embedder
from memory.layers.elements import run_sql
from memory.layers.rules.tsvector import tsvector_bytes
from memory.layers.vectors import Vectors, halfvec_bytes
from memory.recall.rules.indexing import (
    IndexedText,
    IndexInput,
    compose,
    context_applies,
    head_of,
    index_fragment,
    own_text,
    tail_of,
    weighted,
)
from memory.recall.rules.stopwords import terms
from spaces.databases.entering import current_alias

_LONGEST_EMBEDDED = 4_000


@dataclass(frozen=True)
class Indexed:
    """A row of `node_index` to be: node, layer, words, and a vector or a row of zeros."""

    node: int
    layer: int
    words: IndexedText
    vector: Vectors

    @property
    def length(self) -> int:
        """Ten times the weighted number of words, as the column holds it."""
        return round(10 * self.words.length)


@dataclass(frozen=True)
class FragmentVectors:
    """Unit vectors of fragments, a row each: of their own words, and with those around them."""

    own: Vectors
    composed: Vectors


def embed_fragments(inputs: Sequence[IndexInput], embedder: Embedder) -> FragmentVectors:
    """The vectors of fragments. A text that serves several of them is embedded once."""
    own = [own_text(item.speaker, item.text)[:_LONGEST_EMBEDDED] for item in inputs]
    tails = [tail_of(item.previous or "") if context_applies(item.text, item.previous) else "" for item in inputs]
    heads = [head_of(item.following or "") if context_applies(item.text, item.following) else "" for item in inputs]
    texts = list(dict.fromkeys([*own, *tails, *heads]))
    vectors = embedder.embed(texts)
    place = {text: row for row, text in enumerate(texts)}
    taken = [vectors[[place[text] for text in group]] for group in (own, tails, heads)]
    return FragmentVectors(taken[0], compose(*taken))


def embed_texts(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """The unit vectors of whole texts, a row each."""
    if not texts:
        return np.empty((0, embedder.dimensions), np.float32)
    return embedder.embed([text[:_LONGEST_EMBEDDED] for text in texts])


def words_of_fragments(items: Sequence[IndexInput]) -> list[IndexedText]:
    """The words of fragments with those around them. A text that serves several of them is analysed once."""
    analysed = cache(terms)
    return [index_fragment(item, analysed) for item in items]


def add_to_index(scope: int, rows: Sequence[Indexed]) -> None:
    """Add rows for nodes that are not in the index, inside the caller's transaction."""
    if not rows:
        return
    with connections[current_alias()].cursor() as cursor:
        statement = "copy node_index (node, scope, layer, length, search, embedding) from stdin (format binary)"
        with cursor.copy(statement) as copy:
            copy.set_types(["int8", "int4", "int2", "int4", "bytea", "bytea"])
            for row in rows:
                search = tsvector_bytes(scope, frequencies(row.words))
                copy.write_row((row.node, scope, row.layer, row.length, search, halfvec_bytes(row.vector)))
    # Recall ranks by the words of memories alone: what KIP stores beside them does not count.
    counted = [row.length for row in rows if row.layer]
    if counted:
        count_rows(scope, len(counted), sum(counted))


def frequencies(words: IndexedText) -> Mapping[str, float]:
    """Each lexeme's weighted frequency."""
    return {lexeme: weighted(counts) for lexeme, counts in words.lexemes.items()}


def count_rows(scope: int, rows: int, length: int) -> None:
    """Add to what the scope's index is known to hold, or take away."""
    run_sql(
        "insert into scope_stat (scope, rows, length)"
        " values (%(scope)s, greatest(0, %(rows)s), greatest(0, %(length)s))"
        " on conflict (scope) do update set rows = greatest(0, scope_stat.rows + %(rows)s),"
        " length = greatest(0, scope_stat.length + %(length)s)",
        {"scope": scope, "rows": rows, "length": length},
    )
