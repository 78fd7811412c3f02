"""A text cut into lexemes: every character belongs to one, and nothing fails."""

import re
from typing import Literal

Kind = Literal["space", "comment", "string", "number", "variable", "parameter", "word", "sign", "error"]

# Kind, the piece of the text as it is written, and its offset.
Lexeme = tuple[Kind, str, int]

_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
_SCANNER = re.compile(
    rf"""
      (?P<space>[ \t\r\n]+)
    | (?P<word>{_IDENTIFIER})
    | (?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}})[^"\\\x00-\x1f]*)*")
    | (?P<variable>\?{_IDENTIFIER}(?:\.{_IDENTIFIER})*)
    | (?P<parameter>:{_IDENTIFIER})
    | (?P<sign>[(){{}}\[\],:]|==|!=|<=|>=|&&|\|\||[<>!|])
    | (?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.]))
    | (?P<comment>//[^\r\n]*)
    | (?P<error>"(?:[^"\\\r\n]|\\.)*"? | [+-]?\.?[0-9][A-Za-z0-9_.]* | /\* | .)
    """,
    re.VERBOSE | re.DOTALL,
)


def scan(text: str) -> list[Lexeme]:
    """Return the lexemes of a text in order; what is no lexeme of the language has the kind `error`."""
    return [
        (found.lastgroup, found.group(), found.start())  # type: ignore[misc]  # the groups are the kinds
        for found in _SCANNER.finditer(text)
    ]
