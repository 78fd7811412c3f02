"""Greetings, thanks and other small talk, which is no memory: a line of at most one word of matter."""

import re
from collections.abc import Sequence, Set
from typing import Literal

from memory.layers.distillers.extractive.lexicon import entries

Weight = Literal["none", "little", "full"]

_EMPTY = entries("stop_words") | entries("courtesies")
_SECRET = re.compile(r"\[secret: [\w -]{1,40}\]")
_OTHER_LETTER = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u024f\u1e00-\u1eff]")
_INNER_CAPITAL = re.compile(r"[\w,;'’)] +[\"'“‘(]?([^\W\d_a-z][^\W\d_]*)")
_DIGIT = re.compile(r"\d")
_PICTURES = frozenset({"photo", "photos", "picture", "pictures", "image", "images", "screenshot", "attachment"})
_NEAR_FILLER = 2
_A_FEW_CHARACTERS = 4


def without_secret_marks(text: str) -> str:
    """Return the text without the marks that stand where secrets were."""
    return _SECRET.sub(" ", text) if "[secret: " in text else text


def matter(words: Sequence[str], names: Set[str]) -> int:
    """Count the different words that are neither grammar nor courtesy nor a name of somebody taking part."""
    return len(set(words) - _EMPTY - names)


def weight_of(text: str, words: Sequence[str], names: Set[str], *, answers: bool) -> Weight:
    """Tell how much a text holds: "none" is filler, "little" is close to it.

    `names` are those of the speakers in small letters, with "'s" too; `answers` says that a question came just before,
    to which one word may be a whole answer. Scripts other than Latin are judged by their letters, not by words.
    """
    text = without_secret_marks(text)
    count = matter(words, names)
    if count > _NEAR_FILLER or _DIGIT.search(text) or not _PICTURES.isdisjoint(words):
        return "full"
    others = 0 if text.isascii() else len(_OTHER_LETTER.findall(text))
    if others:
        return "none" if others <= _A_FEW_CHARACTERS and count <= 1 else "full"
    asks = "?" in text
    if count == _NEAR_FILLER:
        return "full" if asks or _names_something(text, names) else "little"
    return "little" if _names_something(text, names) or (count and (answers or asks)) else "none"


def _names_something(text: str, names: Set[str]) -> bool:
    for found in _INNER_CAPITAL.finditer(text):
        word = found[1].lower()
        if found[1][0].isupper() and word not in _EMPTY and word not in names:
            return True
    return False
