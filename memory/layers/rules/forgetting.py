"""What was forgotten and comes back is known by its text, its name or its lines."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

# A shorter text is too likely to be part of another.
_LEAST_CUT = 12
_GAP = "…"
_ACCENTS = re.compile("[\u0300-\u036f]")
_WITHIN_WORDS = "'’‘ʼ`´"
_MINUS = "-−–"
_SENTENCE = re.compile(r"[.!?…]{1,8}[\"'”’)\]*_]{0,4}\s+|[。！？]{1,8}[」』”）]{0,3}|\n\s*")
_SPEAKER = re.compile(r"\s*[^\s:][^:\n]{0,60}:\s+")
# A forgotten text of more sentences is known by the line that says it and nothing else.
_MOST_SENTENCES = 4

Span = tuple[int, int]
"""First and last line, both included."""


def same_form(text: str) -> str:
    """The form in which two spellings of one text are alike.

    Case, spaces, punctuation, accents and compatible characters do not count; a number's minus and point do, and the
    signs of "C++". A text without a letter or digit keeps its signs.
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = unicodedata.normalize("NFKC", _ACCENTS.sub("", plain)).casefold()
    told = "".join([char for char in plain if unicodedata.category(char) != "Cf"])
    words = "".join([_kept(*three) for three in zip(f" {told}", told, f"{told[1:]} ", strict=False)])
    return " ".join(words.split()) or " ".join(plain.split())


def _kept(before: str, char: str, after: str) -> str:
    """What becomes of a character between two others."""
    if char.isalnum() or unicodedata.category(char)[0] == "M":
        return char
    if char in _WITHIN_WORDS:
        return ""
    if char in _MINUS:
        return " -" if after.isdecimal() and not before.isalnum() else " "
    if char in ".,":
        return char if before.isdecimal() and after.isdecimal() else " "
    return char if char in "+#" and (before.isalpha() or before == char) and not after.isalnum() else " "


def forms_forgotten(text: str) -> list[str]:
    """The forms by which a forgotten text is known again: its own, and that without the name of who says it."""
    own, *others = _forms(text)
    return [own, *(form for form in others if len(form) >= _LEAST_CUT)]


def unsaid(text: str, is_forgotten: Callable[[str], bool]) -> str:
    """The text without the sentences, up to four together, that say what was forgotten; empty where all of it does.

    `is_forgotten` is asked with forms as `same_form` gives them. "Ada: " before a sentence does not hide it.
    """
    if any(is_forgotten(form) for form in _forms(text)):
        return ""
    pieces = _sentences(text)
    if len(pieces) == 1:
        return text
    forms, kept, place = [_forms(piece) for piece in pieces], [], 0
    while place < len(pieces):
        run = _forgotten_run(forms[place : place + _MOST_SENTENCES], is_forgotten)
        if not run:
            kept.append(pieces[place])
        place += run or 1
    return "".join(kept)


def _forgotten_run(forms: Sequence[Sequence[str]], is_forgotten: Callable[[str], bool]) -> int:
    """How many sentences, from the first on, say together what was forgotten; 0 for none."""
    for count in range(len(forms), 0, -1):
        rest = [form[0] for form in forms[1:count]]
        told = [" ".join([first, *rest]).strip() for first in forms[0]]
        if any(len(form) >= _LEAST_CUT and is_forgotten(form) for form in told):
            return count
    return 0


def _forms(text: str) -> list[str]:
    """The form of a text, and that of it without the name of who says it."""
    speaker = _SPEAKER.match(text)
    return [same_form(text), *([same_form(text[speaker.end() :])] if speaker else [])]


def _sentences(text: str) -> list[str]:
    ends = [*(found.end() for found in _SENTENCE.finditer(text)), len(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False) if begin < end] or [text]


class Spans:
    """Lines of one session as a set of spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans: list[Span] = []
        for first, last in sorted(spans):
            if self._spans and first <= self._spans[-1][1] + 1:
                self._spans[-1] = (self._spans[-1][0], max(last, self._spans[-1][1]))
            else:
                self._spans.append((first, last))
        self._firsts = [first for first, _ in self._spans]

    def shared_with(self, first: int, last: int) -> int:
        """How many of the lines `first` to `last` are in the set."""
        place = max(bisect_right(self._firsts, first) - 1, 0)
        count = 0
        for begin, end in self._spans[place:]:
            if begin > last:
                break
            count += max(0, min(end, last) - max(begin, first) + 1)
        return count


def without(text: str, forgotten: Sequence[str]) -> str:
    """The text with every word-for-word repetition of the forgotten texts cut out."""
    for gone in sorted(forgotten, key=len, reverse=True):
        if len(gone) >= _LEAST_CUT:
            text = _cut(text, _lowered(gone))
    return text


def _cut(text: str, gone: str) -> str:
    lowered, kept, begin = _lowered(text), [], 0
    while (place := lowered.find(gone, begin)) >= 0:
        kept += [text[begin:place], _GAP]
        begin = place + len(gone)
    return "".join([*kept, text[begin:]])


def _lowered(text: str) -> str:
    """In lower case, every character in its place."""
    if text.isascii():
        return text.lower()
    return "".join([low if len(low := char.lower()) == 1 else char for char in text])
