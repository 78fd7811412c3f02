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


def vectors_of(scope: int, layer: int, *, above: int = 0) -> tuple[NDArray[np.int64], Vectors]:
    """Ids (ascending, greater than `above`) and vectors, a row each, of the live nodes of a layer in a scope."""
    rows = run_sql(
        "select array_agg(node order by node), string_agg(halfvec_send(embedding), ''::bytea order by node)"
        " from node_index where scope = %(scope)s and layer = %(layer)s and node > %(above)s and embedding is not null",
        {"scope": scope, "layer": layer, "above": above},
    )
    ids, sent = rows[0]
    if not ids:
        return np.empty(0, np.int64), np.empty((0, 0), np.float32)
    return np.array(ids, np.int64), _received(bytes(sent), len(ids))


def _received(sent: bytes, rows: int) -> Vectors:
    """What `halfvec_send` wrote: for each vector its dimensions and an unused word, then big-endian half floats."""
    words = np.frombuffer(sent, ">u2").reshape(rows, -1)
    return words[:, 2:].astype(np.uint16).view(np.float16).astype(np.float32)


def nearest(queries: Vectors, ids: NDArray[np.int64], vectors: Vectors, count: int) -> list[list[tuple[int, float]]]:
    """For each query (a unit vector a row) the `count` nearest by cosine, best first, as (id, cosine)."""
    if not len(ids) or not len(queries):
        return [[] for _ in queries]
    cosines = queries @ vectors.T
    count = min(count, len(ids))
    places = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    return [
        sorted(((int(ids[place]), float(row[place])) for place in chosen), key=lambda pair: (-pair[1], pair[0]))
        for row, chosen in zip(cosines, places, strict=True)
    ]


def blocks(count: int, size: int) -> Sequence[slice]:
    """Slices of at most `size` that cover `count` rows."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]
