"""The shapes of answers, for the OpenAPI description."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class SessionAnswer(BaseModel):
    """A session. `next_index` is the index of the next line to append; lines below `distilled_until` are distilled."""

    id: str
    client_id: str
    title: str
    scope: str
    shared: bool
    origin: str
    started_at: str
    opened_at: str
    line_count: int
    next_index: int
    distilled_until: int
    last_line_at: str | None
    last_said_at: str | None
    classification: str | None
    consent: str | None


class WithheldSessionAnswer(BaseModel):
    """That a PHI session is here and not released: whose it is and which consent does not cover it."""

    classification: str
    subject: str | None
    consent: str
    scope: str
    line_count: int


class SessionList(BaseModel):
    """One page of sessions, the newest activity first; `next` is the `cursor` of the page after it.

    `withheld` is there for people who govern the Space, behind the last session.
    """

    count: int
    sessions: list[SessionAnswer]
    next: str | None
    withheld: list[WithheldSessionAnswer] = Field(default_factory=list)


class LineAnswer(BaseModel):
    """A line with its secrets masked; `more` is what else its client sent with it."""

    index: int
    role: Literal["user", "assistant", "system", "tool"]
    speaker: str
    text: str
    at: str
    more: dict[str, Any] | None = None


class LineList(BaseModel):
    """Lines of a session; `next` is the index of the line after them, null at the end."""

    lines: list[LineAnswer]
    next: int | None


class AppendAnswer(BaseModel):
    """`accepted` lines were new. The next one has the index `next_index`. `masked` counts secrets by kind."""

    next_index: int
    accepted: int
    masked: dict[str, int]


class RevealAnswer(BaseModel):
    """What was said."""

    index: int
    speaker: str
    text: str
    more: dict[str, Any] | None = None


class BrokenAnswer(BaseModel):
    """A place in a file that could not be read."""

    file: str
    line: int
    reason: str


class ImportedSession(BaseModel):
    """A session that lines of the transcript belong to."""

    id: str
    client_id: str


class TranscriptAnswer(BaseModel):
    """What became of a transcript; a large one is worked through meanwhile, `read` of its `size` bytes so far."""

    id: str | None = None
    status: Literal["waiting", "running", "done", "failed"]
    name: str | None = None
    size: int | None = None
    read: int | None = None
    reason: str | None = None
    sessions: list[ImportedSession]
    lines: int
    unchanged: int
    skipped: dict[str, int]
    masked: dict[str, int]
    broken: list[int]
    broken_count: int
    broken_lines: list[BrokenAnswer]
