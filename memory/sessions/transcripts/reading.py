"""The one way to read a transcript: whatever the file is, as sessions with their lines.

What a file is shows in what it holds, not in its name. It is read as a stream, in memory bounded by its longest line
or conversation (and, for formats whose lines form a tree, a few hundred bytes a line).
"""

import codecs
import os
import zipfile
from collections.abc import Callable, Iterator
from typing import BinaryIO

from memory.sessions.transcripts import archives
from memory.sessions.transcripts.chatgpt import CHATGPT
from memory.sessions.transcripts.claude_code import CLAUDE_CODE
from memory.sessions.transcripts.codex import CODEX
from memory.sessions.transcripts.file import Format, TranscriptFile
from memory.sessions.transcripts.plain import PLAIN
from memory.sessions.transcripts.progress import Part, Progress
from memory.sessions.transcripts.records import Unreadable, parsed, records
from memory.sessions.transcripts.transcript import NotATranscript, Tally, TranscriptSession
from memory.sessions.transcripts.unpacking import (
    Budget,
    Damaged,
    TooMuch,
    is_packed,
    temporary,
    transcode,
    unpack,
)

FORMATS = (CHATGPT, CODEX, CLAUDE_CODE, PLAIN)
MOST_NESTED = 2
_HEAD = 4 << 20
_SIGNATURE = 64
_EXPECTED = f"Expected {', '.join(format.name for format in FORMATS)}, or a zip archive of these."


def read_transcripts(
    source: BinaryIO,
    name: str,
    tally: Tally,
    progress: Callable[[int], None] | None = None,
    budget: Budget | None = None,
) -> Iterator[TranscriptSession]:
    """Yield the sessions of a seekable file, and add to `tally` what was left out and what could not be read.

    `progress` is told how many bytes of the file are done. The lines of a session have to be read before the next
    session is asked for. Raises NotATranscript, while it is iterated, when nothing in the file is recognised.
    """
    size = source.seek(0, os.SEEK_END)
    whole = Progress(progress, size).whole()
    try:
        yield from _Reading(tally, budget or Budget()).sessions(source, name, whole, 0)
    except TooMuch as fault:
        tally.report(name, 0, str(fault))
    except Damaged as fault:
        raise NotATranscript(f"This file {fault}.") from None
    whole.at(1, 1)


def recognised(stream: BinaryIO) -> Format | None:
    """Return the format of the first record that any of them knows."""
    for record in records(stream):
        try:
            value = None if record.fault else parsed(record.raw)
        except Unreadable:
            continue
        if isinstance(value, dict):
            found = next((format for format in FORMATS if format.recognises(value)), None)
            if found is not None:
                return found
    return None


class _Reading:
    """One file with all that is packed into it."""

    def __init__(self, tally: Tally, budget: Budget) -> None:
        self._tally = tally
        self._budget = budget

    def sessions(self, source: BinaryIO, name: str, part: Part, depth: int) -> Iterator[TranscriptSession]:
        if archives.is_archive(source):
            yield from self._of_archive(source, name, part, depth)
            return
        with temporary() as file:
            try:
                text = file if unpack(source, file, self._budget) else source
            except Damaged as fault:
                self._tally.report(name, 0, str(fault))
                text = file
            yield from self._of_text(text, name, part)

    def _of_text(self, source: BinaryIO, name: str, part: Part) -> Iterator[TranscriptSession]:
        with temporary() as file:
            text = file if transcode(source, file, self._budget) else source
            format = recognised(text)
            if format is None:
                raise NotATranscript(f"Nothing in this file is a transcript. {_EXPECTED}")
            yield from format.sessions(TranscriptFile(text, name, self._tally, part))

    def _of_archive(self, source: BinaryIO, name: str, part: Part, depth: int) -> Iterator[TranscriptSession]:
        if depth > MOST_NESTED:
            raise Damaged("lies too deep in archives inside archives")
        found = False
        with archives.opened(source) as archive:
            for entry in archives.entries(archive):
                if not self._budget.take_entry():
                    self._tally.report(name, entry.number, "and those after it were not read: there are too many")
                    break
                entry_name = f"{name}/{entry.name}" if depth else entry.name
                entry_part = part.between(entry.start, entry.end)
                try:
                    yield from self._of_entry(archive, entry, entry_name, entry_part, depth)
                    found = True
                except NotATranscript:
                    self._tally.skip("other file")
                except Damaged as fault:
                    self._tally.report(entry_name, entry.number, str(fault))
        if not found:
            raise NotATranscript(f"No file in this archive is a transcript that can be read. {_EXPECTED}")

    def _of_entry(
        self, archive: zipfile.ZipFile, entry: archives.Entry, name: str, part: Part, depth: int
    ) -> Iterator[TranscriptSession]:
        with archives.unpacked(archive, entry) as packed, temporary() as file:
            try:
                archives.copy(packed, file, self._budget, _HEAD)
                if not _may_be_one(file):
                    raise NotATranscript
                file.seek(0, os.SEEK_END)
                archives.copy(packed, file, self._budget)
            except Damaged as fault:
                self._tally.report(name, entry.number, str(fault))
            yield from self.sessions(file, name, part, depth + 1)


def _may_be_one(file: BinaryIO) -> bool:
    """Tell from its beginning whether an entry is worth unpacking to its end."""
    file.seek(0)
    head = file.read(_SIGNATURE)
    return (
        head.removeprefix(codecs.BOM_UTF8).lstrip().startswith((b"{", b"["))
        or archives.is_archive(file)
        or is_packed(head)
        or recognised(file) is not None
    )
