"""Zip archives, read with distrust: sizes are counted as they come out, and names are shown but never opened."""

import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO

from memory.sessions.transcripts.unpacking import Budget, Damaged

_LARGEST_DIRECTORY = 64 << 20
_END = b"PK\x05\x06"
_END_SIZE = 22
_LONGEST_COMMENT = 1 << 16
_LOCATOR = b"PK\x06\x07"
_LOCATOR_SIZE = 20
_WIDE_END = b"PK\x06\x06"
_WIDE_END_SIZE = 56
_ENCRYPTED = 0x1
_CHUNK = 1 << 18
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive, counted from 1; `start` and `end` are shares of the archive, from 0 to 1."""

    number: int
    name: str
    info: zipfile.ZipInfo
    start: float
    end: float


def is_archive(source: BinaryIO) -> bool:
    """Tell an archive by its first bytes."""
    source.seek(0)
    return source.read(4) in (b"PK\x03\x04", _END)


def opened(source: BinaryIO) -> zipfile.ZipFile:
    """Open an archive. Raises Damaged for one that can't be, or whose directory is too large to be read."""
    if _directory_size(source) > _LARGEST_DIRECTORY:
        raise Damaged("names too many entries to be read")
    try:
        return zipfile.ZipFile(source)
    except (*_DAMAGED, struct.error, OSError):
        raise Damaged("is not a complete zip archive") from None


def entries(archive: zipfile.ZipFile) -> Iterator[Entry]:
    """Yield the files of an archive in its order, folders left out."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    whole = sum(info.compress_size for info in infos) or 1
    done = 0
    for number, info in enumerate(infos, start=1):
        start, done = done, done + info.compress_size
        yield Entry(number, info.filename, info, start / whole, done / whole)


def copy(packed: IO[bytes], into: BinaryIO, budget: Budget, limit: int = -1) -> None:
    """Write what comes out of an entry, or its first `limit` bytes, into a file. Raises Damaged and TooMuch."""
    while limit and (chunk := _read(packed, _CHUNK if limit < 0 else min(_CHUNK, limit))):
        budget.spend(len(chunk))
        into.write(chunk)
        limit -= len(chunk) if limit > 0 else 0


def unpacked(archive: zipfile.ZipFile, entry: Entry) -> IO[bytes]:
    """Open an entry. Raises Damaged."""
    if entry.info.flag_bits & _ENCRYPTED:
        raise Damaged("is encrypted")
    try:
        return archive.open(entry.info)
    except (*_DAMAGED, struct.error):
        raise Damaged("can't be unpacked") from None


def _read(packed: IO[bytes], size: int) -> bytes:
    try:
        return packed.read(size)
    except _DAMAGED:
        raise Damaged("is damaged: only its beginning could be unpacked") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise Damaged("is damaged: only its beginning could be unpacked") from None


def _directory_size(source: BinaryIO) -> int:
    """Return how long the directory of an archive says it is, before all of it is read into memory."""
    size = source.seek(0, os.SEEK_END)
    source.seek(max(0, size - _END_SIZE - _LONGEST_COMMENT - _LOCATOR_SIZE - _WIDE_END_SIZE))
    tail = source.read()
    end = tail.rfind(_END)
    if end < 0 or end + _END_SIZE > len(tail):
        return 0
    wide = end - _LOCATOR_SIZE - _WIDE_END_SIZE
    if wide >= 0 and tail.startswith(_LOCATOR, end - _LOCATOR_SIZE) and tail.startswith(_WIDE_END, wide):
        return int(struct.unpack_from("<Q", tail, wide + 40)[0])
    return int(struct.unpack_from("<I", tail, end + 12)[0])
