"""The SQL of reading memories: what is selected, through the gate, and how rows become views.

Nothing outside this module selects a node's words for a reader, so that what is withheld looks like what is missing.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connections

from memory.facts.reading import facts_by_id
from memory.layers.rules.fading import fades_sql
from memory.layers.rules.strength import Strength, effective_sql
from memory.layers.settings import layer_settings
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding
from spaces.databases.entering import current_alias


@dataclass(frozen=True)
class Source:
    """Lines that a memory rests on, first and last included."""

    session: str
    client_id: str
    first: int
    last: int


@dataclass(frozen=True)
class Memory:
    """A node as a reader sees it, with its strength at the instant it was asked for."""

    id: int
    scope: int
    layer: int
    type: str
    name: str
    text: str
    attributes: dict[str, Any]
    classification: str | None
    phi_ref: str | None
    version: int
    formed_at: datetime
    said_at: datetime | None
    strength: Strength
    effective: float
    fades_at: datetime | None
    archived_at: datetime | None
    superseded_by: int | None
    merged_into: int | None
    sources: tuple[Source, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether it is live: neither archived nor replaced."""
        return self.archived_at is None and self.superseded_by is None and self.merged_into is None


def released_node_sql(table: str = "n") -> str:
    """The condition that a node may be known to the reader; takes the values of `gate_values`.

    A node that stands for a PHI fact is there when the gate releases that fact, and one that is PHI without one never.
    """
    return (
        f"(({table}.phi_ref is null and {table}.classification is distinct from 'PHI')"
        f" or exists (select 1 from fact f where f.scope = {table}.scope and f.id = {table}.phi_ref"
        f" and {released_sql()}))"
    )


_STRENGTH = ("score", "tau", "scored_at", "pinned")
# What a memory's strength was set to last; of an earlier instant, what it had been set to by then.
_STRENGTH_NOW = ""
_STRENGTH_THEN = (
    " join lateral (select r.score, r.tau, r.at scored_at, r.pinned from reinforcement r"
    "  where r.node = n.id and r.at <= %(at)s order by r.at desc, r.id desc limit 1) t on true"
)
_THRESHOLD = "(case n.layer when 1 then %(threshold1)s::float8 when 2 then %(threshold2)s::float8 end)"


def select_sql(where: str, *, then: bool = False) -> str:
    """The SELECT of nodes with what is judged of them at the instant `at`, through the gate.

    `then`: `at` is in the past, and strength is read from what was known by it.
    """
    table, joined = ("t", _STRENGTH_THEN) if then else ("s", _STRENGTH_NOW)
    formed = " and n.formed_at <= %(at)s" if then else ""
    return (
        "select n.id, n.scope, n.layer, n.type, n.name, n.text, n.attributes, n.classification, n.phi_ref, n.version,"
        " n.formed_at, n.said_at, n.superseded_by, n.merged_into, s.archived_at,"
        f" {table}.score, {table}.tau, {table}.scored_at, {table}.pinned,"
        f" {effective_sql(table, '%(at)s::timestamptz')} effective, {fades_sql(table, _THRESHOLD)} fades_at"
        f" from node n join node_strength s on s.node = n.id{joined} where {where}{formed} and {released_node_sql()}"
    )


def fetched(sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows as dictionaries."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(sql, values)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def judged_values(binding: Binding, at: datetime) -> dict[str, Any]:
    """The parameters that every such statement takes: the gate's, the scopes, and what is judged by."""
    settings = layer_settings()
    return gate_values(binding) | {
        "scopes": binding.scope_ids,
        "at": at,
        "threshold1": settings.fragment_threshold,
        "threshold2": settings.event_threshold,
    }


def memories_of(binding: Binding, rows: Sequence[Mapping[str, Any]]) -> list[Memory]:
    """Rows that came through the gate, with their sources; that PHI was read is on record before it is shown.

    One whose fact was erased is left out.
    """
    found = [_memory(row) for row in rows]
    sources = sources_of([memory.id for memory in found])
    words = _words_of_phi(binding, found)
    return [
        replace(
            memory, text=memory.text if memory.phi_ref is None else words[memory.phi_ref], sources=sources[memory.id]
        )
        for memory in found
        if memory.phi_ref is None or memory.phi_ref in words
    ]


def memories_by_id(binding: Binding, ids: Sequence[int], at: datetime, *, then: bool = False) -> dict[int, Memory]:
    """The memories with these ids that are there for the reader, archived ones too."""
    if not ids:
        return {}
    values = judged_values(binding, at) | {"ids": list(ids)}
    rows = fetched(select_sql("n.scope = any(%(scopes)s) and n.id = any(%(ids)s)", then=then), values)
    return {memory.id: memory for memory in memories_of(binding, rows)}


def sources_of(ids: Sequence[int]) -> dict[int, tuple[Source, ...]]:
    """The lines that nodes rest on, best first."""
    rows = fetched(
        "select r.node, r.session::text, q.client_id, r.first, r.last from node_source r"
        " join session q on q.id = r.session where r.node = any(%(ids)s) order by r.node, r.position, r.id",
        {"ids": list(ids)},
    )
    found: dict[int, list[Source]] = defaultdict(list)
    for row in rows:
        found[row["node"]].append(Source(row["session"], row["client_id"], row["first"], row["last"]))
    return {node: tuple(found[node]) for node in ids}


def _memory(row: Mapping[str, Any]) -> Memory:
    strength = Strength(**{name: row[name] for name in _STRENGTH})
    others = {name: value for name, value in row.items() if name not in _STRENGTH}
    return Memory(**others | {"attributes": _decoded(row["attributes"]), "strength": strength})


def _decoded(value: Any) -> Any:
    """Django's cursors leave jsonb as text."""
    return json.loads(value) if isinstance(value, str) else value


def _words_of_phi(binding: Binding, found: Sequence[Memory]) -> dict[str, str]:
    refs = sorted({memory.phi_ref for memory in found if memory.phi_ref is not None})
    return {view.record.id: view.record.statement for view in facts_by_id(binding, refs)} if refs else {}
