"""Where the lines of a transcript go: which of them are here already, and to which session the others belong."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.recording import Act
from common.times import format_instant, parse_instant
from memory.facts.statements import fetch
from memory.sessions.masking import mask
from memory.sessions.models import Session, SessionLine
from memory.sessions.opening import OpenLine, open_lines
from memory.sessions.rows import Incoming
from memory.sessions.rules.hiding import Hider, Said
from memory.sessions.sealing import identity_key, identity_of, vault_of
from memory.sessions.transcripts import TranscriptLine, TranscriptSession
from memory.sessions.writing import TRANSCRIPT, new_session, store
from spaces.access import Binding

_NAMED_BY = 24  # digits of the identity of the first line, in the name of a session that has none of its own


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line is."""

    session: UUID
    index: int


@dataclass
class Standing:
    """How far the lines of a transcript's session have come.

    `target` is the session that they go to, `before` the key of the last line that was taken, `at` its time. `aligned`
    is the index of the line of the target that the next one may be, while nothing new has come in between; None after.
    """

    target: UUID | None = None
    before: str | None = None
    at: datetime | None = None
    aligned: int | None = 0

    def kept(self) -> dict[str, Any]:
        """As JSON, for a run that goes on after this one was cut off."""
        return {
            "target": str(self.target) if self.target else None,
            "before": self.before,
            "at": format_instant(self.at) if self.at else None,
            "aligned": self.aligned,
        }

    @classmethod
    def of(cls, kept: dict[str, Any]) -> "Standing":
        """What `kept` gave."""
        target, at = kept["target"], kept["at"]
        return cls(UUID(target) if target else None, kept["before"], parse_instant(at) if at else None, kept["aligned"])


@dataclass
class Merge:
    """One batch of lines on its way into the database, in the transaction `act`."""

    act: Act
    binding: Binding
    transcript: TranscriptSession
    before: Standing
    added: int = 0
    masked: Counter[str] = field(default_factory=Counter)
    sessions: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.standing = replace(self.before)
        # A name is an identity and cannot be masked: one that holds a secret counts as none.
        if self.transcript.client_id is not None and mask(self.transcript.client_id).counts:
            self.transcript = replace(self.transcript, client_id=None)
        self._key = identity_key()
        self._scope = self.binding.one.pk

    def take(self, lines: Sequence[TranscriptLine]) -> None:
        """Add what is new of these lines, which follow those taken before."""
        identities = [self._identity(line.key) for line in lines]
        earlier = [self._identity(self.before.before)] if self.before.before else []
        known = self._known([*identities, *earlier])
        session = self._target()
        fresh: list[tuple[str, TranscriptLine]] = []
        taken: set[str] = set()
        there = _Alongside(session, self.standing)
        for identity, line in zip(identities, lines, strict=True):
            if identity in known or identity in taken:
                there.pass_over(known.get(identity))
            elif not there.holds(line):
                fresh.append((identity, line))
                taken.add(identity)
        self._note_sessions({place.session for name, place in known.items() if name not in earlier})
        if session is None and fresh:
            session = self._followed(fresh[0], lines, known) or self._made(fresh[0])
        if session is not None:
            self.standing.target = session.pk
            self.sessions[str(session.pk)] = session.client_id
        if session is not None and fresh:
            self._store(session, fresh)
        self.standing.before = lines[-1].key

    def _store(self, session: Session, fresh: Sequence[tuple[str, TranscriptLine]]) -> None:
        incoming = []
        at = self.standing.at or self.transcript.started_at
        for identity, line in fresh:
            at = line.at or at
            said = Said(line.speaker, line.text, line.more or None)
            incoming.append(Incoming(line.role, said, at, identity))
        appended = store(self.act, self.binding, vault_of(session), incoming)
        self.added = appended.accepted
        self.masked = appended.masked
        self.standing.at = at

    def _target(self) -> Session | None:
        """The session that the lines go to by the transcript's own name for it, or since earlier ones went there."""
        if self.standing.target is not None:
            return self._locked(pk=self.standing.target)
        if self.transcript.client_id is not None:
            return self._locked(client_id=self.transcript.client_id)
        return None

    def _followed(
        self, first: tuple[str, TranscriptLine], lines: Sequence[TranscriptLine], known: dict[str, Place]
    ) -> Session | None:
        """For a transcript without a name: the session that ends with the line before its first new one."""
        if self.transcript.client_id is not None:
            return None
        number = next(number for number, line in enumerate(lines) if line is first[1])
        key = lines[number - 1].key if number else self.before.before
        place = known.get(self._identity(key)) if key else None
        session = self._locked(pk=place.session) if place else None
        return session if session is not None and place and place.index == session.line_count - 1 else None

    def _made(self, first: tuple[str, TranscriptLine]) -> Session:
        identity, line = first
        client_id = self.transcript.client_id or f"{TRANSCRIPT}:{identity[:_NAMED_BY]}"
        started_at = self.transcript.started_at or line.at
        return self._locked(client_id=client_id) or new_session(
            self.act, self.binding, client_id, self.transcript.title, started_at, TRANSCRIPT
        )

    def _locked(self, **named: Any) -> Session | None:
        sessions = Session.objects.select_for_update(of=("self",)).select_related("key")
        return sessions.filter(scope=self._scope, **named).first()

    def _known(self, identities: Iterable[str]) -> dict[str, Place]:
        rows = fetch(
            'select identity, session, "index" from session_line'
            " where scope = %(scope)s and identity = any(%(identities)s)",
            {"scope": self._scope, "identities": list(identities)},
        )
        return {row["identity"]: Place(row["session"], row["index"]) for row in rows}

    def _note_sessions(self, ids: set[UUID]) -> None:
        for session in Session.objects.filter(pk__in=ids):
            self.sessions[str(session.pk)] = session.client_id

    def _identity(self, key: str) -> str:
        return identity_of(self._key, self._scope, key)


class _Alongside:
    """The lines of a session that came another way than by transcript, as far as the transcript says the same.

    A client may have sent a session's lines before somebody imports its transcript, or what was exported of it.
    """

    def __init__(self, session: Session | None, standing: Standing) -> None:
        self._session = session
        self._standing = standing
        self._lines: dict[int, OpenLine] = {}
        if session is None or standing.aligned is None or not _has_bare_lines(session):
            standing.aligned = None

    def pass_over(self, place: Place | None) -> None:
        """Go on behind a line that is known by its identity."""
        if self._standing.aligned is not None and self._session and place and place.session == self._session.pk:
            self._standing.aligned = place.index + 1

    def holds(self, line: TranscriptLine) -> bool:
        """Whether the session's next line is this one. With the first that is not, the ways part."""
        index = self._standing.aligned
        if index is None or self._session is None:
            return False
        there, before = self._at(index), self._lines.get(index - 1)
        said = Hider().hide(Said(line.speaker, line.text), before.text if before else "").said
        if there and (there.role, there.text) == (line.role, said.text):
            self._standing.aligned = index + 1
            return True
        self._standing.aligned = None
        return False

    def _at(self, index: int) -> OpenLine | None:
        if self._session is None or index >= self._session.line_count:
            return None
        if index not in self._lines:
            lines, _ = open_lines(self._session, max(index - 1, 0), self._session.line_count)
            self._lines = {line.index: line for line in lines}
        return self._lines.get(index)


def _has_bare_lines(session: Session) -> bool:
    return SessionLine.objects.filter(session=session.pk, identity=None).exists()
