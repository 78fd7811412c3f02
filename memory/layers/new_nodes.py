"""Nodes as they are formed: the row, its strength, the first row of its history."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.layers.elements import copy_rows, new_ids

_NODE = (
    *("id", "scope", "layer", "type", "name", "text", "attributes", "metadata", "version"),
    *("classification", "phi_ref", "run", "formed_at", "said_at"),
)
_STRENGTH = ["node", "scope", "layer", "pinned", "score", "tau", "scored_at"]
_FORMED = ["node", "scope", "kind", "at", "score", "tau", "pinned", "run", "actor"]
_SOURCE = ["node", "scope", "session", "first", "last", "position", "run"]


@dataclass(frozen=True)
class NewNode:
    """A node to be. Names of fragments and events are made unique by their number; `tau` is in days."""

    layer: int
    type: str
    name: str
    text: str
    attributes: dict[str, Any]
    classification: str | None
    said_at: datetime | None
    score: float
    tau: float
    phi_ref: str | None = None


def add_nodes(scope: int, nodes: Sequence[NewNode], at: datetime, *, run: UUID | None, actor: str) -> list[int]:
    """Write nodes, inside the caller's transaction, and return their ids. They are not indexed yet."""
    ids = new_ids(len(nodes))
    pairs = list(zip(ids, nodes, strict=True))
    copy_rows("node", _NODE, [_row(scope, number, node, at, run) for number, node in pairs])
    copy_rows(
        "node_strength",
        _STRENGTH,
        [(number, scope, node.layer, False, node.score, node.tau, at) for number, node in pairs],
    )
    copy_rows(
        "reinforcement",
        _FORMED,
        [(number, scope, "formed", at, node.score, node.tau, False, run, actor) for number, node in pairs],
    )
    return ids


def add_sources(scope: int, run: UUID | None, sources: Sequence[tuple[int, tuple[UUID, int, int]]]) -> None:
    """Write the line ranges (session, first, last) that nodes rest on, each node's in their order."""
    seen: dict[int, int] = {}
    rows = []
    for node, place in sources:
        rows.append((node, scope, *place, seen.get(node, 0), run))
        seen[node] = seen.get(node, 0) + 1
    copy_rows("node_source", _SOURCE, rows)


def _row(scope: int, number: int, node: NewNode, at: datetime, run: UUID | None) -> tuple[Any, ...]:
    name = node.name if node.layer in (0, 3) else f"{node.name} ~{number}"
    attributes = json.dumps(node.attributes, ensure_ascii=False)
    return (
        number,
        scope,
        node.layer,
        node.type,
        name,
        node.text,
        attributes,
        "{}",
        1,
        node.classification,
        node.phi_ref,
        run,
        at,
        node.said_at,
    )
