"""The words of a text that a question's terms met, told apart from the rest."""

import re
from collections.abc import Iterable

from memory.recall.rules.stopwords import terms

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# In characters; a longer run is no word of a language with spaces between words.
_LONGEST = 60


def marked(text: str, met: Iterable[str]) -> list[tuple[str, bool]]:
    """Return the text in pieces, each with whether one of the lexemes `met` is its; together they are the text."""
    wanted = frozenset(met)
    pieces: list[tuple[str, bool]] = []
    plain_from = 0
    for word in _WORD.finditer(text) if wanted else ():
        if len(word.group()) <= _LONGEST and wanted.intersection(terms(word.group())):
            if plain_from < word.start():
                pieces.append((text[plain_from : word.start()], False))
            pieces.append((word.group(), True))
            plain_from = word.end()
    if plain_from < len(text):
        pieces.append((text[plain_from:], False))
    return pieces
