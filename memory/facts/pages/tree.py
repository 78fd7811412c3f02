"""A walk through provenance made ready for a page: what stands in each box of the picture and each row of the table."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Literal

from django.utils.text import Truncator

from common.templatetags.kndl_marks import in_zone
from memory.facts.provenance import Node, Path, Provenance
from memory.facts.rules.lineage import EdgeKind, Ref
from memory.facts.rules.tree_drawing import Box, Drawing, Joint, cut, drawing
from memory.facts.views import FactView

Direction = Literal["up", "down"]

MOST_PATHS = 8
MARK_WIDTH = 60
# More of a statement is not said of a box; its row has more of it.
MOST_SAID = 100
_WORDS: dict[EdgeKind, str] = {"derivedFrom": "derived", "supersedes": "supersedes", "inference": "rule"}
_SOURCES = {
    "http": "https source",
    "https": "https source",
    "session": "said in a session",
    "human": "said by a person",
}


@dataclass(frozen=True)
class Shown:
    """A node in its box. `anchor` names its row in the table, `url` is where its box leads."""

    node: Node
    box: Box
    anchor: str
    url: str
    title: str
    kind: str
    label: str
    edge: str
    look: str
    is_root: bool
    is_weakest: bool

    @property
    def view(self) -> FactView | None:
        return self.node.view

    @property
    def number(self) -> str:
        """The effective confidence as pages write it."""
        return f"{self.view.effective_confidence:.4f}" if self.view else ""

    @property
    def mark_end(self) -> str:
        """Where the line that stands for the effective confidence ends."""
        value = self.view.effective_confidence if self.view else 0.0
        return f"{self.box.x + 12 + MARK_WIDTH * value:.1f}"


@dataclass(frozen=True)
class DrawnLine:
    """A line of the picture."""

    path: str
    is_weak: bool


@dataclass(frozen=True)
class Way:
    """A path from the fact to where its evidence ends: what is on it, and the product."""

    steps: tuple[Shown, ...]
    product: float

    @property
    def number(self) -> str:
        return f"{self.product:.4f}"


@dataclass(frozen=True)
class Tree:
    """The picture, its table and its words."""

    direction: Direction
    found: Provenance
    drawing: Drawing
    nodes: tuple[Shown, ...]
    lines: tuple[DrawnLine, ...]
    ways: tuple[Way, ...]
    more_ways: bool
    weakest: Shown
    missing: int

    @property
    def is_alone(self) -> bool:
        return len(self.nodes) == 1


def tree_of(found: Provenance, direction: Direction, zone: tzinfo, address: Callable[[Node], str | None]) -> Tree:
    """Draw a walk. `address` gives the page of a node, None for one that has only its row in the table."""
    edges: dict[Ref, dict[EdgeKind, None]] = defaultdict(dict)
    for edge in found.edges:
        edges[edge.target][edge.kind] = None
    joints = [Joint(f"fact {edge.start}", " ".join(edge.target), _WORDS[edge.kind]) for edge in found.edges]
    drawn = drawing([(_key(node), node.depth) for node in found.nodes], joints)
    nodes = tuple(
        _shown(found, node, box, f"{direction}-{place}", direction, list(edges[_ref(node)]), zone, address)
        for place, (node, box) in enumerate(zip(found.nodes, drawn.boxes, strict=True))
    )
    facts = {shown.node.id: shown for shown in nodes if shown.view is not None}
    weak = set(pairwise(f"fact {name}" for name in found.way_to_weakest))
    return Tree(
        direction=direction,
        found=found,
        drawing=drawn,
        nodes=nodes,
        lines=tuple(DrawnLine(line.path, (line.start, line.end) in weak) for line in drawn.lines),
        ways=tuple(_way(path, facts) for path in found.paths[:MOST_PATHS]),
        more_ways=found.more_paths or len(found.paths) > MOST_PATHS,
        weakest=facts[found.weakest.record.id],
        missing=sum(node.missing and not node.is_rule for node in found.nodes),
    )


def _ref(node: Node) -> Ref:
    return ("rule" if node.is_rule else "fact", node.id)


def _key(node: Node) -> str:
    return " ".join(_ref(node))


def _way(path: Path, facts: Mapping[str, Shown]) -> Way:
    return Way(tuple(facts[name] for name in path.ids), path.product)


def _shown(
    found: Provenance,
    node: Node,
    box: Box,
    anchor: str,
    direction: Direction,
    kinds: list[EdgeKind],
    zone: tzinfo,
    address: Callable[[Node], str | None],
) -> Shown:
    is_root = box.key == f"fact {found.root}"
    is_weakest = node.view is not None and node.id == found.weakest.record.id
    title, kind = _said(node, zone, is_root=is_root)
    edge = "this fact" if is_root else ", ".join(_edge_words(kinds, direction))
    return Shown(
        node=node,
        box=box,
        anchor=anchor,
        url=address(node) or f"#{anchor}",
        title=cut(title),
        kind=cut(kind),
        label=_label(node, title, kind, edge, is_weakest=is_weakest and not is_root),
        edge=edge,
        look="node-root" if is_root else "node-weak" if is_weakest else "node-gone" if _is_gone(node) else "",
        is_root=is_root,
        is_weakest=is_weakest and not is_root,
    )


def _is_gone(node: Node) -> bool:
    return node.missing or node.erased is not None


def _edge_words(kinds: list[EdgeKind], direction: Direction) -> list[str]:
    if direction == "down":
        return ["derived from it"]
    words: dict[EdgeKind, str] = {"derivedFrom": "derived from", "supersedes": "supersedes", "inference": "rule"}
    return [words[kind] for kind in kinds]


def _said(node: Node, zone: tzinfo, *, is_root: bool) -> tuple[str, str]:
    """(what stands first in a box, what kind of node it is)."""
    if node.view is not None:
        return node.view.record.statement, "this fact" if is_root else _kind_of(node.view, zone)
    if node.is_rule:
        if node.rule is None:
            return node.id, "rule, missing"
        version = f", version {node.rule.version}" if node.rule.version else ""
        return f"rule: {node.rule.name or node.id}", f"inference{version}"
    if node.erased is not None:
        return "erased", _date(node.erased, zone)
    if node.redacted is not None:
        return "redacted", node.redacted
    return node.id, "missing"


def _kind_of(view: FactView, zone: tzinfo) -> str:
    if view.superseded_by and view.superseded_at:
        return f"superseded {_date(view.superseded_at, zone)}"
    scheme = view.record.source.partition(":")[0].lower()
    source = _SOURCES.get(scheme, f"{scheme} source")
    return f"known false, {source}" if view.record.negated else f"fact, {source}"


def _date(at: datetime, zone: tzinfo) -> str:
    local = in_zone(at, zone)
    return f"{local.day} {local:%b} {local.year}"


def _label(node: Node, title: str, kind: str, edge: str, *, is_weakest: bool) -> str:
    """What a screen reader says of a box."""
    parts = [Truncator(title).chars(MOST_SAID), kind if kind == edge else f"{kind}, {edge}"]
    if node.view is not None:
        parts.append(f"{node.view.effective_confidence:.4f} {node.view.band}")
    if is_weakest:
        parts.append("weakest link")
    return ", ".join(part for part in parts if part)
