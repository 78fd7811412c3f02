"""Where a fact comes from, and what rests on it: bounded walks through `derivedFrom`, `supersedes` and `inference`."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Literal

from common.times import format_instant, now
from memory.facts.gate import gate_values, released_sql
from memory.facts.models import InferenceRule
from memory.facts.reading import facts_by_id, find_fact
from memory.facts.statements import fetch
from memory.facts.views import FactView
from spaces.access import Binding

DEFAULT_DEPTH = 8
DEEPEST = 64
MOST_NODES = 500
MOST_PATHS = 50

EdgeKind = Literal["derivedFrom", "supersedes", "inference"]


@dataclass(frozen=True)
class Edge:
    """From a fact to what it names."""

    kind: EdgeKind
    start: str
    end: str


@dataclass(frozen=True)
class Node:
    """A fact, a rule, or an id with nothing behind it for this reader."""

    id: str
    depth: int
    view: FactView | None = None
    rule: InferenceRule | None = None
    redacted: str | None = None

    @property
    def missing(self) -> bool:
        return self.view is None and self.rule is None and self.redacted is None


@dataclass(frozen=True)
class Path:
    """One way from the root to where `derivedFrom` ends, and the product of the effective confidences on it."""

    ids: tuple[str, ...]
    product: float


@dataclass(frozen=True)
class Provenance:
    """A walk: its nodes breadth first, its edges, and what weakens it."""

    root: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cycle: bool
    truncated: bool
    weakest: Node | None
    paths: tuple[Path, ...] = field(default=())

    @property
    def depth(self) -> int:
        return max(node.depth for node in self.nodes)


def provenance(
    binding: Binding, fact_id: str, *, max_depth: int = DEFAULT_DEPTH, as_of: datetime | None = None
) -> Provenance:
    """What stands behind a fact, at most `max_depth` steps away: every node once, `derivedFrom` in its own order, then
    what it superseded, then its rule.

    A parent that is withheld from the reader looks like a missing one. Raises NotFound for the root.
    """
    as_of = as_of or now()
    root = find_fact(binding, fact_id, as_of=as_of)
    # One step further than is shown, so that a cut is known to be one.
    found = _reached(_UP, binding, root, max_depth + 1, as_of)
    return _walk(binding, root, found, max_depth, as_of, _named_by)


def derived(
    binding: Binding, fact_id: str, *, max_depth: int = DEFAULT_DEPTH, as_of: datetime | None = None
) -> Provenance:
    """What rests on a fact: what was derived from it, and from that, at most `max_depth` steps away."""
    as_of = as_of or now()
    root = find_fact(binding, fact_id, as_of=as_of)
    found = _reached(_DOWN, binding, root, max_depth + 1, as_of)
    children: dict[str, list[Edge]] = defaultdict(list)
    views = {view.record.id: view for view in found}
    for view in found:
        for parent in view.record.derived_from:
            if parent in views or parent == root.record.id:
                children[parent].append(Edge("derivedFrom", parent, view.record.id))
    return _walk(binding, root, found, max_depth, as_of, lambda view: children[view.record.id])


_UP = (
    'with recursive reached(id, depth) as (select %(id)s::text collate "C", 0'
    " union select e.id, reached.depth + 1 from reached"
    "  join fact f on f.scope = %(scope)s and f.id = reached.id and f.recorded_at <= %(as_of)s and {gate}"
    "  cross join lateral (select p.parent id from fact_parent p where p.fact = f.number"
    "   union all select f.supersedes where f.supersedes is not null) e where reached.depth < %(deepest)s)"
)
_DOWN = (
    'with recursive reached(id, depth) as (select %(id)s::text collate "C", 0'
    " union select f.id, reached.depth + 1 from reached"
    "  join fact_parent p on p.scope = %(scope)s and p.parent = reached.id"
    "  join fact f on f.number = p.fact and f.recorded_at <= %(as_of)s and {gate}"
    "  where reached.depth < %(deepest)s)"
)


def _reached(walk: str, binding: Binding, root: FactView, deepest: int, as_of: datetime) -> list[FactView]:
    """The released facts within so many steps. UNION over (id, depth) follows no path twice, so diamonds stay cheap."""
    sql = (
        walk.format(gate=released_sql())
        + " select id, min(depth) depth from reached group by id order by 2, 1 limit %(most)s"
    )
    values = gate_values(binding) | {
        "id": root.record.id,
        "scope": root.scope,
        "as_of": as_of,
        "deepest": deepest,
        "most": MOST_NODES + 1,
    }
    ids = [row["id"] for row in fetch(sql, values)]
    return [view for view in facts_by_id(binding, ids, as_of=as_of) if view.scope == root.scope]


def _named_by(view: FactView) -> list[Edge]:
    record = view.record
    edges = [Edge("derivedFrom", record.id, parent) for parent in record.derived_from]
    if record.supersedes:
        edges.append(Edge("supersedes", record.id, record.supersedes))
    if record.inference:
        edges.append(Edge("inference", record.id, record.inference))
    return edges


def _walk(
    binding: Binding, root: FactView, found: Sequence[FactView], max_depth: int, as_of: datetime, edges_of: Any
) -> Provenance:
    views = {view.record.id: view for view in found} | {root.record.id: root}
    depths, edges, truncated = _breadth_first(root.record.id, views, max_depth, edges_of)
    rules = _rules(root.scope, [edge.end for edge in edges if edge.kind == "inference"])
    redacted = _redacted(binding, root.scope, [name for name in depths if name not in views and name not in rules])
    nodes = tuple(
        Node(name, depth, views.get(name), rules.get(name), redacted.get(name)) for name, depth in depths.items()
    )
    seen = [node for node in nodes if node.view is not None]
    weakest = min(seen, key=lambda node: node.view.effective_confidence if node.view else 1.0, default=None)
    evidence: dict[str, list[str]] = {edge.start: [] for edge in edges}
    for edge in edges:
        if edge.kind == "derivedFrom":
            evidence[edge.start].append(edge.end)
    return Provenance(
        root=root.record.id,
        nodes=nodes,
        edges=tuple(edges),
        cycle=_has_cycle(edges),
        truncated=truncated,
        weakest=weakest,
        paths=tuple(islice(_paths(root.record.id, evidence, views), MOST_PATHS)),
    )


def _breadth_first(
    root: str, views: Mapping[str, FactView], max_depth: int, edges_of: Any
) -> tuple[dict[str, int], list[Edge], bool]:
    """(depth of each node in the order it was met, the edges between them, whether something was left out)."""
    depths, edges, truncated = {root: 0}, [], False
    waiting = deque([root])
    while waiting:
        name = waiting.popleft()
        view = views.get(name)
        for edge in edges_of(view) if view else ():
            if edge.end not in depths:
                if depths[name] >= max_depth or len(depths) >= MOST_NODES:
                    truncated = True
                    continue
                depths[edge.end] = depths[name] + 1
                waiting.append(edge.end)
            edges.append(edge)
    return depths, edges, truncated


def _has_cycle(edges: Sequence[Edge]) -> bool:
    """Whether following the edges leads back somewhere (Kahn: what is left when nothing has no way in)."""
    incoming: dict[str, int] = defaultdict(int)
    onward: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        onward[edge.start].append(edge.end)
        incoming[edge.end] += 1
        incoming[edge.start] += 0
    free = [name for name, count in incoming.items() if count == 0]
    done = 0
    while free:
        done += 1
        for end in onward[free.pop()]:
            incoming[end] -= 1
            if incoming[end] == 0:
                free.append(end)
    return done < len(incoming)


def _paths(root: str, evidence: Mapping[str, Sequence[str]], views: Mapping[str, FactView]) -> Iterator[Path]:
    """The ways from the root along `derivedFrom` to facts that rest on nothing further, one after the other."""
    waiting: list[tuple[tuple[str, ...], float]] = [((root,), _confidence(views, root))]
    while waiting:
        ids, product = waiting.pop()
        onward = [name for name in evidence.get(ids[-1], ()) if name not in ids and name in views]
        if not onward and len(ids) > 1:
            yield Path(ids, product)
        waiting.extend(((*ids, name), product * _confidence(views, name)) for name in reversed(onward))


def _confidence(views: Mapping[str, FactView], name: str) -> float:
    view = views.get(name)
    return view.effective_confidence if view else 1.0


def _rules(scope: int, ids: list[str]) -> dict[str, InferenceRule]:
    return {rule.id: rule for rule in InferenceRule.objects.filter(scope=scope, id__in=ids)} if ids else {}


def _redacted(binding: Binding, scope: int, ids: list[str]) -> dict[str, str]:
    """Why the reader may not see these, for roles that may know that there is something to see."""
    if not ids or not binding.sees_redactions:
        return {}
    rows = fetch(
        "select id, consent from fact where scope = %(scope)s and id = any(%(ids)s)", {"scope": scope, "ids": ids}
    )
    return {row["id"]: f"PHI; consent {row['consent']} does not cover this purpose" for row in rows}


def provenance_document(found: Provenance) -> dict[str, Any]:
    """A walk as REST shows it."""
    return {
        "root": found.root,
        "depth": found.depth,
        "chain": [_node_document(node, found.edges) for node in found.nodes],
        "cycle": found.cycle,
        "truncated": found.truncated,
        "weakest": _weakest_document(found.weakest),
        "paths": [{"ids": list(path.ids), "product": path.product} for path in found.paths],
    }


def _weakest_document(node: Node | None) -> dict[str, Any] | None:
    if node is None or node.view is None:
        return None
    return {"id": node.id, "effective_confidence": node.view.effective_confidence}


def _node_document(node: Node, edges: Sequence[Edge]) -> dict[str, Any]:
    found: dict[str, Any] = {"id": node.id, "depth": node.depth}
    if node.view is not None:
        record = node.view.record
        found |= {
            "statement": record.statement,
            "source": record.source,
            "confidence": record.confidence,
            "effective_confidence": node.view.effective_confidence,
            "band": node.view.band,
            "recordedAt": format_instant(record.recorded_at),
            "derivedFrom": record.derived_from,
            "supersedes": record.supersedes,
            "inference": record.inference,
            "negated": record.negated,
            "classification": record.classification,
            "superseded_by": node.view.superseded_by,
        }
    elif node.rule is not None:
        found |= {"rule": {"name": node.rule.name, "text": node.rule.text, "version": node.rule.version}}
    elif node.redacted is not None:
        found |= {"redacted": True, "reason": node.redacted}
    else:
        found["missing"] = True
    found["edges"] = [{"kind": edge.kind, "to": edge.end} for edge in edges if edge.start == node.id]
    return found
