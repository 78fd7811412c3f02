"""The ways a text can be read: as it stands, and with what is hidden or encoded in it made plain."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from memory.sessions.masking.spans import MARKER, Span
from memory.sessions.masking.words import Noun, nouns_in

_BLANK = "\ufffc"
_ENCODED = re.compile(
    r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
    r"|&(?:quot|apos|amp|lt|gt|nbsp|colon|equals|commat|#[0-9]{1,5}|#[xX][0-9a-fA-F]{1,4});"
    r"|\\{1,3}[\"'nrt/]|\\{1,2}u00[0-7][0-9a-fA-F]"
    r"|(?:%[0-9A-Fa-f]{2}){1,40}"
)
_CAN_BE_ENCODED = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff&\\%]")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3000-\ud7ff]")
_AROUND = 1_000
_LONG = 16
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Reading:
    """A text to look for secrets in, and where in the source each of its characters starts and ends (none: here)."""

    text: str
    starts: list[int] | None = None
    ends: list[int] | None = None

    @cached_property
    def lower(self) -> str:
        """The text in lower case, with every character in its place."""
        lower = self.text.lower()
        if len(lower) == len(self.text):
            return lower
        return "".join(low if len(low := char.lower()) == 1 else char for char in self.text)

    @cached_property
    def is_foreign(self) -> bool:
        """Whether there is any letter of another script than Latin."""
        return not self.text.isascii() and _OTHER_SCRIPT.search(self.text) is not None

    @cached_property
    def nouns(self) -> list[Noun]:
        """The words for secrets, in order."""
        return nouns_in(self.lower, is_foreign=self.is_foreign)

    @cached_property
    def long_words(self) -> str:
        """The words of sixteen characters and more, by line: the only ones that can be a random key."""
        return "\n".join([word for word in self.text.split() if len(word) >= _LONG])

    def in_source(self, span: Span) -> Span:
        """Return where a span of this reading stands in the source."""
        if self.starts is None or self.ends is None:
            return span
        return Span(self.starts[span.start], self.ends[span.end - 1], span.kind)


def readings(source: str) -> Iterator[Reading]:
    """Yield the text as it stands and, where that differs, decoded: entities, escapes, percent signs, zero widths.

    What is masked already is blank in both.
    """
    text = MARKER.sub(lambda found: _BLANK * len(found[0]), source)
    yield Reading(text)
    if _CAN_BE_ENCODED.search(text):
        encoded = list(_ENCODED.finditer(text))
        if encoded:
            yield _decoded(text, encoded)


def _decoded(text: str, encoded: list[re.Match[str]]) -> Reading:
    """Return the text decoded, of a long one only the lines around what is encoded."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def as_it_is(start: int, end: int) -> None:
        parts.append(text[start:end])
        starts.extend(range(start, end))
        ends.extend(range(start + 1, end + 1))

    done = end = 0
    for found in encoded:
        start = max(done, _line_start(text, found.start()))
        if start > end:
            as_it_is(done, end)
            done = start
        plain = _plain(found[0])
        as_it_is(done, found.start())
        parts.append(plain)
        starts.extend([found.start()] * len(plain))
        ends.extend([found.end()] * len(plain))
        done, end = found.end(), _line_end(text, found.end())
    as_it_is(done, end)
    return Reading("".join(parts), starts, ends)


def _line_start(text: str, place: int) -> int:
    near = place - _AROUND
    return 0 if near <= 0 else max(near, text.rfind("\n", near, near + _AROUND // 2))


def _line_end(text: str, place: int) -> int:
    near = place + _AROUND
    at = text.find("\n", near - _AROUND // 2, near)
    return min(len(text), near) if at < 0 else at + 1


def _plain(encoded: str) -> str:
    if encoded.startswith("&"):
        return html.unescape(encoded)
    if encoded.startswith("%"):
        return unquote(encoded, errors="replace")
    if not encoded.startswith("\\"):
        return ""
    bare = encoded.lstrip("\\")
    return chr(int(bare[1:], 16)) if bare.startswith("u") else _ESCAPED.get(bare, bare)
