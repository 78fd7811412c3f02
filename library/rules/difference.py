"""Two texts side by side: which lines went, which came, and which words in a line that was changed."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

MOST_LINES = 3_000
_CONTEXT = 3
_LONGEST_COMPARED = 1_000
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


class Piece(NamedTuple):
    """A part of a line, and whether the other side lacks it."""

    text: str
    is_changed: bool = False


class Line(NamedTuple):
    """One line of one side. A gap stands for lines that are the same on both, and has no number."""

    kind: Literal["same", "add", "cut", "gap"]
    number: int | None
    pieces: tuple[Piece, ...]


class Difference(NamedTuple):
    """What the earlier text lost and what the later one gained, each with a few lines around."""

    earlier: list[Line]
    later: list[Line]

    @property
    def is_none(self) -> bool:
        """Whether the two are the same, line for line."""
        return not any(line.kind in {"add", "cut"} for line in (*self.earlier, *self.later))


def difference(earlier: str, later: str) -> Difference | None:
    """The difference of two texts; None where one of them has more than 3,000 lines."""
    before, after = earlier.splitlines(), later.splitlines()
    if max(len(before), len(after)) > MOST_LINES:
        return None
    found = Difference([], [])
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT):
        _, start, _, start_later, _ = group[0]
        if start or start_later:
            found.earlier.append(_gap(start))
            found.later.append(_gap(start_later))
        for kind, first, last, first_later, last_later in group:
            if kind == "equal":
                found.earlier.extend(_same(before, first, last))
                found.later.extend(_same(after, first_later, last_later))
                continue
            cut, added = _compared(before[first:last], after[first_later:last_later])
            found.earlier.extend(Line("cut", first + place + 1, pieces) for place, pieces in enumerate(cut))
            found.later.extend(Line("add", first_later + place + 1, pieces) for place, pieces in enumerate(added))
    return found


def _gap(before: int) -> Line:
    return Line("gap", None, (Piece(f"from line {before + 1:,}"),))


def _same(lines: Sequence[str], first: int, last: int) -> Iterator[Line]:
    return (Line("same", place + 1, (Piece(lines[place]),)) for place in range(first, last))


def _compared(cut: Sequence[str], added: Sequence[str]) -> tuple[list[tuple[Piece, ...]], list[tuple[Piece, ...]]]:
    """The pieces of the lines that went and of those that came; lines that stand across are compared word by word."""
    pairs = [_words(*pair) for pair in zip(cut, added, strict=False)]
    common = len(pairs)
    gone = [(Piece(line, is_changed=True),) for line in cut[common:]]
    come = [(Piece(line, is_changed=True),) for line in added[common:]]
    return [*(pair[0] for pair in pairs), *gone], [*(pair[1] for pair in pairs), *come]


def _words(cut: str, added: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    if max(len(cut), len(added)) > _LONGEST_COMPARED:
        return (Piece(cut, is_changed=True),), (Piece(added, is_changed=True),)
    before, after = _WORDS.findall(cut), _WORDS.findall(added)
    gone: list[Piece] = []
    come: list[Piece] = []
    for kind, first, last, first_later, last_later in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        is_changed = kind != "equal"
        gone += _piece(before[first:last], is_changed=is_changed)
        come += _piece(after[first_later:last_later], is_changed=is_changed)
    return tuple(gone), tuple(come)


def _piece(words: Sequence[str], *, is_changed: bool) -> list[Piece]:
    return [Piece("".join(words), is_changed)] if words else []
