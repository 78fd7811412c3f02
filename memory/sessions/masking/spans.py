"""Where secrets stand in a text, and how their places are written over."""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from typing import NamedTuple

KINDS = (
    "provider key",
    "private key",
    "signed link",
    "password",
    "token",
    "key",
    "cookie",
    "PIN",
    "one-time code",
    "recovery code",
    "seed phrase",
    "card number",
    "card code",
)
"""The kinds of secret a mask names."""

MARKER = re.compile(rf"\[secret: (?:{'|'.join(KINDS)})\]")
_RUN = re.compile(r"[A-Za-z0-9+/_=.~%-]{0,4095}[A-Za-z0-9=]")


class Span(NamedTuple):
    """A secret from start up to, not including, end."""

    start: int
    end: int
    kind: str


def united(spans: Iterable[Span], text: str) -> list[Span]:
    """Return spans in order, overlapping ones as one of the first-given kind, leaving out what is masked already.

    The order in which spans come is their rank. A piece without a letter or digit is nothing to hide.
    """
    whole: list[tuple[int, Span]] = []
    for rank, found in sorted(enumerate(spans), key=lambda ranked: ranked[1].start):
        span = _to_the_end(found, text)
        if whole and span.start < whole[-1][1].end:
            last_rank, last = whole[-1]
            kind = last.kind if last_rank < rank else span.kind
            whole[-1] = (min(rank, last_rank), Span(last.start, max(last.end, span.end), kind))
        else:
            whole.append((rank, span))
    markers = [found.span() for found in MARKER.finditer(text)] if whole else []
    return [
        piece
        for _, span in whole
        for piece in _outside(span, markers)
        if any(char.isalnum() for char in text[piece.start : piece.end])
    ]


def _to_the_end(span: Span, text: str) -> Span:
    """Return the span with the rest of a run of letters and digits: rules are bounded, secrets need not be."""
    end = span.end
    while (
        text[end - 1 : end + 1].isalnum()
        and text[end - 1 : end + 1].isascii()
        and end < len(text)
        and (more := _RUN.match(text, end))
    ):
        end = more.end()
    return Span(span.start, end, span.kind)


def _outside(span: Span, markers: list[tuple[int, int]]) -> Iterator[Span]:
    start = span.start
    for marker_start, marker_end in markers[max(0, bisect(markers, (start, 0)) - 1) :]:
        if marker_start >= span.end:
            break
        if marker_end > start:
            if start < marker_start:
                yield Span(start, marker_start, span.kind)
            start = marker_end
    if start < span.end:
        yield Span(start, span.end, span.kind)


def written_over(text: str, spans: list[Span]) -> str:
    """Return the text with each span (in order, apart) replaced by its marker."""
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += (text[done : span.start], f"[secret: {span.kind}]")
        done = span.end
    return "".join([*parts, text[done:]])
