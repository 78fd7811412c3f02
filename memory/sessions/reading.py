"""Reading sessions and their lines, through the same gate as facts; what is read of whom is on record before it is."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.recording import Act
from common.errors import Invalid, NotFound
from common.times import format_instant, parse_instant
from memory.facts.statements import fetch
from memory.phi.consents import consents_of
from memory.phi.gate import consented_sql, gate_values, released_sql
from memory.sessions.models import Session
from memory.sessions.opening import OpenLine, open_lines
from spaces.access import Binding
from spaces.databases.transactions import memory_transaction

MOST_SESSIONS = 200
MOST_LINES = 1_000
MOST_WITHHELD = 500
# The gate asks whether a row is sealed: a session is when it is PHI.
_FROM = " from (select z.*, case when z.classification = 'PHI' then true end sealed from session z) s"
# The newest activity first, and before it what has none yet.
_ORDER = "s.last_line_at desc nulls first, s.id"


@dataclass(frozen=True)
class SessionPage:
    """One page of sessions, and the position behind its last when there are more."""

    sessions: list[Session]
    next_position: dict[str, Any] | None


@dataclass(frozen=True)
class LinePage:
    """Lines of a session, and the index that the next page begins with; None at the end."""

    lines: list[OpenLine]
    next_index: int | None


@dataclass(frozen=True)
class WithheldSession:
    """A PHI session that the gate holds back; `subject` is None where its consent does not open."""

    scope: int
    subject: str | None
    consent: str
    line_count: int


def list_sessions(binding: Binding, *, limit: int, after: dict[str, Any] | None = None) -> SessionPage:
    """The released sessions of the bound scopes, the newest activity first."""
    values = gate_values(binding) | {"scopes": binding.scope_ids, "limit": limit + 1}
    beyond = ""
    if after is not None:
        values |= _position(after)
        beyond = " and " + (
            "(s.last_line_at < %(at)s or s.last_line_at = %(at)s and s.id > %(id)s)"
            if values["at"] is not None
            else "(s.last_line_at is not null or s.id > %(id)s)"
        )
    where = f" where s.scope = any(%(scopes)s) and {released_sql('s')}{beyond} order by {_ORDER} limit %(limit)s"
    ids = [row["id"] for row in fetch(f"select s.id{_FROM}{where}", values)]
    found = Session.objects.in_bulk(ids[:limit])
    sessions = [found[session_id] for session_id in ids[:limit] if session_id in found]
    _record_phi(binding, sessions, count=0)
    return SessionPage(sessions, position_of(sessions[-1]) if len(ids) > limit else None)


def sessions_behind(binding: Binding, after: UUID | None, *, limit: int) -> list[Session]:
    """Released sessions in the order of their ids, which stays as it is while lines come in; for export."""
    values = gate_values(binding) | {"scopes": binding.scope_ids, "after": after, "limit": limit}
    where = (
        f" where s.scope = any(%(scopes)s) and (%(after)s::uuid is null or s.id > %(after)s) and {released_sql('s')}"
        " order by s.id limit %(limit)s"
    )
    ids = [row["id"] for row in fetch(f"select s.id{_FROM}{where}", values)]
    return list(Session.objects.filter(pk__in=ids).order_by("pk"))


def position_of(session: Session) -> dict[str, Any]:
    """Where a list goes on behind this session."""
    return {"at": format_instant(session.last_line_at) if session.last_line_at else None, "id": str(session.pk)}


def find_session(binding: Binding, session_id: str) -> Session:
    """One session. Raises NotFound, also for one that is withheld."""
    session = released_session(binding, session_id)
    _record_phi(binding, [session], count=0)
    return session


def released_session(binding: Binding, session_id: str) -> Session:
    """One session, for an act that records itself what it shows. Raises NotFound, also for one that is withheld."""
    session = Session.objects.filter(scope__in=binding.scope_ids, pk=named(session_id)).select_related("key").first()
    if session is None or not released_to(binding, session):
        raise NotFound("There is no such session.")
    return session


def read_lines(binding: Binding, session_id: str, *, first: int, limit: int) -> LinePage:
    """Lines of a session from `first` on, masked. Raises NotFound."""
    session = released_session(binding, session_id)
    return _lines(binding, session, first, limit)


def lines_after(binding: Binding, session: Session, first: int) -> LinePage:
    """The lines of a session that was found, in pages as large as one reading takes; for export.

    The gate is asked again for each page. Raises NotFound when it has closed meanwhile.
    """
    return _lines(binding, released_session(binding, str(session.pk)), first, MOST_LINES)


def withheld_sessions(binding: Binding) -> list[WithheldSession]:
    """PHI sessions that are here and not released, for roles that may know; at most 500, whose they are on record."""
    rows = fetch(
        f"select s.scope, s.subject, s.consent, s.line_count{_FROM}"
        f" where s.scope = any(%(scopes)s) and s.classification = 'PHI' and not {released_sql('s')}"
        f" order by {_ORDER} limit %(most)s",
        gate_values(binding) | {"scopes": binding.scope_ids, "most": MOST_WITHHELD},
    )
    if not rows:
        return []
    consents = consents_of(binding, list({row["subject"] for row in rows}))
    names = {(consent.scope, consent.subject_hash): consent.subject for consent in consents}
    with memory_transaction() as act:
        for scope in {row["scope"] for row in rows}:
            count = sum(row["scope"] == scope for row in rows)
            _record(act, binding, "phi.list_withheld", f"scope:{binding.names[scope]}", scope=scope, count=count)
    return [
        WithheldSession(row["scope"], names.get((row["scope"], row["subject"])), row["consent"], row["line_count"])
        for row in rows
    ]


def released_to(binding: Binding, session: Session) -> bool:
    """Whether the gate releases a session to this reader now."""
    sql = f"select 1{_FROM} where s.id = %(id)s and {released_sql('s')}"
    return bool(fetch(sql, gate_values(binding) | {"id": session.pk}))


def named(session_id: str) -> UUID:
    """The id of a session from an address. Raises NotFound for what cannot be one."""
    try:
        return UUID(session_id)
    except ValueError:
        raise NotFound("There is no such session.") from None


def record_reading(act: Act, binding: Binding, session: Session, verb: str, **stated: Any) -> None:
    """Put on record that a session's lines are read: of PHI as for facts, else where a person reads."""
    if session.is_phi:
        _record_phi_in(act, binding, [session], **stated)
    if verb != "session.read" or not binding.caller.is_seat:
        _record(act, binding, verb, f"session:{session.pk}", scope=session.scope, **stated)


