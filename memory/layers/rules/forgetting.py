"""What was forgotten and comes back is known by its text, its name or its lines."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence

# A shorter text is too likely to be part of another.
_LEAST_CUT = 12
_GAP = "…"

Span = tuple[int, int]
"""First and last line, both included."""


def same_form(text: str) -> str:
    """The form in which two spellings of one text are alike: case, spaces and compatible characters do not count."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class Spans:
    """Lines of one session as a set of spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans: list[Span] = []
        for first, last in sorted(spans):
            if self._spans and first <= self._spans[-1][1] + 1:
                self._spans[-1] = (self._spans[-1][0], max(last, self._spans[-1][1]))
            else:
                self._spans.append((first, last))
        self._firsts = [first for first, _ in self._spans]

    def shared_with(self, first: int, last: int) -> int:
        """How many of the lines `first` to `last` are in the set."""
        place = max(bisect_right(self._firsts, first) - 1, 0)
        count = 0
        for begin, end in self._spans[place:]:
            if begin > last:
                break
            count += max(0, min(end, last) - max(begin, first) + 1)
        return count


def without(text: str, forgotten: Sequence[str]) -> str:
    """The text with every word-for-word repetition of the forgotten texts cut out."""
    for gone in sorted(forgotten, key=len, reverse=True):
        if len(gone) >= _LEAST_CUT:
            text = _cut(text, _lowered(gone))
    return text


def _cut(text: str, gone: str) -> str:
    lowered, kept, begin = _lowered(text), [], 0
    while (place := lowered.find(gone, begin)) >= 0:
        kept += [text[begin:place], _GAP]
        begin = place + len(gone)
    return "".join([*kept, text[begin:]])


def _lowered(text: str) -> str:
    """In lower case, every character in its place."""
    if text.isascii():
        return text.lower()
    return "".join([low if len(low := char.lower()) == 1 else char for char in text])
