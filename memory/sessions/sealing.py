"""The keys of a session, and how what was said lies sealed in its rows."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from common.crypto import derived, keyed_hash, seal, unseal
from common.jsonio import dumps
from memory.keys.keeping import SPACE_KEY, key_for, opened
from memory.sessions.models import Session
from memory.sessions.rules.hiding import Said
from spaces.databases.entering import current

DIGEST_BYTES = 16


@dataclass(frozen=True)
class Vault:
    """Seals and opens the lines of one session: of a PHI session under its subject's key, else under the Space's."""

    session: Session
    secret: bytes

    @cached_property
    def _digest_key(self) -> bytes:
        return derived(self.secret, "kndl session lines")

    def digest(self, role: str, said: Said, at: str) -> bytes:
        """What the same line sent again has in common with itself; without the key it can be compared with nothing."""
        more = "" if said.more is None else dumps(said.more)
        return keyed_hash(self._digest_key, role, said.speaker, said.text, at, more)[:DIGEST_BYTES]

    def seal(self, index: int, content: Mapping[str, Any]) -> bytes:
        """The sealed part of the line at `index`."""
        return seal(self.secret, dumps(content).encode(), self._place(index))

    def unseal(self, index: int, sealed: bytes | memoryview) -> dict[str, Any]:
        """What `seal` was given. Raises NotOpened."""
        content: dict[str, Any] = json.loads(unseal(self.secret, sealed, self._place(index)))
        return content

    def _place(self, index: int) -> str:
        """In another row, or under another consent, it does not open."""
        session = self.session
        parts = (f"line:{current().space_id}:{session.scope}", str(session.pk), str(index))
        return "\n".join((*parts, session.consent or "", session.subject or ""))


def vault_of(session: Session) -> Vault:
    """The vault of a session, inside a memory transaction where the Space may have no key yet.

    Raises KeyDestroyed when its subject was erased.
    """
    key = session.key
    if key is None:
        return Vault(session, key_for(0, SPACE_KEY, None)[1])
    return Vault(session, opened(session.scope, key.name, key.wrapped_by, key.wrapped))


def raw_content(said: Said) -> dict[str, Any]:
    """What was said, for the sealed part of a line whose masked text stands in its row."""
    return {"raw": asdict(said)}


def phi_content(said: Said, masked: Said) -> dict[str, Any]:
    """Both for the sealed part of a PHI line, whose row says nothing: what was said only where masking changed it."""
    return {"masked": asdict(masked)} | ({} if said == masked else raw_content(said))


def identity_key() -> bytes:
    """The Space's key for what transcripts call their lines: an id may be made of what the line says."""
    return derived(key_for(0, SPACE_KEY, None)[1], "kndl transcript lines")


def identity_of(key: bytes, scope: int, name: str) -> str:
    """How a transcript's own name for a line stands in its column."""
    return keyed_hash(key, str(scope), name).hex()[:40]
