"""From text to lexemes: the one analysis that the word index and its queries share."""

import re
import threading
import unicodedata
from collections.abc import Callable

import Stemmer

_POSSESSIVE = re.compile(r"['’]s\b")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Han, kana and Hangul are written without spaces, or with few: neighbouring pairs stand for words there.
_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_CJK_RUN = re.compile(rf"([{_CJK}\U00020000-\U0003ffff]+)")
_LONGEST_LEXEME = 255
_ABOVE_AND_BELOW = 200
_SEMITIC_POINTS = range(10, 37)

_local = threading.local()


def lexemes(text: str) -> list[str]:
    """Return the lexemes of a text in their order, repeated ones included.

    Words are case-folded, lose their accents and are stemmed as English; runs of Chinese, Japanese and Korean become
    pairs of characters, a lone one staying itself. Lexemes have at most 255 characters.
    """
    folded = _POSSESSIVE.sub("", _folded(text))
    if folded.isascii():
        return _stemmed(_ASCII_WORD.findall(folded))
    spaced = folded.translate(_SPACED)
    found: list[str] = []
    for part in _CJK_RUN.split(spaced):
        if _CJK_RUN.fullmatch(part):
            found += [part[start : start + 2] for start in range(max(len(part) - 1, 1))]
        else:
            found += _stemmed(part.split())
    return found


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    bare = unicodedata.normalize("NFKD", text).translate(_BARE)
    return unicodedata.normalize("NFC", bare.casefold())


def _is_accent(char: str) -> bool:
    """Tell the marks readers leave out (é, Arabic and Hebrew points) from those that make another letter.

    The vowel signs of Indic and Thai writing and the voicing of kana are combining marks too, of other classes.
    """
    place = unicodedata.combining(char)
    return place >= _ABOVE_AND_BELOW or place in _SEMITIC_POINTS


def _is_part_of_a_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


class _Table(dict[int, str | int | None]):
    """A table for str.translate that works out each character when it is first met."""

    def __init__(self, stays: Callable[[str], bool], otherwise: str | None) -> None:
        super().__init__()
        self.stays = stays
        self.otherwise = otherwise

    def __missing__(self, code: int) -> str | int | None:
        self[code] = code if self.stays(chr(code)) else self.otherwise
        return self[code]


_BARE = _Table(lambda char: not _is_accent(char), None)
_SPACED = _Table(_is_part_of_a_word, " ")


def _stemmed(words: list[str]) -> list[str]:
    return _stemmer().stemWords([word[:_LONGEST_LEXEME] for word in words]) if words else []


def _stemmer() -> Stemmer.Stemmer:
    # A stemmer keeps state between calls and is not safe to share among threads.
    stemmer = getattr(_local, "english", None)
    if stemmer is None:
        # Its cache of words costs three times what it saves: names and numbers keep pushing each other out of it.
        stemmer = _local.english = Stemmer.Stemmer("english", 0)
    return stemmer
