"""The words of a text as PostgreSQL indexes them, and those of a query; by the analysis of `common.text`."""

from collections.abc import Iterable

from common.text import lexemes

_LAST_POSITION = 16_383  # the greatest that a tsvector holds
_MOST_POSITIONS = 20
# A tsvector holds less than a mebibyte; what each lexeme takes besides its own bytes and two for a position.
_MOST_BYTES = 900_000
_OVERHEAD = 8


def vector_of(text: str) -> str:
    """The text form of a tsvector: each lexeme with the first places where it stands.

    Of a text with more different words than fit, the later ones are left out.
    """
    places: dict[str, list[int]] = {}
    size = 0
    for place, lexeme in enumerate(lexemes(text), 1):
        found = places.get(lexeme)
        if found is None:
            if size >= _MOST_BYTES:
                continue
            size += len(lexeme.encode()) + _OVERHEAD
            found = places[lexeme] = []
        if len(found) < _MOST_POSITIONS and place <= _LAST_POSITION and size < _MOST_BYTES:
            size += 2
            found.append(place)
    return " ".join(_placed(lexeme, found) for lexeme, found in places.items())


def query_of(words: Iterable[str]) -> str:
    """The text form of a tsquery that asks for all of these lexemes; there is one at least."""
    return " & ".join(_quoted(word) for word in words)


def _placed(lexeme: str, places: list[int]) -> str:
    return f"{_quoted(lexeme)}:{','.join(map(str, places))}" if places else _quoted(lexeme)


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
