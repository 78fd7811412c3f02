"""A text in colours: its tokens with their kinds and places, for a page. Whatever is typed, it never fails."""

from itertools import pairwise
from typing import Literal, NamedTuple

from memory.kip.language.errors import KipError
from memory.kip.language.scanning import Kind, Lexeme, scan
from memory.kip.language.values import string_of
from memory.kip.language.words import BEFORE_BRACKET, KEYWORDS

Colour = Literal[
    "keyword", "function", "constant", "key", "string", "number", "variable", "parameter", "comment", "punctuation",
    "error",
]  # fmt: skip

_BEFORE_KEY = ("{", ",", "(")
_CONSTANT = ("CONSTANT", "NULL")
_OF_KIND: dict[str, Colour] = {
    "string": "string",
    "number": "number",
    "variable": "variable",
    "parameter": "parameter",
    "comment": "comment",
    "sign": "punctuation",
    "error": "error",
}


class Coloured(NamedTuple):
    """A token: its kind, and the part of the text from `start` up to before `end`, in characters."""

    kind: Colour
    start: int
    end: int


def colour(text: str) -> list[Coloured]:
    """Return the tokens of a text in order; what lies between them is white space.

    A word or string before a colon is a key, any other word a keyword or an error, whether or not the text is whole.
    """
    lexemes = [lexeme for lexeme in scan(text) if lexeme[0] != "space"]
    code = [lexeme for lexeme in lexemes if lexeme[0] != "comment"]
    keys = _keys(code)
    found: list[Coloured] = []
    for kind, written, at in lexemes:
        end = at + len(written)
        if at in keys:
            found.append(Coloured("key", at, end))
        elif kind == "parameter" and at in keys.values():
            found += [Coloured("punctuation", at, at + 1), Coloured(_of_word(written[1:]), at + 1, end)]
        else:
            found.append(Coloured(_of_lexeme(kind, written, at), at, end))
    return found


def _keys(code: list[Lexeme]) -> dict[int, int]:
    """Where keys stand, and for each the place of what follows it: a colon, or `:true` written in one."""
    keys = {}
    opened_by = ""
    for (kind, written, at), (next_kind, next_written, next_at) in pairwise(code):
        if kind in ("word", "string") and (
            next_written == ":" or (next_kind == "parameter" and opened_by in _BEFORE_KEY)
        ):
            keys[at] = next_at
        opened_by = written if kind == "sign" else ""
    return keys


def _of_lexeme(kind: Kind, written: str, at: int) -> Colour:
    if kind == "word":
        return _of_word(written)
    return "error" if kind == "string" and _is_broken(written, at) else _OF_KIND[kind]


def _of_word(word: str) -> Colour:
    terminal = KEYWORDS.get(word)
    if terminal is None:
        return "error"
    if terminal in _CONSTANT:
        return "constant"
    return "function" if terminal in BEFORE_BRACKET and terminal not in ("FIND", "FILTER") else "keyword"


def _is_broken(written: str, at: int) -> bool:
    try:
        string_of(written, at)
    except KipError:
        return True
    return False
