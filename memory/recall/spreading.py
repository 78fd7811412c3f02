"""Steps 1 to 3 of recall in one statement: nearest fragments, two hops in the graph, decayed score × activation."""

from dataclasses import dataclass
from datetime import datetime

from memory.layers.elements import run_sql
from memory.layers.models import ScopeStat
from memory.layers.near import EF_SEARCH
from memory.layers.rules.strength import effective_sql
from memory.recall.standing import formed_by_sql, not_archived_sql, spoken_before_sql, strength_then_sql

NEAREST = 10
HALVED = 0.5
# Beside the nearest. Of more events and concepts than that the last are hardly activated.
MOST_REACHED = 20


@dataclass(frozen=True, slots=True)
class Activated:
    """A live memory that spreading reached.

    `activation` is the sum of its `cosine`, for one of the nearest fragments, and of what came by one hop and by two.
    """

    id: int
    layer: int
    activation: float
    strength: float
    cosine: float | None = None
    one_hop: float = 0.0
    two_hops: float = 0.0

    @property
    def score(self) -> float:
        """Decayed score × activation."""
        return self.activation * self.strength

    @property
    def hops(self) -> int:
        """By how many hops it was reached at least."""
        if self.cosine is not None:
            return 0
        return 1 if self.one_hop else 2


def spread(
    stat: ScopeStat, query: str, at: datetime, *, as_of: datetime | None, before: datetime | None
) -> list[Activated]:
    """What the query's vector (as text) activates in a scope, the highest decayed score × activation first.

    The 10 nearest fragments with a cosine above 0; events they are part of, concepts those or the fragments mention,
    each hop worth half, and added up where paths meet. Nothing is reached through what is archived. `as_of`: strength
    as it was then, of what was formed by then; `before`: of what was spoken before it.
    """
    narrowed = as_of is not None or before is not None
    if stat.near_bound is not None and not narrowed:
        run_sql("select set_config('hnsw.ef_search', %(most)s, false)", {"most": str(EF_SEARCH)})
    rows = run_sql(
        _statement(stat, then=as_of is not None, before=before is not None),
        {
            "scope": stat.scope,
            "query": query,
            "at": as_of or at,
            "as_of": as_of,
            "before": before,
            "nearest": NEAREST,
            "halved": HALVED,
            "most": NEAREST + MOST_REACHED,
        },
    )
    return sorted((Activated(*row) for row in rows), key=lambda item: (-item.score, item.id))


def _statement(stat: ScopeStat, *, then: bool, before: bool) -> str:
    near = _near_within(then=then, before=before) if then or before else nearest_sql(stat)
    stands = " join node_strength t on t.node = l.object and t.scope = %(scope)s and " + not_archived_sql(
        "t", then=then
    )
    if then or before:
        stands += " join node m on m.id = l.object"
        stands += f" and {formed_by_sql('m')}" if then else ""
        stands += f" and {spoken_before_sql('m')}" if before else ""
    if then:
        strength = f" cross join {strength_then_sql('a.id')} where {not_archived_sql('s', then=True)}"
    else:
        strength = " where s.archived_at is null"
    effective = effective_sql("r" if then else "s", "%(at)s::timestamptz")
    return (
        f"with near as materialized ({near}),"
        " hop1 as materialized (select l.object id, sum(n.cos * %(halved)s) act from near n"
        "  join link l on l.subject = n.id and l.predicate in ('part_of', 'mentions') and l.scope = %(scope)s"
        f" {stands} group by 1),"
        " hop2 as (select l.object id, sum(h.act * %(halved)s) act from hop1 h"
        f"  join link l on l.subject = h.id and l.predicate = 'mentions' and l.scope = %(scope)s {stands} group by 1),"
        " act as (select id, sum(cos) cos, sum(one) one, sum(two) two from (select id, cos, 0 one, 0 two from near"
        "  union all select id, null, act, 0 from hop1 union all select id, null, 0, act from hop2) u group by 1),"
        f" live as (select a.id, s.layer, coalesce(a.cos, 0) + a.one + a.two act, {effective} eff, a.cos, a.one, a.two"
        f"  from act a join node_strength s on s.node = a.id and s.scope = %(scope)s{strength})"
        " select * from live order by cos is null, act * eff desc, id limit %(most)s"
    )


def _near_within(*, then: bool, before: bool) -> str:
    """The nearest of an earlier time. A scope's own index knows no times, so that all are compared."""
    narrowing = f" and {formed_by_sql('n')}" if then else ""
    narrowing += " and n.said_at < %(before)s::timestamptz" if before else ""
    return (
        "select node id, -d cos from (select i.node, i.embedding <#> %(query)s::halfvec d from node_index i"
        f" join node n on n.id = i.node{narrowing}"
        " where i.scope = %(scope)s and i.layer = 1 offset 0) z where d < 0 order by d, node limit %(nearest)s"
    )


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
        ") y where d < 0 order by d, node limit %(nearest)s"
    )


_EXACT = (
    "select node id, -d cos from (select node, embedding <#> %(query)s::halfvec d from node_index"
    " where scope = %(scope)s and layer = 1 offset 0) z where d < 0 order by d, node limit %(nearest)s"
)
