"""Files as they arrive: packed by zstandard, in UTF-16, in archives. What is unpacked is counted as it comes out."""

import codecs
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, cast

import zstandard

MOST_ENTRIES = 50_000
MOST_UNPACKED = 4 << 30
_CHUNK = 1 << 18
# What a damaged file loses of its good part.
_SMALL_CHUNK = 1 << 14
_IN_MEMORY = 8 << 20
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_LARGEST_WINDOW = 1 << 27
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BOM_LENGTH = 2


class TooMuch(Exception):
    """A file unpacks to more than is read of one file. The text ends a sentence that begins with the file."""


class Budget:
    """How much may be unpacked of one file, over all that is packed into it."""

    def __init__(self, unpacked: int = MOST_UNPACKED, entries: int = MOST_ENTRIES) -> None:
        self._most = unpacked
        self._left = unpacked
        self._entries = entries

    def take_entry(self) -> bool:
        """Count an entry of an archive; False when there were as many as are read."""
        self._entries -= 1
        return self._entries >= 0

    def spend(self, size: int) -> None:
        """Count bytes that came out. Raises TooMuch."""
        self._left -= size
        if self._left < 0:
            raise TooMuch(f"unpacks to more than {self._most:,} bytes: the rest was not read")


class Damaged(Exception):
    """What is packed comes out only in part. The text ends a sentence that begins with the file."""


def is_packed(head: bytes) -> bool:
    """Tell from its first bytes a file that `unpack` or `transcode` has to write anew."""
    return head.startswith(_ZSTANDARD) or head[:_BOM_LENGTH] in _UTF_16


@contextmanager
def temporary() -> Iterator[BinaryIO]:
    """Give an empty file that is gone afterwards; a small one never reaches the disk."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        yield cast(BinaryIO, file)


def unpack(source: BinaryIO, into: BinaryIO, budget: Budget) -> bool:
    """Write what zstandard packed into a file; False, with nothing written, where it did not pack this.

    Raises TooMuch, and Damaged after what came out was written.
    """
    source.seek(0)
    if source.read(len(_ZSTANDARD)) != _ZSTANDARD:
        return False
    source.seek(0)
    reader = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(
        cast(IO[bytes], source), read_across_frames=True, closefd=False
    )
    try:
        while chunk := reader.read(_SMALL_CHUNK):
            budget.spend(len(chunk))
            into.write(chunk)
    except zstandard.ZstdError:
        raise Damaged("is damaged: only its beginning could be unpacked") from None
    return True


def transcode(source: BinaryIO, into: BinaryIO, budget: Budget) -> bool:
    """Write a UTF-16 file as UTF-8; False, with nothing written, where it has no byte order mark.

    What is not valid comes out as bytes that are not valid UTF-8 either, so that it costs its own line only.
    """
    source.seek(0)
    encoding = _UTF_16.get(source.read(_BOM_LENGTH))
    if encoding is None:
        return False
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    while chunk := source.read(_CHUNK):
        text = decoder.decode(chunk).encode("utf-8", "surrogatepass")
        budget.spend(len(text))
        into.write(text)
    return True
