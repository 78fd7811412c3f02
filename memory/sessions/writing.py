"""The only way sessions come to be and grow."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import connections

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound, Unprocessable
from common.times import now
from memory.facts.models import Consent
from memory.keys.keeping import KeyDestroyed, hashed, key_for
from memory.layers.models import LayerSettings
from memory.sessions.masking import mask
from memory.sessions.models import Session, SessionLine
from memory.sessions.opening import text_at
from memory.sessions.reading import named, released_to
from memory.sessions.rows import Incoming, copy_lines, masked_counts, prepare
from memory.sessions.rules.acknowledging import Gap, LineDiffers, already_there
from memory.sessions.rules.document import PHI, LinesInput, SessionInput
from memory.sessions.rules.hiding import Said
from memory.sessions.sealing import Vault, vault_of
from spaces.access import Binding
from spaces.databases.entering import current
from spaces.hinting import due_by

API, TRANSCRIPT = "api", "transcript"


@dataclass(frozen=True)
class Appended:
    """`accepted` lines were added, and `next_index` is the index of the next; `masked` counts secrets by kind."""

    next_index: int
    accepted: int
    masked: Counter[str] = field(default_factory=Counter)


def open_session(act: Act, binding: Binding, given: SessionInput) -> tuple[Session, bool]:
    """The session of this client id in the bound scope, and whether it was made just now.

    Raises Conflict when there is one of another classification, subject or consent, and Unprocessable when a PHI
    session names a consent that is not the subject's, and Invalid for a client id that holds a secret: it is an
    identity, which cannot be masked.
    """
    if mask(given.client_id).counts:
        raise Invalid("looks like a secret", field="client_id")
    scope = binding.one.pk
    subject = None if given.subject is None else hashed(scope, "subject", given.subject)
    found = Session.objects.filter(scope=scope, client_id=given.client_id).select_related("key").first()
    if found is not None:
        _require_same(found, given, subject)
        act.record(binding.caller.actor, "session.open", _target(found), scope=scope, made=False)
        return found, False
    key = None
    if subject is not None:
        _require_consent(scope, given.consent, subject)
        key, _ = key_for(scope, subject, subject)
    phi = {"classification": given.classification, "subject": subject, "consent": given.consent, "key_id": key}
    title = "" if given.classification == PHI else given.title or ""
    return new_session(act, binding, given.client_id, title, given.started_at, API, **phi), True


def new_session(
    act: Act, binding: Binding, client_id: str, title: str, started_at: datetime | None, origin: str, **phi: Any
) -> Session:
    """Make a session that is not there yet; `origin` says by which way it comes."""
    session = Session.objects.create(
        scope=binding.one.pk,
        client_id=client_id,
        title=mask(title).text,
        origin=origin,
        opened_by=str(binding.caller.actor),
        started_at=started_at or now(),
        **phi,
    )
    consent = session.consent or ""
    act.record(binding.caller.actor, "session.open", _target(session), scope=session.scope, consent=consent)
    return session


def append_lines(act: Act, binding: Binding, session_id: str, given: LinesInput) -> Appended:
    """Add the lines that the session does not hold yet; those it holds may be sent again and change nothing.

    Raises Conflict (`gap`, `line_differs`) with `expected_index`, the index of the next line, and NotFound.
    """
    session = locked(binding, session_id)
    vault = _vault(session)
    lines = [Incoming(line.role, Said(line.speaker or "", line.text, line.more), line.at) for line in given.lines]
    digests = [line.digest(vault) for line in lines]
    kept = _digests(session, given.from_index, len(lines))
    try:
        known = already_there(given.from_index, digests, session.line_count, kept)
    except Gap:
        raise Conflict(
            f"leaves a gap: the next index is {session.line_count}",
            field="from_index",
            type="gap",
            expected_index=session.line_count,
        ) from None
    except LineDiffers as error:
        raise Conflict(
            f"is not what line {error.index} says already",
            field=f"lines.{error.index - given.from_index}",
            type="line_differs",
            expected_index=session.line_count,
            index=error.index,
        ) from None
    return store(act, binding, vault, lines[known:], digests[known:])


def store(
    act: Act, binding: Binding, vault: Vault, lines: Sequence[Incoming], digests: Sequence[bytes] | None = None
) -> Appended:
    """Add lines at the end of a session whose row is locked, and tell the tick of them."""
    session, at = vault.session, now()
    if digests is None:
        digests = [line.digest(vault) for line in lines]
    prepared = prepare(vault, lines, digests, text_at(session, session.line_count - 1) if lines else "")
    masked = masked_counts(prepared)
    act.record(binding.caller.actor, "session.append", _target(session), scope=session.scope, count=len(lines))
    if not lines:
        return Appended(session.line_count, 0)
    with connections[act.using].cursor() as cursor:
        copy_lines(cursor, vault, session.line_count, prepared, at)
    said_at = [line.at or at for line in lines] + ([session.last_said_at] if session.last_said_at else [])
    session.line_count += len(lines)
    session.last_line_at, session.last_said_at = at, max(said_at)
    session.save(update_fields=["line_count", "last_line_at", "last_said_at"])
    connections[act.using].on_commit(partial(due_by, current().space_id, _due(session, at)))
    return Appended(session.line_count, len(lines), masked)


def locked(binding: Binding, session_id: str) -> Session:
    """A session of the bound scope, its row locked. Raises NotFound.

    Whoever opened it may write to it whatever purpose they act for; anybody else only what the gate releases to them.
    """
    sessions = Session.objects.select_for_update(of=("self",)).select_related("key")
    session = sessions.filter(scope=binding.one.pk, pk=named(session_id)).first()
    if session is None or not (session.opened_by == str(binding.caller.actor) or released_to(binding, session)):
        raise NotFound("There is no such session.")
    return session


def _vault(session: Session) -> Vault:
    try:
        return vault_of(session)
    except KeyDestroyed:
        raise NotFound("There is no such session.") from None


def _digests(session: Session, first: int, count: int) -> list[bytes]:
    rows = SessionLine.objects.filter(session=session.pk, index__gte=first, index__lt=first + count).order_by("index")
    return [bytes(digest) for digest in rows.values_list("digest", flat=True)]


def _due(session: Session, at: datetime) -> datetime:
    """When somebody should look whether the session is to be distilled."""
    settings = LayerSettings.objects.first() or LayerSettings()
    if session.line_count - session.distilled_until >= settings.full_lines:
        return at + timedelta(seconds=settings.quiet_seconds)
    return at + timedelta(minutes=settings.idle_minutes)


def _require_same(session: Session, given: SessionInput, subject: str | None) -> None:
    stated = {"classification": given.classification, "subject": subject, "consent": given.consent}
    for name, value in stated.items():
        if getattr(session, name) != value:
            raise Conflict("is another one than the session of this client id has", field=name, type="session_differs")


def _require_consent(scope: int, consent: str | None, subject: str) -> None:
    if not Consent.objects.filter(scope=scope, id=consent or "", subject=subject).exists():
        raise Unprocessable(f"names {consent}, which is not here for this subject", field="consent")


def _target(session: Session) -> str:
    return f"session:{session.pk}"
