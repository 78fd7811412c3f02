"""Sessions as files: JSON Lines, one file a session, masked; several as a ZIP archive that is made while it is sent."""

import re
import zipfile
from collections.abc import Iterator
from typing import IO, Any, cast

from common.errors import NotFound
from common.jsonio import dumps
from common.times import format_instant
from memory.sessions.models import Session
from memory.sessions.opening import OpenLine
from memory.sessions.reading import lines_after, record_reading, released_session, sessions_behind
from spaces.access import Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]{1,500}")
_LONGEST_NAME = 60
_PAGE = 100


def exported_session(binding: Binding, session_id: str) -> tuple[str, Iterator[bytes]]:
    """The name of a session's file and its lines, in pieces. Raises NotFound before the answer has begun.

    Each line is an object with `session`, `title`, `role`, `speaker`, `text`, `at` and what else was sent with it.
    """
    session = released_session(binding, session_id)
    _record(binding, session)
    return file_name(session), _pieces(binding, session)


def exported_archive(binding: Binding) -> Iterator[bytes]:
    """All released sessions of the bound scope as a ZIP archive, in pieces, so that neither end holds them all.

    Raises Invalid, before the answer has begun, when several scopes are bound.
    """
    scope = binding.one
    with memory_transaction() as act:
        act.record(binding.caller.actor, "session.export", f"scope:{scope.name}", scope=scope.pk)
    return _archive(binding)


def file_name(session: Session) -> str:
    """The name of a session's file: its day, the client's id as far as file systems take it, and its own id."""
    name = _UNSAFE.sub("-", session.client_id[: _LONGEST_NAME * 2])[:_LONGEST_NAME].strip("-.")
    return f"{session.started_at:%Y-%m-%d}-{name or 'session'}-{str(session.pk)[:8]}.jsonl"


def _archive(binding: Binding) -> Iterator[bytes]:
    out = _Buffer()
    with zipfile.ZipFile(cast(IO[bytes], out), "w", zipfile.ZIP_DEFLATED) as archive:
        for session in _sessions(binding):
            entry = zipfile.ZipInfo(file_name(session), session.started_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            with archive.open(entry, "w", force_zip64=True) as file:
                for piece in _pieces(binding, session):
                    file.write(piece)
                    yield out.taken()
            yield out.taken()
    yield out.taken()


def _sessions(binding: Binding) -> Iterator[Session]:
    """The export outlives the view that began it, so each piece enters the Space for itself."""
    page: list[Session] = []
    while True:
        with entered(binding.space):
            page = sessions_behind(binding, page[-1].pk if page else None, limit=_PAGE)
        if not page:
            return
        yield from page


def _pieces(binding: Binding, session: Session) -> Iterator[bytes]:
    following: int | None = 0
    while following is not None:
        with entered(binding.space):
            try:
                page = lines_after(binding, session, following)
            except NotFound:
                return  # a consent was withdrawn meanwhile
        yield b"".join(_line(session, line) for line in page.lines)
        following = page.next_index


def _line(session: Session, line: OpenLine) -> bytes:
    said: dict[str, Any] = {"session": session.client_id}
    if session.title:
        said["title"] = session.title
    said |= {"role": line.role, "speaker": line.speaker, "text": line.text, "at": format_instant(line.at)}
    return dumps(said | {name: value for name, value in (line.more or {}).items() if name not in said}).encode() + b"\n"


def _record(binding: Binding, session: Session) -> None:
    with memory_transaction() as act:
        record_reading(act, binding, session, "session.export", count=session.line_count)


class _Buffer:
    """A file that keeps what is written until it is taken, and cannot be gone back in."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, content: bytes) -> int:
        self._parts.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        """Nothing waits elsewhere."""

    def taken(self) -> bytes:
        """What was written since the last time."""
        found = b"".join(self._parts)
        self._parts.clear()
        return found
