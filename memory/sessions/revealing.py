"""Showing what was really said where a secret is masked: to few, for a stated reason, and on record."""

from audit.recording import Act
from common.crypto import NotOpened
from common.errors import NotFound
from memory.keys.keeping import KeyDestroyed
from memory.sessions.models import Session, SessionLine
from memory.sessions.reading import record_reading, released_session
from memory.sessions.rules.hiding import Said
from memory.sessions.sealing import vault_of
from spaces.access import Binding, Hidden
from spaces.models import Membership

_GOVERNORS = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN})


def reveal_line(act: Act, binding: Binding, session_id: str, index: int, reason: str) -> Said:
    """What was said in a line, its secrets unmasked, to the person whose scope it is, an owner or an admin.

    Raises Hidden for everybody else, seats among them, and NotFound.
    """
    session = released_session(binding, session_id)
    if not may_reveal(binding, session):
        raise Hidden("There is no such session.")
    line = SessionLine.objects.filter(session=session.pk, index=index).first()
    if line is None:
        raise NotFound("There is no such line.")
    said = _said(session, line)
    record_reading(act, binding, session, "session.reveal", index=index, reason=reason, count=1)
    return said


def may_reveal(binding: Binding, session: Session) -> bool:
    """Whether this reader may see what is masked in a session of the bound scopes."""
    person = binding.caller.person
    if person is None:
        return False
    scope = next(scope for scope in binding.scopes if scope.pk == session.scope)
    return binding.role in _GOVERNORS or scope.owner_id == person.pk


def _said(session: Session, line: SessionLine) -> Said:
    if line.sealed is None:
        return Said(line.speaker, line.text, line.more)
    try:
        content = vault_of(session).unseal(line.index, line.sealed)
    except (KeyDestroyed, NotOpened):
        raise NotFound("There is no such line.") from None
    return Said(**content.get("raw", content.get("masked", {})))
