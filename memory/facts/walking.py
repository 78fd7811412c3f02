"""The SQL of walking from fact to fact: level by level, each fact opened once, through the gate, within bounds."""

from dataclasses import dataclass
from datetime import datetime

from memory.facts.statements import fetch
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

# How many names are looked at on one level: who derives ten thousand facts from one makes nobody wait.
MOST_NAMED = 5_000

# Of the last place in the order of what a fact names: behind its parents, whose positions go up to 1,000.
_BEHIND_PARENTS = 4_095


@dataclass(frozen=True)
class Reached:
    """The ids that were reached, the nearest first, and whether there were more of them."""

    ids: tuple[str, ...]
    crowded: bool


_UP = (
    "select e.id, e.place from unnest(walk.ids) with ordinality t(id, place)"
    " join fact f on f.scope = %(scope)s and f.id = t.id and f.recorded_at <= %(as_of)s and {gate}"
    f" cross join lateral (select p.parent id, t.place * {_BEHIND_PARENTS + 1} + p.position place"
    "   from fact_parent p where p.fact = f.number"
    f"  union all select f.supersedes, t.place * {_BEHIND_PARENTS + 1} + {_BEHIND_PARENTS}"
    "   where f.supersedes is not null) e"
)
# For each fact no more than can be shown, so that the gate is asked no oftener.
_DOWN = (
    "select e.id, t.place from unnest(walk.ids) with ordinality t(id, place)"
    " cross join lateral (select f.id from fact_parent p"
    "   join fact f on f.number = p.fact and f.recorded_at <= %(as_of)s and {gate}"
    "   where p.scope = %(scope)s and p.parent = t.id limit %(most)s + 1) e"
)
# One row a level. An aggregate may not stand beside the table that a recursion reads, but may in a query beneath it.
_WALK = (
    'with recursive walk(level, ids, seen, crowded) as (select 0, array[%(id)s::text collate "C"],'
    ' array[%(id)s::text collate "C"], false'
    " union all select walk.level + 1, next.ids, walk.seen || next.ids, next.crowded from walk cross join lateral ("
    "  with named as (select * from ({step}) s limit {most_named} + 1)"
    "  select (select array_agg(z.id order by z.place, z.id) from (select n.id, min(n.place) place from named n"
    "    where not exists (select 1 from unnest(walk.seen) k(id) where k.id = n.id)"
    "    group by n.id order by 2, 1 limit %(most)s + 1 - cardinality(walk.seen)) z) ids,"
    "   (select count(*) > {most_named} from named) crowded offset 0) next"
    "  where walk.level < %(deepest)s and next.ids is not null and cardinality(walk.seen) <= %(most)s)"
    " select ids, crowded from walk order by level"
)


def walked_up(binding: Binding, scope: int, fact_id: str, *, deepest: int, most: int, as_of: datetime) -> Reached:
    """What a fact names, and what that names: `derivedFrom` in its own order, then what it superseded.

    Ids that nothing is behind, for this reader at `as_of`, are among them, and lead no further.
    """
    return _walked(_UP, binding, scope, fact_id, deepest, most, as_of)


def walked_down(binding: Binding, scope: int, fact_id: str, *, deepest: int, most: int, as_of: datetime) -> Reached:
    """The released facts that were derived from a fact, and from those."""
    return _walked(_DOWN, binding, scope, fact_id, deepest, most, as_of)


def _walked(step: str, binding: Binding, scope: int, fact_id: str, deepest: int, most: int, as_of: datetime) -> Reached:
    sql = _WALK.format(step=step.format(gate=released_sql()), most_named=MOST_NAMED)
    named = {"id": fact_id, "scope": scope, "as_of": as_of, "deepest": deepest, "most": most}
    rows = fetch(sql, gate_values(binding) | named)
    ids = [fact_id for row in rows for fact_id in row["ids"]]
    return Reached(tuple(ids[:most]), len(ids) > most or any(row["crowded"] for row in rows))
