"""Cutting a batch into requests: lines of one session each, and no more characters than a model reads at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from memory.layers.rules.proposals import Line

# Of a speaker's name so much is shown; and what a line costs beside its text and speaker: number, role, time, signs.
LONGEST_SPEAKER = 200
_LINE_COST = 80


@dataclass(frozen=True, slots=True)
class Piece:
    """A line, or the part of a long one that one request holds."""

    line: Line
    text: str


def requests_of(lines: Sequence[Line], most_characters: int) -> Iterator[list[Piece]]:
    """Lists of pieces in their order, each from one session and of at most `most_characters`, which is 1,000 or more.

    A line that is longer than a request goes into several, cut at white space where there is some; a blank one into
    none.
    """
    for _, of_session in groupby(lines, key=lambda line: line.session):
        request: list[Piece] = []
        characters = 0
        for line in of_session:
            cost = _LINE_COST + min(len(line.speaker), LONGEST_SPEAKER)
            for text in _parts(line.text, most_characters - cost):
                if request and characters + cost + len(text) > most_characters:
                    yield request
                    request, characters = [], 0
                request.append(Piece(line, text))
                characters += cost + len(text)
        if request:
            yield request


def _parts(text: str, most: int) -> Iterator[str]:
    start = 0
    while len(text) - start > most:
        space = text.rfind(" ", start + most // 2, start + most)
        end = space + 1 if space > 0 else start + most
        yield text[start:end]
        start = end
    if text[start:].strip():
        yield text[start:]
