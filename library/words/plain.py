"""Files that are text as they are: Markdown, code, CSV."""

import codecs
from typing import BinaryIO

from library.words.gathering import Gathered
from library.words.limits import MOST_CHARACTERS

_BYTES_A_CHARACTER = 4
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters that text has: tab, line feed, form feed, carriage return, escape.
_BINARY = bytes(set(range(32)) - {9, 10, 12, 13, 27})


def read(stream: BinaryIO, gathered: Gathered) -> None:
    """Gather the text of a file; nothing when it is none."""
    if (text := decoded(stream.read(MOST_CHARACTERS * _BYTES_A_CHARACTER))) is not None:
        gathered.add(text)


def decoded(content: bytes) -> str | None:
    """The text that `content` is, which may end in the middle of a character; None when it is no text.

    Without a mark at its beginning it is UTF-8, else Windows-1252, as long as it has none of the control characters
    of which binary files are full.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    if content.translate(None, _BINARY) != content:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
