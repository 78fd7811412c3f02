"""Finding the live memory that a proposal repeats: cosine ≥ 0.9 between their own texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embedding import Embedder, EmbedderUnavailable
from memory.layers.index_rows import embed_texts
from memory.layers.indexing import MOVED
from memory.layers.models import Node, ScopeStat
from memory.layers.rules.duplicates import COMPARED, NEAR, WORTH_COMPARING, same_occasion, says_the_same
from memory.layers.rules.strength import EVENT, FRAGMENT
from memory.layers.vectors import Vectors, blocks, nearest, vectors_of
from memory.recall.rules.indexing import own_text

# So many numbers of vectors are in memory at once: 50 MB, or 50,000 vectors of 256 dimensions.
MOST_KEPT = 12_800_000
_AT_ONCE = 500
Pairs = list[tuple[int, float]]


@dataclass(frozen=True)
class Told:
    """What two memories are compared by."""

    type: str
    text: str
    attributes: Mapping[str, Any]
    classification: str | None


@dataclass
class LiveLayer:
    """The live vectors of one layer of a scope, for the time of a run; read anew for each batch where they are many."""

    scope: int
    layer: int
    dimensions: int
    kept: tuple[NDArray[np.int64], Vectors] | None

    def near(self, queries: Vectors) -> list[Pairs]:
        """For each query the few nearest that are worth a comparison, best first.

        Raises EmbedderUnavailable when the scope was moved to an embedder of another length meanwhile.
        """
        found: list[Pairs] = [[] for _ in queries]
        for ids, vectors in self._blocks():
            if len(ids) and len(queries) and vectors.shape[1] != queries.shape[1]:
                raise EmbedderUnavailable(MOVED)
            for block in blocks(len(queries), _AT_ONCE):
                near = nearest(queries[block], ids, vectors, COMPARED, least=WORTH_COMPARING)
                for place, pairs in enumerate(near, block.start):
                    found[place] += pairs
        return [sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:COMPARED] for pairs in found]

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Take in what was just committed."""
        if self.kept is None or not ids:
            return
        known, before = self.kept
        if (len(known) + len(ids)) * self.dimensions > MOST_KEPT:
            self.kept = None
            return
        self.kept = (
            np.concatenate([known, np.array(ids, np.int64)]),
            np.concatenate([before, vectors]) if len(before) else vectors,
        )

    def _blocks(self) -> Iterator[tuple[NDArray[np.int64], Vectors]]:
        if self.kept is not None:
            yield self.kept
            return
        above, most = 0, max(1, MOST_KEPT // 2 // self.dimensions)
        while len((block := vectors_of(self.scope, self.layer, above=above, most=most))[0]):
            yield block
            above = int(block[0][-1])


@dataclass
class Live:
    """What a run compares with, layer by layer; read when it begins and kept up as it goes."""

    scope: int
    layers: dict[int, LiveLayer] = field(default_factory=dict)

    def layer(self, number: int) -> LiveLayer:
        """The layer's vectors, read when they are first asked for."""
        if number not in self.layers:
            stat = ScopeStat.objects.filter(scope=self.scope).first() or ScopeStat(rows=0)
            dimensions = max(1, stat.dimensions)
            few = number != FRAGMENT or stat.rows * dimensions <= MOST_KEPT
            kept = vectors_of(self.scope, number) if few else None
            self.layers[number] = LiveLayer(self.scope, number, dimensions, kept)
        return self.layers[number]


def find_twins(live: Live, layer: int, told: Sequence[Told], own: Vectors, embedder: Embedder) -> list[int | None]:
    """For each proposal of a layer the live node that says the same, the nearest where there are several."""
    near = live.layer(layer).near(own)
    others = _told_of({node for pairs in near for node, _ in pairs})
    alike = [
        [node for node, _ in pairs if node in others and may_be_one(layer, proposal, others[node])]
        for proposal, pairs in zip(told, near, strict=True)
    ]
    texts = {node: compared_text(layer, others[node]) for nodes in alike for node in nodes}
    vectors = dict(zip(texts, embed_texts(list(texts.values()), embedder), strict=True))
    found: list[int | None] = []
    for vector, nodes in zip(own, alike, strict=True):
        cosines = [(float(vector @ vectors[node]), -node) for node in nodes]
        best = max(cosines, default=(0.0, 0))
        found.append(-best[1] if best[0] >= NEAR else None)
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
