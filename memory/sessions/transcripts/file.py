"""One file of one format, and what a format must know to be read."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO

from memory.sessions.transcripts.progress import Part
from memory.sessions.transcripts.records import Unreadable, parsed, records
from memory.sessions.transcripts.transcript import Tally, TranscriptLine, TranscriptSession
from memory.sessions.transcripts.values import storable

_LONGEST_ID = 150


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object of a file and where it is."""

    number: int
    offset: int
    length: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """A seekable UTF-8 file that is not packed, with the tally its reading adds to."""

    stream: BinaryIO
    name: str
    tally: Tally
    progress: Part

    def objects(self, part: Part, *, report: bool = True) -> Iterator[Found]:
        """Yield the JSON objects in their order. What is broken is reported, unless an earlier pass did so."""
        size = self.stream.seek(0, os.SEEK_END)
        for record in records(self.stream):
            part.at(record.offset, size)
            try:
                if record.fault is not None:
                    raise Unreadable(record.fault)
                value = parsed(record.raw)
                if not isinstance(value, dict):
                    raise Unreadable("is not a JSON object")
            except Unreadable as fault:
                if report:
                    self.broken(record.number, self._reason(fault, record.offset + len(record.raw) == size, record.raw))
                continue
            yield Found(record.number, record.offset, len(record.raw), value)
        part.at(size, size)

    def object_at(self, number: int, offset: int, length: int) -> dict[str, Any]:
        """Read again an object that `objects` yielded; empty, and reported, if that fails this time."""
        self.stream.seek(offset)
        try:
            value = parsed(self.stream.read(length))
        except Unreadable as fault:
            self.broken(number, str(fault))
            return {}
        return value if isinstance(value, dict) else {}

    def broken(self, number: int, reason: str) -> None:
        self.tally.report(self.name, number, reason)

    @staticmethod
    def _reason(fault: Unreadable, is_last: bool, raw: bytes) -> str:
        return f"{fault}: the file is cut off here" if is_last and raw and not raw.endswith(b"\n") else str(fault)


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of transcript: `recognises` tells one of its objects, `sessions` reads a file of them."""

    name: str
    recognises: Callable[[dict[str, Any]], bool]
    sessions: Callable[[TranscriptFile], Iterator[TranscriptSession]]


class SessionLines:
    """Makes the lines of one session: storable, never empty, each with its key.

    `seed` sets the chain of keys of this session apart from another that begins with the same words.
    """

    def __init__(self, tally: Tally, seed: str) -> None:
        self._tally = tally
        self._chain = hashlib.sha256(storable(seed).encode()).digest()

    def line(
        self,
        role: str,
        text: str,
        *,
        identity: str = "",
        speaker: str = "",
        at: datetime | None = None,
        timed: bool = True,
        more: dict[str, Any] | None = None,
    ) -> Iterator[TranscriptLine]:
        """Yield the line, or nothing for an empty text, which is counted.

        Without `identity`, which has to be fit to be stored, its key is the chain's; `timed` tells whether the time
        is part of that.
        """
        text = storable(text)
        if not text.strip():
            self._tally.skip("empty")
            return
        said = identity or "\0".join((role, speaker, at.isoformat() if at and timed else "", text))
        self._chain = hashlib.sha256(self._chain + said.encode()).digest()
        yield TranscriptLine(identity or f"chain:{self._chain.hex()}", role, speaker, text, at, more or {})


def identified(identity: str) -> str:
    """Return an id that can be stored and indexed: a very long one becomes its hash."""
    identity = storable(identity)
    if len(identity) <= _LONGEST_ID:
        return identity
    return f"{identity[:40]}…{hashlib.sha256(identity.encode()).hexdigest()}"


def given_id(value: Any) -> str | None:
    """Return an id that a file gives from a text or a number, None for anything else or an empty one."""
    if isinstance(value, str):
        return identified(value.strip()) or None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    try:
        return identified(str(value))
    except ValueError:
        return None
