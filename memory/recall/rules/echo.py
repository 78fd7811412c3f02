"""Text that came out of recall and comes back in a conversation: said again, but not said anew."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

# A repetition counts from four words or twelve Chinese, Japanese or Korean characters on: of equal weight here.
_WORD_UNITS, _ENOUGH = 3, 12
_ANCHOR = 4
# What else a sentence may hold beside the repetition: less than four words, or less than this share of it.
_SHARE_AROUND = 0.4

_CJK = "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_IS_CJK = re.compile(f"[{_CJK}]")
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_ENDS = re.compile(r"[.!?](?=[\s\"'”’»)*_]|$)[\"'”’»)*_]{0,4}\s{0,20}|[。！？][」』”]{0,2}|\n")

Tokens = tuple[str, ...]


class Echoes:
    """An index of recalled texts by the first words of their sentences; never changed once built, so safe to share."""

    def __init__(self, recalled: Iterable[str]) -> None:
        self._short: set[Tokens] = {()}
        self._sentences: dict[Tokens, dict[int, set[Tokens]]] = {}
        for text in recalled:
            for sentence in _sentences(text):
                tokens = _tokens(sentence)
                if _units(tokens) < _ENOUGH:
                    self._short.add(tokens)
                else:
                    self._sentences.setdefault(tokens[:_ANCHOR], {}).setdefault(len(tokens), set()).add(tokens)

    def without(self, text: str) -> str:
        """Return the text minus the sentences and lines that repeat a recalled sentence; "" when nothing new remains.

        A repetition may stand behind a bullet, a date or a speaker, in quotation marks, or have a few words around it.
        A sentence that adds something of its own stays whole. Recalled sentences of less than four words, and bare
        numbers, go only where a longer one goes.
        """
        sentences = [(sentence, _tokens(sentence)) for sentence in _sentences(text)]
        kept = [(sentence, tokens) for sentence, tokens in sentences if not self._repeats(tokens)]
        if len(kept) == len(sentences):
            return text
        new = [any(not token.isdecimal() for token in tokens) and tokens not in self._short for _, tokens in kept]
        return "".join(sentence for (sentence, _), is_new in zip(kept, new, strict=True) if is_new).strip()

    def _repeats(self, tokens: Tokens) -> bool:
        around: list[str] = []
        at = 0
        while at < len(tokens):
            length = self._repeated_at(tokens, at)
            if not length:
                around.append(tokens[at])
            at += length or 1
        if len(around) == len(tokens):
            return False
        units = _units(token for token in around if not token.isdecimal())
        return units < _ENOUGH or units < _SHARE_AROUND * _units(tokens)

    def _repeated_at(self, tokens: Tokens, at: int) -> int:
        """Return how many tokens from `at` on repeat a recalled sentence, the longest; 0 for none."""
        by_length = self._sentences.get(tokens[at : at + _ANCHOR], {})
        return max((length for length, known in by_length.items() if tokens[at : at + length] in known), default=0)


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text with the space behind them; together they are the text."""
    places = [0, *(found.end() for found in _ENDS.finditer(text)), len(text)]
    return [text[begin:end] for begin, end in pairwise(places) if begin < end]


def _tokens(text: str) -> Tokens:
    return tuple(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))


def _units(tokens: Iterable[str]) -> int:
    return sum(1 if _IS_CJK.match(token) else _WORD_UNITS for token in tokens)
