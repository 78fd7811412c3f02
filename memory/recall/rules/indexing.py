"""What is indexed of a memory: a line's own words and, at lower weight, what was said just before and after it.

A short answer ("Two years, in Porto") holds few words that a later question uses; the question before it does.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.recall.rules.stopwords import terms

# Weight of a lexeme by where it stands; the word index keeps the places apart as tsvector labels A, B and C.
OWN, ASKED, NEAR = 1.0, 0.5, 0.3
TAIL, HEAD = 0.6, 0.4
# In characters. Between longer lines the neighbour would drown the line.
SHORT = 600
SPAN = 300

_QUESTION = re.compile(r"[^.!?。！？\n]{1,2000}[?？]")


@dataclass(frozen=True, slots=True)
class IndexInput:
    """One fragment as it is indexed: `previous` and `following` are the texts of the lines beside its line, masked.

    They are None where the session has none, and for every part of a divided line but the first. `month_words` name the
    month it was said in, such as "may 2023"; "" leaves them out.
    """

    speaker: str
    text: str
    previous: str | None = None
    following: str | None = None
    month_words: str = ""


@dataclass(frozen=True, slots=True)
class IndexedText:
    """Lexeme → how often it stands in the own words (A), in the question before (B), near by (C); and the length.

    The length is the sum of all counts, each by its weight.
    """

    lexemes: dict[str, tuple[int, int, int]]
    length: float


def weighted(counts: tuple[int, int, int]) -> float:
    """Term frequency of one lexeme of an IndexedText."""
    return OWN * counts[0] + ASKED * counts[1] + NEAR * counts[2]


def context_applies(text: str, neighbour: str | None) -> bool:
    """Tell whether a line takes context from a neighbour: both of at most 600 characters."""
    return bool(neighbour) and len(text) <= SHORT and len(neighbour or "") <= SHORT


def questions_of(text: str) -> str:
    """Return the last 300 characters of a text's questions: sentences that end in a question mark."""
    if "?" not in text and "？" not in text:
        return ""
    return " ".join(found.strip() for found in _QUESTION.findall(text))[-SPAN:]


def tail_of(text: str) -> str:
    """Return the last 300 characters of a text."""
    return text[-SPAN:]


def head_of(text: str) -> str:
    """Return the first 300 characters of a text."""
    return text[:SPAN]


def own_text(speaker: str, text: str) -> str:
    """Return a line as it is indexed and embedded: with its speaker, to whom an "I" in it refers."""
    return f"{speaker}: {text}" if speaker else text


def index_fragment(fragment: IndexInput, analyse: Callable[[str], Sequence[str]] = terms) -> IndexedText:
    """Return the lexemes of a fragment with its context, and its weighted length.

    `analyse` gives what `terms` gives; a line that stands beside others need not be analysed for each of them.
    """
    own = [*analyse(fragment.speaker), *analyse(fragment.text)]
    asked: Sequence[str] = ()
    near = [*analyse(fragment.month_words)] if fragment.month_words else []
    if fragment.previous and context_applies(fragment.text, fragment.previous):
        asked = analyse(questions_of(fragment.previous))
        near += analyse(tail_of(fragment.previous))
    if fragment.following and context_applies(fragment.text, fragment.following):
        near += analyse(head_of(fragment.following))
    return _counted(own, asked, near)


def index_whole(*texts: str) -> IndexedText:
    """Return the lexemes of an event (title, text) or a concept (name, aliases, description): all are own words."""
    return _counted([lexeme for text in texts for lexeme in terms(text)], [], [])


def compose(own: NDArray[np.float32], tail: NDArray[np.float32], head: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return unit vectors of fragments with their context, a row each.

    The rows are unit vectors of the fragment's `own_text`, of `tail_of` the line before and `head_of` the line after; a
    row of zeros where there is no such line or `context_applies` says no. A row of nothing but zeros stays that.
    """
    mixed: NDArray[np.float32] = own + np.float32(TAIL) * tail + np.float32(HEAD) * head
    norms = np.linalg.norm(mixed, axis=1, keepdims=True)
    np.divide(mixed, norms, out=mixed, where=norms > 0)
    return mixed


def _counted(own: Sequence[str], asked: Sequence[str], near: Sequence[str]) -> IndexedText:
    by_place = Counter(own), Counter(asked), Counter(near)
    lexemes = {lexeme: (by_place[0][lexeme], by_place[1][lexeme], by_place[2][lexeme]) for lexeme in _union(by_place)}
    return IndexedText(lexemes, OWN * len(own) + ASKED * len(asked) + NEAR * len(near))


def _union(counters: Sequence[Counter[str]]) -> dict[str, None]:
    return dict.fromkeys(lexeme for counter in counters for lexeme in counter)
