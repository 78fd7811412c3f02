"""Where a fact comes from, and what rests on it: bounded walks through `derivedFrom`, `supersedes` and `inference`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from math import prod

from common.times import now
from memory.facts.models import InferenceRule
from memory.facts.reading import facts_by_id, find_fact
from memory.facts.rules.lineage import Edge, Ref, Walk, breadth_first, has_cycle, nearest_first, ways
from memory.facts.statements import fetch
from memory.facts.views import FactView
from memory.facts.walking import Reached, walked_down, walked_up
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

DEFAULT_DEPTH = 8
DEEPEST = 64
MOST_NODES = 500
MOST_EDGES = 5_000
MOST_PATHS = 50


@dataclass(frozen=True)
class Node:
    """A fact, a rule, or an id with nothing behind it for this reader.

    `redacted` is why the reader may not see it, `erased` when it was erased; both are told only to those who may know.
    """

    id: str
    depth: int
    view: FactView | None = None
    is_rule: bool = False
    rule: InferenceRule | None = None
    redacted: str | None = None
    erased: datetime | None = None

    @property
    def missing(self) -> bool:
        return self.view is None and self.rule is None and self.redacted is None and self.erased is None


@dataclass(frozen=True)
class Path:
    """One way from the root to where `derivedFrom` ends, and the product of the effective confidences on it."""

    ids: tuple[str, ...]
    product: float


@dataclass(frozen=True)
class Provenance:
    """A walk: its nodes breadth first, its edges, and what weakens it.

    `weakest` is the fact with the lowest effective confidence of those that the root rests on, itself among them; what
    it only superseded does not count. `way_to_weakest` leads there. `deeper` says that there is more beyond the last
    step, `crowded` that there was more than the bounds allow.
    """

    root: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cycle: bool
    deeper: bool
    crowded: bool
    weakest: FactView
    way_to_weakest: tuple[str, ...]
    paths: tuple[Path, ...]
    more_paths: bool

    @property
    def truncated(self) -> bool:
        return self.deeper or self.crowded

    @property
    def depth(self) -> int:
        return max(node.depth for node in self.nodes)

    @cached_property
    def edges_of(self) -> Mapping[str, Sequence[Edge]]:
        """The edges of each fact that has some."""
        return _by_start(self.edges)


def provenance(
    binding: Binding,
    fact_id: str,
    *,
    max_depth: int = DEFAULT_DEPTH,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
    most: int = MOST_NODES,
    root: FactView | None = None,
) -> Provenance:
    """What stands behind a fact, at most `max_depth` steps away: every node once, `derivedFrom` in its own order, then
    what it superseded, then its rule.

    A parent that is withheld from the reader looks like a missing one. `root` is the fact's view where the caller has
    read it at these instants already. Raises NotFound for the root.
    """
    as_of = as_of or now()
    root = root or find_fact(binding, fact_id, as_of=as_of, valid_at=valid_at)
    binding = _within(binding, root.scope)
    reached = walked_up(binding, root.scope, root.record.id, deepest=max_depth, most=most, as_of=as_of)
    views = _views(binding, root, reached.ids, as_of, valid_at)

    def named(name: str) -> Iterable[Edge]:
        return _named_by(views[name]) if name in views else ()

    return _found(binding, root, views, _walked(root, named, reached, max_depth, most), as_of)


def derived(
    binding: Binding,
    fact_id: str,
    *,
    max_depth: int = DEFAULT_DEPTH,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
    most: int = MOST_NODES,
    root: FactView | None = None,
) -> Provenance:
    """What rests on a fact: what was derived from it, and from that, at most `max_depth` steps away.

    What is withheld from the reader is left out, and so is what rests on it alone.
    """
    as_of = as_of or now()
    root = root or find_fact(binding, fact_id, as_of=as_of, valid_at=valid_at)
    binding = _within(binding, root.scope)
    # One step further than is shown, so that an end is known to be one.
    reached = walked_down(binding, root.scope, root.record.id, deepest=max_depth + 1, most=most, as_of=as_of)
    views = _views(binding, root, reached.ids, as_of, valid_at)
    children: dict[str, list[str]] = defaultdict(list)
    for name in reached.ids:
        for parent in views[name].record.derived_from if name in views else ():
            children[parent].append(name)

    def naming(parent: str) -> Iterator[Edge]:
        return (Edge("derivedFrom", parent, name) for name in children.get(parent, ()))

    walk = _walked(root, naming, reached, max_depth, most)
    return _found(binding, root, views, replace(walk, crowded=walk.crowded or reached.crowded), as_of)


def _within(binding: Binding, scope: int) -> Binding:
    """The binding to one of its scopes alone: others may have facts of the same ids."""
    return replace(binding, scopes=tuple(one for one in binding.scopes if one.pk == scope))


def _views(
    binding: Binding, root: FactView, ids: Sequence[str], as_of: datetime, valid_at: datetime | None
) -> dict[str, FactView]:
    others = [name for name in ids if name != root.record.id]
    found = facts_by_id(binding, others, as_of=as_of, valid_at=valid_at) if others else []
    return {view.record.id: view for view in (root, *found)}


def _walked(
    root: FactView, edges_of: Callable[[str], Iterable[Edge]], reached: Reached, max_depth: int, most: int
) -> Walk:
    ids = frozenset(reached.ids)
    return breadth_first(root.record.id, edges_of, ids, max_depth=max_depth, most_nodes=most, most_edges=MOST_EDGES)


def _found(binding: Binding, root: FactView, views: Mapping[str, FactView], walk: Walk, as_of: datetime) -> Provenance:
    """Put the parts of an answer together."""
    nodes = _nodes(binding, root.scope, views, walk.depths, as_of)
    evidence = {
        start: [edge.end for edge in edges if edge.kind == "derivedFrom" and edge.end in views]
        for start, edges in _by_start(walk.edges).items()
    }
    rested_on = nearest_first(root.record.id, evidence)
    weakest = min(rested_on, key=lambda name: views[name].effective_confidence)
    paths = [
        Path(ids, prod(views[name].effective_confidence for name in ids))
        for ids in islice(ways(root.record.id, evidence), MOST_PATHS + 1)
    ]
    return Provenance(
        root=root.record.id,
        nodes=nodes,
        edges=tuple(walk.edges),
        cycle=has_cycle(walk.edges),
        deeper=walk.deeper,
        crowded=walk.crowded,
        weakest=views[weakest],
        way_to_weakest=rested_on[weakest],
        paths=tuple(paths[:MOST_PATHS]),
        more_paths=len(paths) > MOST_PATHS,
    )


def _nodes(
    binding: Binding, scope: int, views: Mapping[str, FactView], depths: Mapping[Ref, int], as_of: datetime
) -> tuple[Node, ...]:
    rules = _rules(scope, [name for kind, name in depths if kind == "rule"])
    unseen = {name: depth for (kind, name), depth in depths.items() if kind == "fact" and name not in views}
    hidden = _hidden(binding, scope, unseen, as_of)
    return tuple(
        Node(name, depth, is_rule=True, rule=rules.get(name))
        if kind == "rule"
        else hidden.get(name) or Node(name, depth, views.get(name))
        for (kind, name), depth in depths.items()
    )


def _by_start(edges: Sequence[Edge]) -> Mapping[str, Sequence[Edge]]:
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        found[edge.start].append(edge)
    return dict(found)


def _named_by(view: FactView) -> Iterator[Edge]:
    record = view.record
    yield from (Edge("derivedFrom", record.id, parent) for parent in record.derived_from)
    if record.supersedes:
        yield Edge("supersedes", record.id, record.supersedes)
    if record.inference:
        yield Edge("inference", record.id, record.inference)


def _rules(scope: int, ids: Sequence[str]) -> dict[str, InferenceRule]:
    return {rule.id: rule for rule in InferenceRule.objects.filter(scope=scope, id__in=ids)} if ids else {}


def _hidden(binding: Binding, scope: int, depths: Mapping[str, int], as_of: datetime) -> dict[str, Node]:
    """The PHI among these that the gate holds back, for roles that may know that it is there: why, or since when not.

    To everybody else they are missing, and so is to all what was not known at `as_of`.
    """
    if not depths or not binding.sees_redactions:
        return {}
    rows = fetch(
        "select f.id, f.consent, k.destroyed_at, c.id is not null known from fact f"
        " left join data_key k on k.number = f.key left join consent c on c.scope = f.scope and c.id = f.consent"
        " where f.scope = %(scope)s and f.id = any(%(ids)s) and f.classification = 'PHI' and f.recorded_at <= %(as_of)s"
        f" and not {released_sql()}",
        gate_values(binding) | {"scope": scope, "ids": list(depths), "as_of": as_of},
    )
    return {
        row["id"]: Node(row["id"], depths[row["id"]], erased=row["destroyed_at"])
        if row["destroyed_at"]
        else Node(row["id"], depths[row["id"]], redacted=_reason(binding, row["consent"], known=row["known"]))
        for row in rows
    }


def _reason(binding: Binding, consent: str, *, known: bool) -> str:
    if not known:
        return f"PHI: its consent {consent} is not recorded"
    if binding.purpose is None:
        return "PHI: no purpose stated"
    return f"PHI: {consent} does not cover {binding.purpose}"
