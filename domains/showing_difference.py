"""Two revisions of CONTEXT side by side, whole, with the words that differ."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST_COMPARED = 500  # characters of a line that is compared word by word


class Piece(NamedTuple):
    """A part of a line, and whether the other side lacks it."""

    text: str
    is_changed: bool = False


class Line(NamedTuple):
    """One line of one side, by its number from 1."""

    kind: Literal["same", "add", "cut"]
    number: int
    pieces: tuple[Piece, ...]


class Sides(NamedTuple):
    """The earlier text and the later one, line by line."""

    earlier: list[Line]
    later: list[Line]

    @property
    def is_none(self) -> bool:
        """Whether no line differs."""
        return all(line.kind == "same" for line in (*self.earlier, *self.later))


def sides(earlier: Sequence[str], later: Sequence[str], first: int = 1) -> Sides:
    """The lines of two texts beside each other; `first` is the number of the first line of both."""
    found = Sides([], [])
    for kind, start, end, start_later, end_later in SequenceMatcher(None, earlier, later).get_opcodes():
        pairs: list[tuple[tuple[Piece, ...], tuple[Piece, ...]]]
        if kind == "equal":
            pairs = [((Piece(line),), (Piece(line),)) for line in earlier[start:end]]
        else:
            cut, come = earlier[start:end], later[start_later:end_later]
            pairs = [_words(*pair) for pair in zip(cut, come, strict=False)]
        gone = [pair[0] for pair in pairs] + [(Piece(line, True),) for line in earlier[start + len(pairs) : end]]
        new = [pair[1] for pair in pairs] + [
            (Piece(line, True),) for line in later[start_later + len(pairs) : end_later]
        ]
        is_same = kind == "equal"
        found.earlier.extend(
            Line("same" if is_same else "cut", first + start + place, pieces) for place, pieces in enumerate(gone)
        )
        found.later.extend(
            Line("same" if is_same else "add", first + start_later + place, pieces) for place, pieces in enumerate(new)
        )
    return found


def _words(cut: str, come: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    if max(len(cut), len(come)) > _LONGEST_COMPARED:
        return (Piece(cut, True),), (Piece(come, True),)
    before, after = _WORDS.findall(cut), _WORDS.findall(come)
    gone: list[Piece] = []
    new: list[Piece] = []
    for kind, start, end, start_later, end_later in SequenceMatcher(None, before, after).get_opcodes():
        gone += _piece(before[start:end], is_changed=kind != "equal")
        new += _piece(after[start_later:end_later], is_changed=kind != "equal")
    return tuple(gone), tuple(new)


def _piece(words: Sequence[str], *, is_changed: bool) -> list[Piece]:
    return [Piece("".join(words), is_changed)] if words else []
