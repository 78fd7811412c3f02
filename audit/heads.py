"""The chains' heads, written outside the databases: a chain that was cut at its end, or written anew, shows.

One file for each database, one line of JSON each time its head has changed.
"""

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from common.times import format_instant, parse_instant

_LONGEST_LINE = 400  # bytes


@dataclass(frozen=True)
class Head:
    """The last row of a chain: its sequence and its mark in hexadecimal."""

    sequence: int
    mark: str


@dataclass(frozen=True)
class NotedHead:
    """A head as it was written at a time."""

    head: Head
    at: datetime


def note_head(folder: Path, database: str, head: Head, at: datetime) -> bool:
    """Append `head` to the database's file unless it is the last one there; returns whether it was appended."""
    last = last_noted_head(folder, database)
    if last is not None and last.head == head:
        return False
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    line = json.dumps({"at": format_instant(at), "sequence": head.sequence, "mark": head.mark}) + "\n"
    descriptor = os.open(_file(folder, database), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())
    return True


def last_noted_head(folder: Path, database: str) -> NotedHead | None:
    """The head that was written last; None when none was. A line that was cut off by a crash does not count."""
    try:
        with _file(folder, database).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 4 * _LONGEST_LINE))
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return None
    for line in reversed(lines):
        try:
            found = json.loads(line)
            return NotedHead(Head(int(found["sequence"]), str(found["mark"])), parse_instant(found["at"]))
        except (KeyError, TypeError, ValueError):
            continue
    return None


def _file(folder: Path, database: str) -> Path:
    return folder / f"{database}.jsonl"
