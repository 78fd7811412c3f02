"""A KIP text as a tree."""

import re
from collections.abc import Mapping

from memory.kip.language import faults
from memory.kip.language.automaton import Run, Unexpected, automaton
from memory.kip.language.errors import KipError
from memory.kip.language.expecting import unexpected
from memory.kip.language.lexing import Feeder
from memory.kip.language.scanning import Lexeme, scan
from memory.kip.language.tree import Json, Text
from memory.kip.language.values import DEEPEST

LARGEST_TEXT = 256 * 1024

_PLACEHOLDER = re.compile(":([A-Za-z_][A-Za-z0-9_]*)")
_NESTING = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def parse(text: str, parameters: Mapping[str, Json] | None = None) -> Text:
    """Return the tree of a text, with the parameters' values in place of their placeholders.

    Raises KipError with line, column and caret: KIP_1001 for a text that is not of the language or a parameter that
    does not fit its place, KIP_4002 for more than 256 KiB of UTF-8, more than 64 nested brackets or more than 10 hops.
    What the graph must know (types, predicates, unbound variables) is left to whoever runs the tree.
    """
    if len(text) > LARGEST_TEXT or len(text.encode(errors="surrogatepass")) > LARGEST_TEXT:
        raise KipError("KIP_4002", "The text is longer than 256 KiB.", hint="Send it in several texts.")
    try:
        return _parsed(text, parameters or {})
    except Unexpected as error:
        raise unexpected(error, text).located(text) from None
    except KipError as error:
        raise error.located(text) from None


def _parsed(text: str, parameters: Mapping[str, Json]) -> Text:
    lexemes = scan(text)
    if parameters:
        _require_no_placeholder_in_strings(lexemes, parameters)
    _require_shallow(lexemes)
    run = Run(automaton())
    Feeder(text, parameters, run).feed(lexemes)
    tree: Text = run.result()
    return tree


def _require_no_placeholder_in_strings(lexemes: list[Lexeme], parameters: Mapping[str, Json]) -> None:
    for kind, written, at in lexemes:
        if kind == "string" and ":" in written:
            for found in _PLACEHOLDER.finditer(written):
                if found.group(1) in parameters:
                    raise faults.in_string(found.group(1), at + found.start())


def _require_shallow(lexemes: list[Lexeme]) -> None:
    depth = 0
    for kind, written, at in lexemes:
        if kind == "sign" and written in _NESTING:
            depth += _NESTING[written]
            if depth > DEEPEST:
                raise KipError("KIP_4002", f"Brackets are nested more than {DEEPEST} deep.", at=at)
