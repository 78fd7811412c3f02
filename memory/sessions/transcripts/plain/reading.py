"""A plain transcript: conversations of a line each as they come, then the sessions that its single lines make up."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from memory.sessions.transcripts.file import SessionLines, TranscriptFile
from memory.sessions.transcripts.plain.messages import Message, message, messages, session_of, utterances
from memory.sessions.transcripts.progress import Part
from memory.sessions.transcripts.transcript import Tally, TranscriptLine, TranscriptSession
from memory.sessions.transcripts.values import instant, named


def recognises(value: dict[str, Any]) -> bool:
    """Tell an object that is a message, or holds some."""
    return messages(value) is not None or message(value) is not None


@dataclass
class _Places:
    """Where the lines of one session are: three numbers each, number, offset and length."""

    started_at: datetime | None = None
    title: str = ""
    places: "array[int]" = field(default_factory=lambda: array("Q"))


def sessions(file: TranscriptFile) -> Iterator[TranscriptSession]:
    """Yield each session of a file once, whichever way its lines are mixed."""
    single: dict[str | None, _Places] = {}
    for found in file.objects(file.progress.between(0, 0.5)):
        whole = messages(found.value)
        said = None if whole is not None else message(found.value)
        if whole is not None:
            yield _conversation(file, found.number, found.value, whole)
        elif said is not None:
            session = single.setdefault(session_of(found.value), _Places())
            session.started_at = session.started_at or said.at
            session.title = session.title or named(found.value.get("title"))
            session.places.extend((found.number, found.offset, found.length))
        else:
            file.broken(found.number, "has no role and content")
    total = sum(len(session.places) for session in single.values())
    start = 0
    for client_id, session in single.items():
        end = start + len(session.places)
        part = file.progress.between(0.5 + start / total / 2, 0.5 + end / total / 2)
        title = session.title or ("" if client_id else PurePosixPath(named(file.name)).stem)
        lines = _lines(_read(file, session, part), file.tally, client_id)
        yield TranscriptSession(client_id, title, session.started_at, lines)
        start = end


def _conversation(file: TranscriptFile, number: int, value: dict[str, Any], whole: list[Any]) -> TranscriptSession:
    client_id = session_of(value)
    said = [message(each) for each in whole]
    if None in said:
        file.broken(number, f"message {said.index(None) + 1} has no role and content")
    good = [each for each in said if each is not None]
    started_at = instant(value.get("created_at")) or next((each.at for each in good if each.at), None)
    return TranscriptSession(client_id, named(value.get("title")), started_at, _lines(good, file.tally, client_id))


def _read(file: TranscriptFile, session: _Places, part: Part) -> Iterator[Message]:
    places = session.places
    for at in range(0, len(places), 3):
        part.at(at, len(places))
        said = message(file.object_at(*places[at : at + 3]))
        if said is not None:
            yield said
    part.at(1, 1)


def _lines(said: Iterable[Message], tally: Tally, client_id: str | None) -> Iterator[TranscriptLine]:
    made = SessionLines(tally, client_id or "")
    for each in said:
        for role, text, more in utterances(each, tally):
            speaker = "" if role == "tool" else each.speaker
            yield from made.line(role, text, speaker=speaker, at=each.at, more=more)
