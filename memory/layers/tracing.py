"""What is known of one memory beside its text: its history of strength, its links, its facts, who was shown it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.layers.models import RecallUse, Reinforcement
from memory.layers.rules.strength import Strength
from memory.layers.statements import Memory, fetched, released_node_sql
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

MOST = 100


@dataclass(frozen=True)
class LinkedMemory:
    """A link of a memory and what stands at its other end; `direction` is `out` where the memory is its subject."""

    id: int
    predicate: str
    direction: Literal["out", "in"]
    other: int
    layer: int
    type: str
    name: str
    text: str


@dataclass(frozen=True)
class Step:
    """One time that a strength was set."""

    kind: str
    at: datetime
    after: Strength
    session: str | None
    actor: str


def history_of(ids: Sequence[int], *, until: datetime | None = None) -> dict[int, list[Step]]:
    """Each time that these memories' strength was set, oldest first, by `until` where it is given."""
    rows = Reinforcement.objects.filter(node__in=ids)
    if until is not None:
        rows = rows.filter(at__lte=until)
    found: dict[int, list[Step]] = {node: [] for node in ids}
    for row in rows.order_by("at", "pk"):
        after = Strength(row.score, row.tau, row.at, row.pinned)
        found[row.node_id].append(Step(row.kind, row.at, after, str(row.session) if row.session else None, row.actor))
    return found


def links_of(binding: Binding, memory: Memory) -> list[LinkedMemory]:
    """The links of a memory both ways to what the reader may know, at most 100 each way."""
    one = (
        "(select k.id, k.predicate, '{direction}' direction, n.id other, n.layer, n.type, n.name, n.text from link k"
        " join node n on n.id = k.{far} where k.{near} = %(id)s and n.scope = %(scope)s"
        f" and {released_node_sql()} order by k.predicate, k.id limit {MOST})"
    )
    ways = (("out", "object", "subject"), ("in", "subject", "object"))
    sql = " union all ".join(one.format(direction=direction, far=far, near=near) for direction, far, near in ways)
    rows = fetched(sql, gate_values(binding) | {"id": memory.id, "scope": memory.scope})
    return [LinkedMemory(**row) for row in rows]


def facts_of(binding: Binding, ids: Sequence[int]) -> dict[int, list[str]]:
    """The `@id`s of the facts that were made of what these memories say, as far as they are released."""
    rows = fetched(
        "select r.node, f.id from node_fact r join fact f on f.scope = r.scope and f.id = r.fact"
        f" where r.node = any(%(ids)s) and {released_sql()} order by r.node, r.id",
        gate_values(binding) | {"ids": list(ids)},
    )
    found: dict[int, list[str]] = {node: [] for node in ids}
    for row in rows:
        found[row["node"]].append(row["id"])
    return found


def shown_to(memory: Memory, *, most: int = MOST) -> list[dict[str, Any]]:
    """Who was shown a memory by a recall, and when, the latest first."""
    uses = RecallUse.objects.filter(scope=memory.scope, nodes__contains=[memory.id]).order_by("-pk")[:most]
    return [{"actor": use.actor, "at": use.at, "purpose": use.purpose} for use in uses]
