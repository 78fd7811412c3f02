"""How far facts are from their roots."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache

from memory.facts.statements import fetch
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

DEEPEST = 64


def chain_lengths(binding: Binding, scope: int, ids: Sequence[str], as_of: datetime) -> Callable[[str], int]:
    """How to look up the longest path over `derivedFrom` from each of these facts of `scope` to a root.

    At most 64 steps are counted, and a step back to a fact already on the path is none. What is withheld from the
    reader ends a path, as what is missing does. Asks the database once, when the first is looked up.
    """

    @cache
    def parents() -> Mapping[str, Sequence[str]]:
        return _parents(binding, scope, ids, as_of)

    return lambda fact_id: longest_path(fact_id, parents())


def _parents(binding: Binding, scope: int, ids: Sequence[str], as_of: datetime) -> Mapping[str, Sequence[str]]:
    standing = f"f.scope = %(scope)s and f.recorded_at <= %(as_of)s and {released_sql()}"
    rows = fetch(
        "with recursive up(id, parent) as (select f.id, p.parent"
        f"  from fact f join fact_parent p on p.fact = f.number where {standing} and f.id = any(%(ids)s)"
        f"  union select f.id, p.parent from up join fact f on {standing} and f.id = up.parent"
        "  join fact_parent p on p.fact = f.number)"
        " select id, parent from up limit 10000",
        gate_values(binding) | {"scope": scope, "ids": list(ids), "as_of": as_of},
    )
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        found[row["id"]].append(row["parent"])
    return found


def longest_path(start: str, parents: Mapping[str, Sequence[str]]) -> int:
    """How many steps the longest path from `start` has, at most 64."""
    return _longest(start, parents, frozenset(), {})


def _longest(name: str, parents: Mapping[str, Sequence[str]], path: frozenset[str], known: dict[str, int]) -> int:
    if name in known:
        return known[name]
    if name in path or len(path) >= DEEPEST:
        return 0
    onward = [parent for parent in parents.get(name, ()) if parent not in path]
    known[name] = max((1 + _longest(parent, parents, path | {name}, known) for parent in onward), default=0)
    return min(known[name], DEEPEST)
