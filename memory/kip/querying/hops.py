"""Walks of several links along one predicate, as a recursive subquery."""

from memory.kip.language.errors import KipError
from memory.kip.language.tree import Hops, Predicates
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.groups import Group

MOST_HOPS = 10
_ONE = Hops(1, 1)


def walk(group: Group, predicates: Predicates, begin: str | None, *, backwards: bool) -> tuple[str, str]:
    """Join where walks end that begin at `begin`, each once; returns the SQL of beginning and end.

    Of several predicates each is walked alone. Without `begin` they begin anywhere. `backwards`: from object to
    subject. A walk without a bound ends after 10 links. Raises KIP_4002 for more.
    """
    ends = group.compiling.table("h")
    parts = [
        _walk(group.compiling, name, hops or _ONE, begin, predicates.at, backwards=backwards)
        for name, hops in predicates.names
    ]
    start = begin or f"{ends}.start"
    group.join(f"lateral ({' union '.join(parts)}) {ends}", {start, f"{ends}.id"}, name=ends)
    return start, f"{ends}.id"


def _walk(compiling: Compiling, name: str, hops: Hops, begin: str | None, at: int, *, backwards: bool) -> str:
    most = MOST_HOPS if hops.most is None else hops.most
    if max(most, hops.least) > MOST_HOPS:
        raise KipError("KIP_4002", f"A walk has {MOST_HOPS} links at most.", at=at)
    here, there = ("object", "subject") if backwards else ("subject", "object")
    predicate, walked, link = compiling.value(name), compiling.table("w"), compiling.table("l")
    is_one = f"{link}.predicate = {predicate} and {' and '.join(compiling.link_conditions(link))}"
    if begin is None:
        first = f"select {link}.{here}, {link}.{here}, 0 from link {link} where {is_one}"
        if hops.least == 0:
            first = _every(compiling)
    else:
        first = f"select {begin}, {begin}, 0 where {begin} is not null"
    return (
        f"(with recursive {walked}(start, id, step) as ({first}"
        f" union select {walked}.start, {link}.{there}, {walked}.step + 1 from {walked}"
        f" join link {link} on {link}.{here} = {walked}.id and {is_one} where {walked}.step < {int(most)})"
        f" select distinct start, id from {walked} where step >= {int(hops.least)})"
    )


def _every(compiling: Compiling) -> str:
    """Every element, as the beginning of a walk that may have no link at all."""
    node, link = compiling.table("n"), compiling.table("l")
    nodes, links = " and ".join(compiling.node_conditions(node)), " and ".join(compiling.link_conditions(link))
    return (
        f"select every.id, every.id, 0 from (select {node}.id from node {node} where {nodes}"
        f" union all select {link}.id from link {link} where {links}) every"
    )
