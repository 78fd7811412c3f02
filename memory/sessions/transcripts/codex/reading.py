"""A Codex rollout read twice: first for what decides over the whole, then for its lines."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.sessions.transcripts.codex.items import (
    EVENT,
    ITEM,
    META,
    Entry,
    Utterance,
    entry,
    is_codex,
    is_message,
    said_by_event,
    said_by_item,
)
from memory.sessions.transcripts.file import SessionLines, TranscriptFile, given_id
from memory.sessions.transcripts.progress import Part
from memory.sessions.transcripts.transcript import Tally, TranscriptLine, TranscriptSession
from memory.sessions.transcripts.values import instant, worth_keeping

recognises = is_codex


@dataclass
class _Survey:
    """What the first pass learns.

    `root` is the session whose history this one began with, its own id if there was none: a copied line then has
    the key it has in the session it was copied from. `withdrawn` holds stretches of line numbers (from, up to).
    """

    client_id: str | None = None
    root: str | None = None
    started_at: datetime | None = None
    place: dict[str, Any] = field(default_factory=dict)
    is_side_thread: bool = False
    has_messages: bool = False
    withdrawn: list[tuple[int, int]] = field(default_factory=list)
    _turns: list[int] = field(default_factory=list)

    def take(self, number: int, found: Entry) -> None:
        if found.kind == META:
            self._take_meta(found)
        elif is_message(found):
            self.has_messages = True
            if said := said_by_item(found.payload, Tally()):
                self._turns += [number] if said.role == "user" else []
        elif found.kind == EVENT and found.payload.get("type") == "thread_rolled_back":
            self._withdraw(number, found.payload.get("num_turns"))
        if self.started_at is None:
            self.started_at = found.at

    def _take_meta(self, found: Entry) -> None:
        meta = found.payload
        identity = given_id(meta.get("id"))
        if not self.has_messages:
            self.root = identity or self.root
        if self.client_id is not None:
            return
        self.client_id = identity
        self.started_at = instant(meta.get("timestamp")) or found.at
        git = meta.get("git")
        self.place = worth_keeping(cwd=meta.get("cwd"), branch=git.get("branch") if isinstance(git, dict) else None)
        source = meta.get("source")
        self.is_side_thread = isinstance(source, dict) and "subagent" in source

    def _withdraw(self, number: int, turns: Any) -> None:
        if not isinstance(turns, int) or turns <= 0 or not self._turns:
            return
        start = self._turns[-turns:][0]
        del self._turns[-turns:]
        while self.withdrawn and self.withdrawn[-1][0] >= start:
            self.withdrawn.pop()
        self.withdrawn.append((start, number))


def sessions(file: TranscriptFile) -> Iterator[TranscriptSession]:
    """Yield the one session of a rollout."""
    survey = _Survey()
    for found in file.objects(file.progress.between(0, 0.5)):
        line = entry(found.value)
        if line.kind:
            survey.take(found.number, line)
        else:
            file.broken(found.number, "is not a line of a rollout")
    lines = _lines(file, survey, file.progress.between(0.5, 1))
    yield TranscriptSession(survey.client_id, "", survey.started_at, lines)


def _lines(file: TranscriptFile, survey: _Survey, part: Part) -> Iterator[TranscriptLine]:
    made = SessionLines(file.tally, survey.root or "")
    about = survey.place
    model: dict[str, Any] = {}
    withdrawn = iter([*survey.withdrawn, (0, 0)])
    start, end = next(withdrawn)
    for found in file.objects(part, report=False):
        line = entry(found.value)
        if end and found.number >= end:
            start, end = next(withdrawn)
        if line.kind == "turn_context":
            model = worth_keeping(model=line.payload.get("model"))
        said = _said(line, survey, file.tally)
        if said is None:
            continue
        if survey.is_side_thread or start <= found.number < end:
            file.tally.skip("side thread" if survey.is_side_thread else "abandoned branch")
            continue
        more = said.more | about | (model if said.role == "assistant" else {})
        about = {}
        # A copy of the line in another file was written at another time.
        yield from made.line(said.role, said.text, at=line.at, timed=False, more=more)


def _said(line: Entry, survey: _Survey, tally: Tally) -> Utterance | None:
    if line.kind == ITEM and survey.has_messages:
        return said_by_item(line.payload, tally)
    if line.kind == ITEM and line.payload.get("type") != "message":
        return said_by_item(line.payload, tally)
    if line.kind == EVENT and not survey.has_messages:
        return said_by_event(line.payload, tally)
    if line.kind not in {"", META}:
        tally.skip({EVENT: "repeated event", "compacted": "summary"}.get(line.kind, line.kind))
    return None
