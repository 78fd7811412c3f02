"""Vectors between numpy and the database: many of them as bytes, one in a query as text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.layers.elements import run_sql

Vectors = NDArray[np.float32]


def halfvec_bytes(vector: Vectors) -> bytes | None:
    """A vector in the binary form that PostgreSQL receives; None for one of zeros, which has no direction."""
    if not vector.any():
        return None
    return len(vector).to_bytes(2, "big") + b"\0\0" + vector.astype(">f2").tobytes()


def halfvec_text(vector: Vectors) -> str:
    """A vector as it is written in SQL."""
    return "[" + ",".join(map(str, vector.astype(np.float16).tolist())) + "]"


def vectors_of(scope: int, layer: int, *, above: int = 0, most: int | None = None) -> tuple[NDArray[np.int64], Vectors]:
    """Ids (ascending, greater than `above`) and vectors, a row each, of the `most` first live nodes of a layer."""
    rows = run_sql(
        "select array_agg(node order by node), string_agg(halfvec_send(embedding), ''::bytea order by node)"
        " from (select node, embedding from node_index where scope = %(scope)s and layer = %(layer)s"
        "  and node > %(above)s and embedding is not null order by node limit %(most)s) z",
        {"scope": scope, "layer": layer, "above": above, "most": most},
    )
    ids, sent = rows[0]
    if not ids:
        return np.empty(0, np.int64), np.empty((0, 0), np.float32)
    return np.array(ids, np.int64), _received(bytes(sent), len(ids))


def _received(sent: bytes, rows: int) -> Vectors:
    """What `halfvec_send` wrote: for each vector its dimensions and an unused word, then big-endian half floats."""
    words = np.frombuffer(sent, ">u2").reshape(rows, -1)
    return words[:, 2:].astype(np.uint16).view(np.float16).astype(np.float32)


def nearest(
    queries: Vectors, ids: NDArray[np.int64], vectors: Vectors, count: int, *, least: float = -1.0
) -> list[list[tuple[int, float]]]:
    """For each query (a unit vector a row) the `count` nearest with a cosine of `least` or more, as (id, cosine).

    Best first.
    """
    found: list[list[tuple[int, float]]] = [[] for _ in queries]
    if not len(ids) or not len(queries):
        return found
    cosines = queries @ vectors.T
    near = cosines >= least
    for row in np.flatnonzero(near.any(axis=1)).tolist():
        places = np.flatnonzero(near[row])
        if len(places) > count:
            places = places[np.argpartition(-cosines[row, places], count - 1)[:count]]
        pairs = zip(ids[places].tolist(), cosines[row, places].tolist(), strict=True)
        found[row] = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return found


def blocks(count: int, size: int) -> Sequence[slice]:
    """Slices of at most `size` that cover `count` rows."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]
