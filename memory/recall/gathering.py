"""Everything fusion needs to know of what the arms found: read at once, neighbours in the session included."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memory.layers.elements import run_sql
from memory.layers.rules.strength import effective_sql
from memory.recall.literals import bigints
from memory.recall.standing import formed_by_sql, not_archived_sql, spoken_before_sql, strength_then_sql


@dataclass(frozen=True, slots=True)
class Found:
    """A live memory with what it is weighed by.

    `place` is the first line it rests on, as (session, index). `neighbours` and `events` are a fragment's, `members`
    those of the fragments found that are under an event or mention a concept; `length` is in characters, of the line.
    """

    id: int
    layer: int
    type: str
    title: str
    text: str
    role: str
    speaker: str
    length: int
    said_at: datetime | None
    strength: float
    cosine: float | None
    place: tuple[str, int] | None
    neighbours: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    members: tuple[int, ...] = ()


def gathered(
    scope: int,
    ids: Iterable[int],
    query: str,
    at: datetime,
    *,
    as_of: datetime | None,
    before: datetime | None,
    beside: Iterable[int] | None = None,
) -> dict[int, Found]:
    """These memories and, of the fragments `beside` (of all, if it is None), those next to them in their session.

    Live ones, in the scope, by id.
    """
    wanted = sorted(set(ids))
    rows = run_sql(
        _statement(then=as_of is not None, before=before is not None),
        {
            "scope": scope,
            "ids": bigints(wanted),
            "beside": bigints(wanted if beside is None else beside),
            "query": query,
            "at": as_of or at,
            "as_of": as_of,
            "before": before,
        },
    )
    around = _around(scope, [row[0] for row in rows], [row[0] for row in rows if row[1] > 1])
    return {row[0]: _found(row, around) for row in rows}


def sources_of(
    nodes: Sequence[int], *, each: int = 20, before: datetime | None = None
) -> dict[int, list[tuple[UUID, str, int, int]]]:
    """For each node its first line ranges, best first: (session, the client's id of it, first, last).

    `before`: of what was spoken before it.
    """
    said = "" if before is None else _SAID_BEFORE
    rows = run_sql(
        "select q.node, s.session, t.client_id, s.first, s.last from unnest(%(nodes)s::bigint[]) q(node)"
        " cross join lateral (select r.session, r.first, r.last, r.position, r.id from node_source r"
        f"  where r.node = q.node{said} order by r.position, r.id limit %(each)s) s join session t on t.id = s.session"
        " order by q.node, s.position, s.id",
        {"nodes": bigints(nodes), "each": each, "before": before},
    )
    found: dict[int, list[tuple[UUID, str, int, int]]] = {}
    for node, session, client_id, first, last in rows:
        found.setdefault(node, []).append((session, client_id, first, last))
    return found


def facts_of(nodes: Sequence[int]) -> dict[int, list[str]]:
    """The ids of the facts that were made of what nodes say."""
    rows = run_sql(
        "select node, array_agg(fact order by id) from node_fact where node = any(%(nodes)s::bigint[]) group by node",
        {"nodes": bigints(nodes)},
    )
    return dict(rows)


_SAID_BEFORE = (
    " and exists (select 1 from session_line l where l.session = r.session and l.index = r.first"
    " and l.at < %(before)s::timestamptz)"
)


def _statement(*, then: bool, before: bool) -> str:
    effective = effective_sql("r" if then else "s", "%(at)s::timestamptz")
    narrowing = f" and {formed_by_sql('n')}" if then else ""
    narrowing += f" and {spoken_before_sql('n')}" if before else ""
    return (
        "with base as materialized (select unnest(%(beside)s::bigint[]) id),"
        " wanted as (select unnest(%(ids)s::bigint[]) id"
        " union select l.object from base b join link l on l.subject = b.id and l.predicate = 'next'"
        " union select l.subject from base b join link l on l.object = b.id and l.predicate = 'next')"
        " select n.id, n.layer, n.type, coalesce(n.attributes->>'title', n.name), n.text, n.attributes->>'role',"
        "  n.attributes->>'speaker', n.attributes->>'length', date_part('epoch', n.said_at),"
        f" {effective}, case when n.layer = 1 then -(i.embedding <#> %(query)s::halfvec) end"
        " from wanted w join node n on n.id = w.id and n.scope = %(scope)s"
        f" join node_strength s on s.node = n.id and {not_archived_sql('s', then=then)}"
        + (f" cross join {strength_then_sql('n.id')}" if then else "")
        + " left join node_index i on i.node = n.id"
        " where n.phi_ref is null and n.classification is distinct from 'PHI'"
        f" and n.superseded_by is null and n.merged_into is null{narrowing}"
    )


@dataclass(frozen=True)
class _Around:
    """How what was found hangs together, and the first line that each rests on."""

    neighbours: dict[int, list[int]]
    events: dict[int, list[int]]
    members: dict[int, list[int]]
    places: dict[int, tuple[str, int]]


def _around(scope: int, found: Sequence[int], higher: Sequence[int]) -> _Around:
    values = {"scope": scope, "found": bigints(found), "higher": bigints(higher)}
    subjects, predicates, objects, nodes, sessions, firsts = run_sql(_AROUND, values)[0]
    around = _Around(defaultdict(list), defaultdict(list), defaultdict(list), {})
    around.places.update(zip(nodes, zip(sessions, firsts, strict=True), strict=True))
    for subject, predicate, other in zip(subjects, predicates, objects, strict=True):
        if predicate == "next":
            around.neighbours[subject].append(other)
            around.neighbours[other].append(subject)
            continue
        around.members[other].append(subject)
        if predicate == "part_of":
            around.events[subject].append(other)
    return around


# One row of arrays: a thousand rows would take several times as long to receive.
_AROUND = (
    "select l.*, p.* from (select coalesce(array_agg(subject), '{}'), coalesce(array_agg(predicate), '{}'),"
    "  coalesce(array_agg(object), '{}') from link where subject = any(%(found)s::bigint[]) and scope = %(scope)s"
    "  and (predicate in ('next', 'part_of') or predicate = 'mentions' and object = any(%(higher)s::bigint[]))) l,"
    " (select coalesce(array_agg(node), '{}'), coalesce(array_agg(session::text), '{}'),"
    "  coalesce(array_agg(first), '{}') from (select distinct on (node) node, session, first from node_source"
    "   where node = any(%(found)s::bigint[]) order by node, position, id) s) p"
)


def _found(row: tuple[Any, ...], around: _Around) -> Found:
    node, layer, kind, title, text, role, speaker, length, said, strength, cosine = row
    fragment = layer == 1
    return Found(
        node,
        layer,
        kind,
        title,
        text,
        role or "user",
        speaker or "",
        int(length) if length and length.isdecimal() else len(text),
        None if said is None else datetime.fromtimestamp(said, UTC),
        strength,
        cosine,
        around.places.get(node),
        tuple(around.neighbours.get(node, ())) if fragment else (),
        tuple(around.events.get(node, ())) if fragment else (),
        () if fragment else tuple(around.members.get(node, ())),
    )
