"""The words of a query in what was found by them."""

import re
from collections.abc import Set
from typing import NamedTuple

from common.text import lexemes

_WORD = re.compile(r"\w+")


class Part(NamedTuple):
    """A piece of text, and whether it is a word that was asked for."""

    text: str
    is_hit: bool


def marked(text: str, wanted: Set[str]) -> list[Part]:
    """The text in pieces: words that have one of the lexemes `wanted`, and what is between them."""
    parts: list[Part] = []
    end = 0
    for word in _WORD.finditer(text):
        if wanted.isdisjoint(lexemes(word[0])):
            continue
        if between := text[end : word.start()]:
            parts.append(Part(between, is_hit=False))
        parts.append(Part(word[0], is_hit=True))
        end = word.end()
    if rest := text[end:]:
        parts.append(Part(rest, is_hit=False))
    return parts


def part_of_name(word: str, lexeme: str) -> str:
    """What a name has in common with a word of a query: the beginning that its forms share.

    The stemmer writes i for a y at the end, which a name does not.
    """
    begin = lexeme.removesuffix("i")
    return begin if begin and word.casefold().startswith(begin) else word
