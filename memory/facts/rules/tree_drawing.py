"""Geometry of a tree of provenance: boxes in columns by depth, the root on the left, and the lines between them.

All measures are pixels of the drawing at its own size. Nothing here knows what stands in a box.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

BOX_WIDTH, BOX_HEIGHT = 208, 68
COLUMN, ROW = 304, 90
MARGIN = 16
# A figure of one or two boxes is not drawn larger than their like in others.
LEAST_WIDTH = 544
# Columns of more boxes than this begin at the top, where one starts to read; fewer stand around the middle.
MOST_CENTRED = 7
BULGE = 44
TEXT_WIDTH = BOX_WIDTH - 24

# Widths of a 13 px serif and a 12 px sans character, on the generous side.
_WIDE, _BROAD, _COMMON, _NARROW = 13.5, 11.5, 6.9, 4.2
_BROAD_LETTERS = frozenset("MWmw@%—…ÆŒæœ")
_NARROW_LETTERS = frozenset("iljtfrI.,:;'’!|()[] -")


@dataclass(frozen=True)
class Joint:
    """A line to draw: from one box to another, with a word for what it is."""

    start: str
    end: str
    word: str


@dataclass(frozen=True)
class Box:
    """Where a node stands: `x` and `y` are its upper left corner."""

    key: str
    x: int
    y: int

    @property
    def right(self) -> int:
        return self.x + BOX_WIDTH

    @property
    def bottom(self) -> int:
        return self.y + BOX_HEIGHT

    @property
    def middle(self) -> int:
        return self.y + BOX_HEIGHT // 2


@dataclass(frozen=True)
class Line:
    """A path from a side of one box to a side of another."""

    start: str
    end: str
    path: str


@dataclass(frozen=True)
class Word:
    """What the lines into a box are, written before it; `x` is where it ends."""

    text: str
    x: int
    y: int


@dataclass(frozen=True)
class Drawing:
    """The whole picture: boxes in the order they were given, which is the order of the keyboard."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    words: tuple[Word, ...]


def drawing(nodes: Sequence[tuple[str, int]], joints: Iterable[Joint]) -> Drawing:
    """Draw nodes, each a key and its depth, and the joints between those that are among them."""
    columns: dict[int, list[str]] = defaultdict(list)
    for key, depth in nodes:
        columns[depth].append(key)
    tallest = max(len(column) for column in columns.values())
    placed = {}
    for depth, column in columns.items():
        spare = (tallest - len(column)) * ROW // 2 if tallest <= MOST_CENTRED else 0
        for place, key in enumerate(column):
            placed[key] = Box(key, MARGIN + depth * COLUMN, MARGIN + spare + place * ROW)
    drawn = [joint for joint in joints if joint.start in placed and joint.end in placed]
    joined = dict.fromkeys((joint.start, joint.end) for joint in drawn)
    last = max(columns)
    return Drawing(
        # On the right there is room for the lines between boxes of the last column.
        width=max(LEAST_WIDTH, last * COLUMN + BOX_WIDTH + 2 * MARGIN + BULGE),
        height=(tallest - 1) * ROW + BOX_HEIGHT + 2 * MARGIN,
        boxes=tuple(placed[key] for key, _ in nodes),
        lines=tuple(Line(start, end, _path(placed[start], placed[end])) for start, end in joined),
        words=tuple(_words(placed, drawn)),
    )


def cut(text: str, width: float = TEXT_WIDTH) -> str:
    """Return as much of `text`, on one line, as surely has room in `width`; an ellipsis says that it goes on."""
    line = " ".join(text.split())
    used, fits = 0.0, 0
    for place, letter in enumerate(line):
        used += _width(letter)
        if used > width:
            return line[:fits].rstrip() + "…"
        if used <= width - _WIDE:
            fits = place + 1
    return line


def _width(letter: str) -> float:
    if combining(letter):
        # No width of its own; but a line of nothing else comes to an end as well.
        return 1.0
    if east_asian_width(letter) in "WF":
        return _WIDE
    if letter in _BROAD_LETTERS:
        return _BROAD
    if letter in _NARROW_LETTERS:
        return _NARROW
    return _BROAD if letter.isupper() or ord(letter) > 0x0590 else _COMMON


def _path(start: Box, end: Box) -> str:
    """A curve that leaves a box on the right and enters the next column's on the left.

    To the same column it swings out on the right and comes back; to a column before it leaves on the left, beside the
    line that may come the other way.
    """
    aside = BOX_HEIGHT // 4
    if end.x > start.x:
        turn = (start.right + end.x) // 2
        return f"M{start.right} {start.middle}C{turn} {start.middle} {turn} {end.middle} {end.x} {end.middle}"
    if end.x == start.x:
        spread = aside if start.key == end.key else 0
        out = start.right + (BULGE if end.y >= start.y else BULGE // 2)
        first, last = start.middle - spread, end.middle + spread
        return f"M{start.right} {first}C{out} {first} {out} {last} {end.right} {last}"
    turn = (start.x + end.right) // 2
    first, last = start.middle + aside, end.middle + aside
    return f"M{start.x} {first}C{turn} {first} {turn} {last} {end.right} {last}"


def _words(placed: dict[str, Box], joints: Sequence[Joint]) -> Iterable[Word]:
    """One word before each box that something leads into from the left; where several say the same it stands once."""
    said: dict[str, dict[str, None]] = defaultdict(dict)
    for joint in joints:
        if placed[joint.start].x < placed[joint.end].x:
            said[joint.end][joint.word] = None
    for key, words in said.items():
        box = placed[key]
        for place, word in enumerate(words):
            yield Word(word, box.x - 6, box.middle - 5 + place * 16)
