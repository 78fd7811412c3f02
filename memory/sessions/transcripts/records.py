"""A file cut into its records: the lines of JSON Lines, or the objects of one JSON list. Each is parsed on its own."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

LONGEST_LINE = 10_000_000
LONGEST_ELEMENT = 32_000_000
_CHUNK = 1 << 18
_BOM = b"\xef\xbb\xbf"
_TOO_LONG = "is longer than {:,} bytes"
_SPACE = b" \t\r\n"
# Possessive: a string is read once, whether it ends in this chunk or not.
_REST_OF_STRING = rb'[^"\\]*+(?:\\.[^"\\]*+)*+"'
_UNTIL_QUOTE = re.compile(_REST_OF_STRING, re.DOTALL)
_TOKEN = re.compile(rb'[\[{\]}]|"' + _REST_OF_STRING + rb'|"', re.DOTALL)
_IN_LIST = 1
_STEPS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


class Unreadable(Exception):
    """A record can't be parsed. The text ends a sentence that begins with what the record is."""


@dataclass(frozen=True, slots=True)
class Record:
    """`number` counts from 1; `fault` says why there is nothing in `raw` to parse."""

    number: int
    offset: int
    raw: bytes
    fault: str | None = None


def records(stream: BinaryIO) -> Iterator[Record]:
    """Cut a seekable UTF-8 file into records, in memory bounded by the longest one allowed."""
    start = _after_bom(stream)
    stream.seek(start)
    while (head := stream.read(_CHUNK)) and not head.strip(_SPACE):
        pass
    if _begins_list(head.lstrip(_SPACE)):
        return _elements(stream, start, LONGEST_ELEMENT)
    return _lines(stream, start, LONGEST_LINE)


def parsed(raw: bytes) -> Any:
    """Parse one record leniently: NaN and keys given twice pass. Raises Unreadable."""
    try:
        return json.loads(raw.decode())
    except UnicodeDecodeError:
        raise Unreadable("is not valid UTF-8") from None
    except json.JSONDecodeError:
        raise Unreadable("is not JSON") from None
    except RecursionError:
        raise Unreadable("is nested too deep") from None
    except ValueError:
        raise Unreadable("holds a number that is too long") from None


def _begins_list(head: bytes) -> bool:
    # A damaged line may begin with a bracket too; no line of JSON Lines holds a list of objects.
    return head.startswith(b"[") and head[1:].lstrip(_SPACE)[:1] in (b"{", b"]", b"")


def _after_bom(stream: BinaryIO) -> int:
    stream.seek(0)
    return len(_BOM) if stream.read(len(_BOM)) == _BOM else 0


def _lines(stream: BinaryIO, start: int, limit: int) -> Iterator[Record]:
    stream.seek(start)
    number = 0
    offset = start
    while raw := stream.readline(limit + 1):
        number += 1
        begun = offset
        offset += len(raw)
        if len(raw) > limit and not raw.endswith(b"\n"):
            while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
                offset += len(rest)
            offset += len(rest)
            yield Record(number, begun, b"", _TOO_LONG.format(limit))
        elif raw.strip():
            yield Record(number, begun, raw)


def _elements(stream: BinaryIO, start: int, limit: int) -> Iterator[Record]:
    """Cut a JSON list into the objects and lists in it.

    A parser of the whole would give up at the first fault; here a fault stays inside its element.
    """
    depth = number = begun = 0
    for offset, step in _brackets(stream, start):
        depth += step
        if step > 0 and depth == _IN_LIST + 1:
            begun = offset
        elif step < 0 and depth == _IN_LIST:
            number += 1
            yield _element(stream, number, begun, offset + 1 - begun, limit)
        elif depth < _IN_LIST:
            return
    yield Record(number + 1, begun, b"", "is cut off, or damaged so that its end can't be found")


def _element(stream: BinaryIO, number: int, begun: int, length: int, limit: int) -> Record:
    if length > limit:
        return Record(number, begun, b"", _TOO_LONG.format(limit))
    stream.seek(begun)
    return Record(number, begun, stream.read(length))


def _brackets(stream: BinaryIO, start: int) -> Iterator[tuple[int, int]]:
    """Yield the offset of each bracket outside of strings, with 1 for an opening and -1 for a closing one."""
    offset = start
    in_string = escaped = False
    while True:
        stream.seek(offset)
        chunk = stream.read(_CHUNK)
        if not chunk:
            return
        position = 0
        if in_string:
            rest = _UNTIL_QUOTE.match(chunk, int(escaped))
            in_string = rest is None
            position = rest.end() if rest else len(chunk)
            escaped = in_string and _ends_escaped(chunk, int(escaped))
        for token in _TOKEN.finditer(chunk, position):
            first = token[0]
            if first in _STEPS:
                yield offset + token.start(), _STEPS[first]
            elif first == b'"':
                in_string = True
                escaped = _ends_escaped(chunk, token.end())
                break
        offset += len(chunk)


def _ends_escaped(chunk: bytes, position: int) -> bool:
    part = chunk[position:]
    return (len(part) - len(part.rstrip(b"\\"))) % 2 == 1
