"""Steps 1 to 3 of recall in one statement: nearest fragments, two hops in the graph, decayed score × activation."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.layers.elements import run_sql
from memory.layers.models import ScopeStat
from memory.layers.rules.strength import effective_sql

NEAREST = 10
HALVED = 0.5
# An event or a concept that very many hang on says little about any of them.
MOST_ACTIVATED = 60


@dataclass(frozen=True, slots=True)
class Activated:
    """A live memory that spreading reached. `cosine` is a nearest fragment's, None for what only a hop reached."""

    id: int
    layer: int
    activation: float
    strength: float
    cosine: float | None

    @property
    def score(self) -> float:
        """Decayed score × activation."""
        return self.activation * self.strength


_EXACT = (
    "select node id, -d cos from (select node, embedding <#> %(query)s::halfvec d from node_index"
    " where scope = %(scope)s and layer = 1 offset 0) z where d is not null order by d, node limit %(nearest)s"
)
_BEFORE = (
    "select node id, -d cos from (select i.node, i.embedding <#> %(query)s::halfvec d from node_index i"
    " join node n on n.id = i.node where i.scope = %(scope)s and i.layer = 1"
    " and (%(before)s::timestamptz is null or n.said_at < %(before)s::timestamptz)"
    " and (%(as_of)s::timestamptz is null or n.formed_at <= %(as_of)s::timestamptz) offset 0) z"
    " where d is not null order by d, node limit %(nearest)s"
)
_STRENGTH_NOW = (
    "select a.id, a.act, a.cos, s.layer, " + effective_sql("s", "%(at)s::timestamptz") + " eff from act a"
    " join node_strength s on s.node = a.id and s.scope = %(scope)s and s.archived_at is null"
)
_STRENGTH_THEN = (
    "select a.id, a.act, a.cos, n.layer, " + effective_sql("r", "%(at)s::timestamptz") + " eff from act a"
    " join node n on n.id = a.id and n.scope = %(scope)s and n.formed_at <= %(at)s::timestamptz"
    " cross join lateral (select score, tau, pinned, at scored_at from reinforcement where node = a.id"
    "  and at <= %(at)s::timestamptz order by at desc, id desc limit 1) r"
    " join node_strength s on s.node = a.id"
    "  and (s.archived_at is null or s.archived_at > %(at)s::timestamptz)"
)


def spread(
    stat: ScopeStat, query: str, at: datetime, *, as_of: datetime | None, before: datetime | None
) -> list[Activated]:
    """What the query's vector (as text) activates in a scope, the highest decayed score × activation first.

    The 10 nearest fragments; events they are part of, concepts those or the fragments mention, each hop worth half, and
    added up where paths meet. `as_of`: strength as it was then, of what was formed by then; `before`: of fragments
    spoken before it.
    """
    near = nearest_sql(stat) if as_of is None and before is None else _BEFORE
    strength = _STRENGTH_NOW if as_of is None else _STRENGTH_THEN
    rows = run_sql(
        f"with near as materialized ({near}),"
        " hop1 as materialized (select l.object id, sum(n.cos * %(halved)s) act from near n"
        "  join link l on l.subject = n.id and l.predicate in ('part_of', 'mentions') and l.scope = %(scope)s"
        "  group by 1),"
        " hop2 as (select l.object id, sum(h.act * %(halved)s) act from hop1 h"
        "  join link l on l.subject = h.id and l.predicate = 'mentions' and l.scope = %(scope)s group by 1),"
        " act as (select id, sum(act) act, max(cos) cos from (select id, cos act, cos from near union all"
        "  select id, act, null from hop1 union all select id, act, null from hop2) u where act > 0 group by 1),"
        f" live as ({strength})"
        " select id, layer, act, eff, cos from live order by act * eff desc, id limit %(most)s",
        _values(stat.scope, query, at, as_of, before),
    )
    return [Activated(node, layer, act, eff, cos) for node, layer, act, eff, cos in rows]


def nearest_sql(stat: ScopeStat) -> str:
    """The SQL of the nearest fragments of a scope, as (id, cos).

    A scope is scanned exactly. A large one has an index of its own over the fragments up to a bound, and only younger
    ones are scanned; the planner finds that index when scope, bound and dimensions are written out.
    """
    if stat.near_bound is None:
        return _EXACT
    scope, bound, dimensions = int(stat.scope), int(stat.near_bound), int(stat.dimensions)
    indexed = f"i.embedding::halfvec({dimensions}) <#> %(query)s::halfvec({dimensions})"
    return (
        "select node id, -d cos from ("
        f"(select i.node, {indexed} d from node_index i where i.scope = {scope} and i.layer = 1"
        f" and i.node <= {bound} order by {indexed} limit %(nearest)s)"
        " union all (select * from (select node, embedding <#> %(query)s::halfvec d from node_index"
        f" where scope = {scope} and layer = 1 and node > {bound} offset 0) z order by d limit %(nearest)s)"
        ") y where d is not null order by d, node limit %(nearest)s"
    )


def _values(scope: int, query: str, at: datetime, as_of: datetime | None, before: datetime | None) -> dict[str, Any]:
    return {
        "scope": scope,
        "query": query,
        "at": as_of or at,
        "as_of": as_of,
        "before": before,
        "nearest": NEAREST,
        "halved": HALVED,
        "most": MOST_ACTIVATED,
    }
