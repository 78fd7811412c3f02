"""Everything fusion needs to know of what the arms found: read at once, neighbours in the session included."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.layers.elements import run_sql
from memory.layers.rules.strength import effective_sql


@dataclass(frozen=True, slots=True)
class Found:
    """A live memory with what it is weighed by. `place` is the first line it rests on, as (session, index)."""

    id: int
    layer: int
    type: str
    name: str
    text: str
    attributes: dict[str, Any]
    classification: str | None
    phi_ref: str | None
    said_at: datetime | None
    formed_at: datetime
    strength: float
    cosine: float | None
    place: tuple[UUID, int] | None
    neighbours: tuple[int, ...]
    events: tuple[int, ...]


_COLUMNS = (
    "n.id, n.layer, n.type, n.name, n.text, n.attributes::text, n.classification, n.phi_ref, n.said_at, n.formed_at,"
    " {strength}, case when n.layer = 1 then -(i.embedding <#> %(query)s::halfvec) end, p.session, p.first,"
    " (select array_agg(case when l.subject = n.id then l.object else l.subject end) from link l"
    "  where l.predicate = 'next' and n.layer = 1 and (l.subject = n.id or l.object = n.id)),"
    " (select array_agg(l.object) from link l where l.subject = n.id and l.predicate = 'part_of' and n.layer = 1)"
)
_STRENGTH_NOW = effective_sql("s", "%(at)s::timestamptz")
_STRENGTH_THEN = (
    "(select " + effective_sql("r", "%(at)s::timestamptz") + " from (select score, tau, pinned, at scored_at"
    " from reinforcement where node = n.id and at <= %(at)s::timestamptz order by at desc, id desc limit 1) r)"
)
_FROM = (
    " from wanted w join node n on n.id = w.id and n.scope = %(scope)s"
    " join node_strength s on s.node = n.id and (s.archived_at is null"
    "  or (%(as_of)s::timestamptz is not null and s.archived_at > %(as_of)s::timestamptz))"
    " left join node_index i on i.node = n.id"
    " left join lateral (select session, first from node_source where node = n.id"
    "  order by position, id limit 1) p on true"
    " where n.phi_ref is null and n.superseded_by is null and n.merged_into is null"
    " and (%(as_of)s::timestamptz is null or n.formed_at <= %(as_of)s::timestamptz)"
    " and (%(before)s::timestamptz is null or n.said_at is null or n.said_at < %(before)s::timestamptz)"
)


def gathered(
    scope: int, ids: Iterable[int], query: str, at: datetime, *, as_of: datetime | None, before: datetime | None
) -> dict[int, Found]:
    """These memories and, of fragments, those beside them in their session; live ones, in the scope, by id."""
    columns = _COLUMNS.format(strength=_STRENGTH_NOW if as_of is None else _STRENGTH_THEN)
    rows = run_sql(
        "with base as (select unnest(%(ids)s::bigint[]) id),"
        " wanted as (select id from base union select l.object from base b join link l on l.subject = b.id"
        "  and l.predicate = 'next' union select l.subject from base b join link l on l.object = b.id"
        f"  and l.predicate = 'next') select {columns} {_FROM}",
        {
            "scope": scope,
            "ids": sorted(set(ids)),
            "query": query,
            "at": as_of or at,
            "as_of": as_of,
            "before": before,
        },
    )
    return {row[0]: _found(row) for row in rows}


def sources_of(nodes: Sequence[int], *, each: int = 20) -> dict[int, list[tuple[UUID, str, int, int]]]:
    """For each node its first line ranges, best first: (session, the client's id of it, first, last)."""
    rows = run_sql(
        "select q.node, s.session, t.client_id, s.first, s.last from unnest(%(nodes)s::bigint[]) q(node)"
        " cross join lateral (select session, first, last, position, id from node_source where node = q.node"
        "  order by position, id limit %(each)s) s join session t on t.id = s.session"
        " order by q.node, s.position, s.id",
        {"nodes": list(nodes), "each": each},
    )
    found: dict[int, list[tuple[UUID, str, int, int]]] = {}
    for node, session, client_id, first, last in rows:
        found.setdefault(node, []).append((session, client_id, first, last))
    return found


def facts_of(nodes: Sequence[int]) -> dict[int, list[str]]:
    """The ids of the facts that were made of what nodes say."""
    rows = run_sql(
        "select node, array_agg(fact order by id) from node_fact where node = any(%(nodes)s) group by node",
        {"nodes": list(nodes)},
    )
    return dict(rows)


def members_of(scope: int, higher: Sequence[int], among: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """For events and concepts, which of the fragments `among` are under them or mention them."""
    rows = run_sql(
        "select object, array_agg(subject) from link where scope = %(scope)s and subject = any(%(among)s)"
        " and object = any(%(higher)s) and predicate in ('part_of', 'mentions') group by object",
        {"scope": scope, "higher": list(higher), "among": list(among)},
    )
    return {node: tuple(members) for node, members in rows}


def _found(row: tuple[Any, ...]) -> Found:
    node, layer, kind, name, text, attributes, classification, phi_ref, said_at, formed_at, *rest = row
    strength, cosine, session, first, neighbours, events = rest
    return Found(
        node,
        layer,
        kind,
        name,
        text,
        json.loads(attributes),
        classification,
        phi_ref,
        said_at,
        formed_at,
        strength or 0.0,
        cosine,
        None if session is None else (session, first),
        tuple(neighbours or ()),
        tuple(events or ()),
    )
