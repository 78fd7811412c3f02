"""A graph of many concepts and links, loaded by COPY: their words are indexed, their vectors are at random."""

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import psycopg

from common.times import now
from memory.kip.wire import execute
from memory.layers.elements import copy_rows, new_ids, run_sql
from memory.layers.index_rows import Indexed, add_to_index
from memory.layers.indexing import count_terms, embedder_of, note_embedder
from memory.recall.rules.indexing import index_whole
from spaces.access import Binding
from spaces.databases.transactions import usage_transaction

SCHEMA = """
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Thing"} } CONCEPT { {type: "$ConceptType", name: "Part"} }
  CONCEPT { {type: "$PropositionType", name: "has"} } CONCEPT { {type: "$PropositionType", name: "near"} }
  CONCEPT { {type: "$PropositionType", name: "made_by"} }
}
"""
PREDICATES = ("has", "near", "made_by")
VOCABULARY = 20_000
_NODE = ("id", "scope", "layer", "type", "name", "text", "attributes", "metadata", "version", "formed_at")
_STRENGTH = ("node", "scope", "layer", "pinned", "score", "tau", "scored_at")
_LINK = ("id", "scope", "subject", "predicate", "object", "attributes", "metadata", "version")
_PIECE = 5_000


def words() -> list[str]:
    """The words that concepts are described with."""
    dice = random.Random(1)
    return [f"w{dice.randrange(36**5):x}" for _ in range(VOCABULARY)]


def filled(binding: Binding, bare: psycopg.Connection[Any], concepts: int, links: int) -> None:
    """Bring the scope to so many concepts, every second one a Thing called "name <odd>", and so many links."""
    scope = binding.one.pk
    execute(binding, {"command": SCHEMA}, read_only=False)
    if run_sql("select count(*) from node where scope = %(s)s and type in ('Thing', 'Part')", {"s": scope})[0][0]:
        return
    dice, vocabulary = random.Random(2), words()
    with usage_transaction():
        ids = new_ids(concepts)
        _add_concepts(scope, ids, dice, vocabulary)
        ends = list(_ends(ids, links, dice))
        rows = ((number, scope, *end, "{}", "{}", 1) for number, end in zip(new_ids(links), ends, strict=True))
        copy_rows("link", _LINK, rows)
        count_terms(scope, anew=True)
    bare.execute("vacuum analyze")


def _add_concepts(scope: int, ids: Sequence[int], dice: random.Random, vocabulary: Sequence[str]) -> None:
    at = now()
    texts = [" ".join(dice.choices(vocabulary, k=8)) for _ in ids]
    copy_rows(
        "node",
        _NODE,
        (
            (
                *(number, scope, 0, "Thing" if place % 2 else "Part", f"name {place}", texts[place]),
                *(json.dumps({"rank": place % 1_000, "color": dice.choice(["red", "blue"])}), "{}", 1, at),
            )
            for place, number in enumerate(ids)
        ),
    )
    copy_rows("node_strength", _STRENGTH, ((number, scope, 0, False, 1.0, 30.0, at) for number in ids))
    embedder = embedder_of(scope)
    note_embedder(scope, embedder)
    for start in range(0, len(ids), _PIECE):
        part = ids[start : start + _PIECE]
        vectors = np.random.default_rng(start).normal(size=(len(part), embedder.dimensions)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        add_to_index(
            scope,
            [
                Indexed(number, 0, index_whole(f"name {start + place}", texts[start + place]), vectors[place])
                for place, number in enumerate(part)
            ],
        )


def _ends(ids: Sequence[int], links: int, dice: random.Random) -> Iterator[tuple[int, str, int]]:
    seen: set[tuple[int, str, int]] = set()
    while len(seen) < links:
        end = (dice.choice(ids), dice.choice(PREDICATES), dice.choice(ids))
        if end[0] != end[2] and end not in seen:
            seen.add(end)
            yield end
