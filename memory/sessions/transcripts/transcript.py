"""What a transcript is once it has been read, whatever it was written by, and what was left out on the way."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

MOST_BROKEN = 1_000
_MOST_KINDS = 100
_LONGEST_KIND = 60
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One thing that was said or done.

    `key` is the same each time the line is read, in any file that holds it: the format's own id (`claude:<uuid>`,
    `chatgpt:<message id>`), or else a hash of this and all earlier lines of its session (`chain:<hash>`). `role` is
    user, assistant, system or tool; `speaker` is empty when unknown; `text` can be stored and is not yet masked; `at`
    is in UTC; `more` holds a few short values such as the model, the tool's name, the working folder.
    """

    key: str
    role: str
    speaker: str
    text: str
    at: datetime | None
    more: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TranscriptSession:
    """One conversation. `client_id` is its own id, None where it has none.

    `lines` is read once, before the next session is asked for: it may come straight from the file.
    """

    client_id: str | None
    title: str
    started_at: datetime | None
    lines: Iterator[TranscriptLine] | Sequence[TranscriptLine]


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """What could not be read: a line, a conversation of a list or an entry of an archive, counted from 1."""

    file: str
    number: int
    reason: str


@dataclass
class Tally:
    """What did not become a line: `skipped` on purpose, by kind, and `broken`, of which the first 1,000 are kept.

    It is complete when the last line of the last session has been read.
    """

    skipped: Counter[str] = field(default_factory=Counter)
    broken: list[BrokenLine] = field(default_factory=list)
    broken_total: int = 0

    def skip(self, kind: str, count: int = 1) -> None:
        """Count what is left out. Kinds named by a file are bounded in length and number."""
        kind = "".join(char for char in kind[:_LONGEST_KIND] if char.isprintable()) or "other"
        if kind not in self.skipped and len(self.skipped) >= _MOST_KINDS:
            kind = "other"
        self.skipped[kind] += count

    def report(self, file: str, number: int, reason: str) -> None:
        self.broken_total += 1
        if len(self.broken) < MOST_BROKEN:
            shown = "".join(char if char.isprintable() else "�" for char in file[-_LONGEST_NAME:])
            self.broken.append(BrokenLine(shown, number, reason))


class NotATranscript(Exception):
    """Nothing in the file is a transcript of a kind that can be read. The text is a sentence for a person."""
