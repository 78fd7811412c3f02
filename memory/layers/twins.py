"""Finding the live memory that a proposal repeats: cosine ≥ 0.9 between their own texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embedding import Embedder
from memory.layers.elements import run_sql
from memory.layers.index_rows import embed_texts
from memory.layers.models import Node, ScopeStat
from memory.layers.rules.duplicates import COMPARED, NEAR, WORTH_COMPARING, same_occasion, says_the_same
from memory.layers.rules.strength import EVENT, FRAGMENT
from memory.layers.vectors import Vectors, blocks, halfvec_text, nearest, vectors_of
from memory.recall.rules.indexing import own_text

# Up to so many rows a run keeps a layer's vectors in memory (12 MB at 256 dimensions); beyond, the database is asked.
MOST_KEPT = 25_000
_AT_ONCE = 500


@dataclass(frozen=True)
class Told:
    """What two memories are compared by."""

    type: str
    text: str
    attributes: Mapping[str, Any]
    classification: str | None


@dataclass
class LiveLayer:
    """The live vectors of one layer of a scope, for the time of a run."""

    scope: int
    layer: int
    ids: NDArray[np.int64] | None
    vectors: Vectors

    def near(self, queries: Vectors) -> list[list[tuple[int, float]]]:
        """For each query the few nearest that are worth a comparison, best first."""
        found = self._asked(queries) if self.ids is None else self._kept(queries)
        return [[pair for pair in pairs if pair[1] >= WORTH_COMPARING] for pairs in found]

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Take in what was just committed."""
        if self.ids is None or not ids:
            return
        self.ids = np.concatenate([self.ids, np.array(ids, np.int64)])
        self.vectors = np.concatenate([self.vectors, vectors]) if len(self.vectors) else vectors

    def _kept(self, queries: Vectors) -> list[list[tuple[int, float]]]:
        ids = self.ids if self.ids is not None else np.empty(0, np.int64)
        found: list[list[tuple[int, float]]] = []
        for block in blocks(len(queries), _AT_ONCE):
            found += nearest(queries[block], ids, self.vectors, COMPARED)
        return found

    def _asked(self, queries: Vectors) -> list[list[tuple[int, float]]]:
        sql = (
            "select node, -d from (select node, embedding <#> %(query)s::halfvec d from node_index"
            " where scope = %(scope)s and layer = %(layer)s offset 0) z where d is not null"
            " order by d, node limit %(count)s"
        )
        named = {"scope": self.scope, "layer": self.layer, "count": COMPARED}
        return [
            [(int(node), float(cosine)) for node, cosine in run_sql(sql, named | {"query": halfvec_text(query)})]
            for query in queries
        ]


@dataclass
class Live:
    """What a run compares with, layer by layer; read when it begins and kept up as it goes."""

    scope: int
    layers: dict[int, LiveLayer] = field(default_factory=dict)

    def layer(self, number: int) -> LiveLayer:
        """The layer's vectors, read when they are first asked for."""
        if number not in self.layers:
            stat = ScopeStat.objects.filter(scope=self.scope).first()
            if stat is not None and stat.rows > MOST_KEPT and number == FRAGMENT:
                self.layers[number] = LiveLayer(self.scope, number, None, np.empty((0, 0), np.float32))
            else:
                ids, vectors = vectors_of(self.scope, number)
                self.layers[number] = LiveLayer(self.scope, number, ids, vectors)
        return self.layers[number]


def find_twins(live: Live, layer: int, told: Sequence[Told], own: Vectors, embedder: Embedder) -> list[int | None]:
    """For each proposal of a layer the live node that says the same, the nearest where there are several."""
    near = live.layer(layer).near(own)
    others = _told_of({node for pairs in near for node, _ in pairs})
    texts = list(dict.fromkeys(compared_text(layer, other) for other in others.values()))
    vectors = dict(zip(texts, embed_texts(texts, embedder), strict=True))
    found: list[int | None] = []
    for proposal, vector, pairs in zip(told, own, near, strict=True):
        best: tuple[float, int] | None = None
        for node, _ in pairs:
            other = others.get(node)
            if other is None or not may_be_one(layer, proposal, other):
                continue
            cosine = float(vector @ vectors[compared_text(layer, other)])
            if cosine >= NEAR and (best is None or cosine > best[0]):
                best = (cosine, node)
        found.append(best[1] if best else None)
    return found


def twins_within(layer: int, told: Sequence[Told], own: Vectors) -> dict[int, int]:
    """Which proposals of a batch repeat an earlier one: place → place of the first that says the same."""
    found: dict[int, int] = {}
    cosines = own @ own.T if len(own) else own
    for place, later in np.argwhere(np.triu(cosines >= NEAR, 1)) if len(own) else ():
        if place not in found and later not in found and may_be_one(layer, told[place], told[later]):
            found[int(later)] = int(place)
    return found


def may_be_one(layer: int, one: Told, other: Told) -> bool:
    """Whether two near texts may be one memory: of one class and type, and alike in what a vector does not see."""
    if one.classification != other.classification or one.type != other.type:
        return False
    if layer == FRAGMENT and not same_occasion(one.attributes, other.attributes):
        return False
    if layer == EVENT and one.attributes.get("event_class") != other.attributes.get("event_class"):
        return False
    return says_the_same(one.text, other.text)


def compared_text(layer: int, told: Told) -> str:
    """The own text of a memory, whose cosines are compared."""
    return own_text(str(told.attributes.get("speaker", "")), told.text) if layer == FRAGMENT else told.text


def _told_of(nodes: set[int]) -> dict[int, Told]:
    rows = Node.objects.filter(pk__in=nodes, strength__archived_at=None, superseded_by=None, merged_into=None)
    return {
        row["id"]: Told(row["type"], row["text"] or row["name"], row["attributes"], row["classification"])
        for row in rows.values("id", "type", "text", "name", "attributes", "classification")
    }
