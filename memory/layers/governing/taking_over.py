"""Giving one memory what others have: links, lines, facts. The others keep theirs, so that it can be undone."""

from collections.abc import Sequence
from uuid import UUID

from memory.layers.elements import run_sql

_LINKS = (
    "insert into link (scope, subject, predicate, object, attributes, metadata, version, run)"
    " select distinct on (k.s, k.predicate, k.o) %(scope)s, k.s, k.predicate, k.o, k.attributes, '{}'::jsonb, 1,"
    "  %(run)s::uuid from (select case when subject = any(%(ids)s) then %(into)s::bigint else subject end s,"
    "   case when object = any(%(ids)s) then %(into)s::bigint else object end o, predicate, attributes, id"
    "   from link where subject = any(%(ids)s) or object = any(%(ids)s)) k"
    " where k.s <> k.o order by k.s, k.predicate, k.o, k.id on conflict (subject, predicate, object) do nothing"
)
_SOURCES = (
    "insert into node_source (node, scope, session, first, last, position, run)"
    " select %(into)s, %(scope)s, z.session, z.first, z.last, z.most + z.turn, %(run)s::uuid from ("
    "  select r.session, r.first, r.last, row_number() over (order by min(r.position), min(r.id)) turn,"
    "   (select coalesce(max(position), -1) from node_source where node = %(into)s) most"
    "  from node_source r where r.node = any(%(ids)s) group by r.session, r.first, r.last) z"
    " on conflict (node, session, first, last) do nothing"
)
_FACTS = (
    "insert into node_fact (node, scope, fact, run)"
    " select distinct on (fact) %(into)s::bigint, %(scope)s::int, fact, %(run)s::uuid"
    " from node_fact where node = any(%(ids)s) order by fact, id on conflict (node, fact) do nothing"
)


def take_over(scope: int, into: int, ids: Sequence[int], run: UUID | None = None) -> None:
    """Give `into` the links, lines and facts of `ids` that it has not; `run` marks what was added."""
    for statement in (_LINKS, _SOURCES, _FACTS):
        run_sql(statement, {"scope": scope, "into": into, "ids": list(ids), "run": run})


def give_back(scope: int, run: UUID) -> None:
    """Take away again what was given under the mark `run`."""
    for table in ("link", "node_source", "node_fact"):
        run_sql(f"delete from {table} where run = %(run)s and scope = %(scope)s", {"run": run, "scope": scope})
