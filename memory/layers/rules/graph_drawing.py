"""Geometry of a neighbourhood: boxes in four columns by layer, sessions on the left and concepts on the right.

Within its column a box stands near what it is linked to, and the nearer to the centre of the picture comes first where
that decides nothing. All measures are pixels of the drawing at its own size. The same graph gives the same drawing.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

BOX_WIDTH, BOX_HEIGHT = 206, 42
COLUMN, ROW = 284, 56
LEFT, TOP = 8, 56
TEXT_WIDTH = BOX_WIDTH - 26
_SWEEPS = 4
_BULGE = 34


@dataclass(frozen=True, slots=True)
class Spot:
    """A node on its way into the picture: its key, its layer 0 to 3, and how many hops it is from the centre."""

    key: str
    layer: int
    hops: int


@dataclass(frozen=True, slots=True)
class Tie:
    """A link on its way into the picture, from subject to object."""

    start: str
    end: str
    word: str


@dataclass(frozen=True, slots=True)
class GraphBox:
    """Where a node stands: `x` and `y` are its upper left corner."""

    key: str
    x: int
    y: int

    @property
    def right(self) -> int:
        return self.x + BOX_WIDTH

    @property
    def middle(self) -> int:
        return self.y + BOX_HEIGHT // 2


@dataclass(frozen=True, slots=True)
class GraphLine:
    """A path between two boxes; `says` is what it means, in words; `is_near` where it touches the centre."""

    path: str
    says: str
    is_near: bool


@dataclass(frozen=True, slots=True)
class GraphWord:
    """What the lines into a box are, written before it; `x` is where the word ends."""

    text: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """The whole picture; boxes column by column from above, which is the order of the keyboard."""

    width: int
    height: int
    boxes: tuple[GraphBox, ...]
    lines: tuple[GraphLine, ...]
    words: tuple[GraphWord, ...]


def hops_from(centre: Hashable, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, int]:
    """How many links each node is away from the centre, which itself is 0; what cannot be reached is left out."""
    graph: nx.Graph = nx.Graph(pairs)
    graph.add_node(centre)
    return dict(nx.single_source_shortest_path_length(graph, centre))


def graph_drawing(spots: Sequence[Spot], ties: Sequence[Tie], centre: str) -> GraphDrawing:
    """Draw nodes and the links between those that are among them."""
    layers = {spot.key: spot.layer for spot in spots}
    drawn = [tie for tie in ties if tie.start in layers and tie.end in layers and tie.start != tie.end]
    columns = _ordered(spots, drawn)
    tallest = max(len(column) for column in columns)
    boxes: dict[str, GraphBox] = {}
    for layer, column in enumerate(columns):
        for place, key in enumerate(column):
            boxes[key] = GraphBox(key, LEFT + layer * COLUMN, TOP + place * ROW)
    return GraphDrawing(
        width=LEFT * 2 + 3 * COLUMN + BOX_WIDTH + _BULGE,
        height=TOP + max(tallest, 1) * ROW,
        boxes=tuple(boxes.values()),
        lines=tuple(_lines(boxes, drawn, centre)),
        words=tuple(_words(boxes, drawn)),
    )


def _ordered(spots: Sequence[Spot], ties: Sequence[Tie]) -> list[list[str]]:
    """The keys of each column from above: sorted over and over by where their neighbours stand."""
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(spot.key for spot in spots)
    graph.add_edges_from((tie.start, tie.end) for tie in ties)
    first = {spot.key: (spot.hops, place) for place, spot in enumerate(spots)}
    columns = [sorted((s.key for s in spots if s.layer == layer), key=lambda key: first[key]) for layer in range(4)]
    height = {key: float(place) for column in columns for place, key in enumerate(column)}
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            column.sort(key=lambda key: (_pull(graph, key, height), first[key]))
            height |= {key: float(place) for place, key in enumerate(column)}
    return columns


def _pull(graph: "nx.Graph", key: str, height: dict[str, float]) -> float:
    near = [height[other] for other in graph.neighbors(key)]
    return sum(near) / len(near) if near else height[key]


def _lines(boxes: dict[str, GraphBox], ties: Sequence[Tie], centre: str) -> Iterable[GraphLine]:
    said: dict[tuple[str, str], list[str]] = {}
    for tie in ties:
        said.setdefault((tie.start, tie.end), []).append(tie.word)
    # What touches the centre is drawn last, above the others.
    for (start, end), words in sorted(said.items(), key=lambda item: centre in item[0]):
        yield GraphLine(_path(boxes[start], boxes[end]), ", ".join(words), centre in (start, end))


def _path(start: GraphBox, end: GraphBox) -> str:
    """A curve between facing sides; within a column short and upright to the next box, else around on the right."""
    if start.x == end.x:
        upper, lower = sorted((start, end), key=lambda box: box.y)
        if lower.y - upper.y == ROW:
            return f"M{upper.x + 24} {upper.y + BOX_HEIGHT}V{lower.y}"
        out = start.right + _BULGE
        return f"M{start.right} {start.middle}C{out} {start.middle} {out} {end.middle} {end.right} {end.middle}"
    left, right = sorted((start, end), key=lambda box: box.x)
    turn = (left.right + right.x) // 2
    return f"M{left.right} {left.middle}C{turn} {left.middle} {turn} {right.middle} {right.x} {right.middle}"


def _words(boxes: dict[str, GraphBox], ties: Sequence[Tie]) -> Iterable[GraphWord]:
    """What the lines from the left into a box say, once each; and between boxes that stand under each other."""
    said: dict[str, dict[str, None]] = {}
    for tie in ties:
        left, right = sorted((boxes[tie.start], boxes[tie.end]), key=lambda box: box.x)
        if left.x < right.x:
            said.setdefault(right.key, {})[tie.word] = None
        elif abs(left.y - right.y) == ROW:
            upper = min(left, right, key=lambda box: box.y)
            yield GraphWord(tie.word, upper.x + 20, upper.y + BOX_HEIGHT + 11)
    for key, words in said.items():
        for place, word in enumerate(words):
            yield GraphWord(word, boxes[key].x - 4, boxes[key].middle - 4 + place * 14)