def _lines(binding: Binding, session: Session, first: int, limit: int) -> LinePage:
    lines, following = open_lines(session, first, first + limit - 1)
    if lines and (session.is_phi or not binding.caller.is_seat):
        with memory_transaction() as act:
            record_reading(act, binding, session, "session.read", first=lines[0].index, count=len(lines))
    return LinePage(lines, following if first < following < session.line_count else None)


def _record_phi(binding: Binding, sessions: Sequence[Session], *, count: int) -> None:
    phi = [session for session in sessions if session.is_phi]
    if phi:
        with memory_transaction() as act:
            _record_phi_in(act, binding, phi, count=count)


def _record_phi_in(act: Act, binding: Binding, sessions: Sequence[Session], **stated: Any) -> None:
    """One row for each subject and consent whose sessions are about to be shown, as for facts."""
    read: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for session in sessions:
        read[session.scope, session.subject or "", session.consent or ""].append(str(session.pk))
    covered = _covered(binding, [session.pk for session in sessions])
    for (scope, subject, consent), ids in read.items():
        in_need = {} if covered.issuperset(ids) else {"break_glass": True}
        more = {"sessions": ids[:100], **in_need, **stated}
        _record(act, binding, "phi.read", f"subject:{subject}", scope=scope, consent=consent, **more)


def _covered(binding: Binding, ids: Sequence[UUID]) -> set[str]:
    """Those of these PHI sessions that a consent covers; the others were released in an emergency."""
    sql = f"select s.id from session s where s.id = any(%(ids)s) and {consented_sql('s')}"
    return {str(row["id"]) for row in fetch(sql, gate_values(binding) | {"ids": list(ids)})}


def _record(
    act: Act, binding: Binding, verb: str, target: str, *, scope: int, consent: str = "", **stated: Any
) -> None:
    purpose = binding.purpose or ""
    act.record(binding.caller.actor, verb, target, scope=scope, purpose=purpose, consent=consent, **stated)


def _position(after: dict[str, Any]) -> dict[str, datetime | UUID | None]:
    """The values of a position that a cursor carried. Raises Invalid naming `cursor`."""
    try:
        return {"at": None if after["at"] is None else parse_instant(after["at"]), "id": UUID(after["id"])}
    except (ValueError, TypeError, AttributeError):
        raise Invalid("is not a cursor of this list", field="cursor") from None
