"""From lines to rows: masked, digested, sealed where need be, and their words for the search of what is new."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from common.jsonio import dumps
from common.times import format_instant
from memory.layers.rules.tsvector import tsvector_literal
from memory.recall.rules.stopwords import terms
from memory.sessions.rules.document import LONGEST_TEXT
from memory.sessions.rules.hiding import Hidden, Hider, Said
from memory.sessions.sealing import Vault, phi_content, raw_content

_COLUMNS = (
    "session", "index", "scope", "role", "speaker", "text", "at", "arrived_at", "digest", "identity", "sealed", "more",
    "search",
)  # fmt: skip
_SEARCHED = 20_000
_CUT = " [cut: {:,} more characters]"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A line on its way in. `at` is None where nobody said when; `identity` is what its transcript calls it."""

    role: str
    said: Said
    at: datetime | None = None
    identity: str | None = None

    def digest(self, vault: Vault) -> bytes:
        """By what a resend is known."""
        return vault.digest(self.role, self.said, format_instant(self.at) if self.at else "")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A line with its secrets masked, and its digest."""

    line: Incoming
    hidden: Hidden
    digest: bytes


def prepare(vault: Vault, lines: Sequence[Incoming], digests: Sequence[bytes], previous: str) -> list[Prepared]:
    """Mask lines that follow each other. `previous` is the masked text before the first of them."""
    hider, found = Hider(), []
    for line, digest in zip(lines, digests, strict=True):
        hidden = hider.hide(line.said, previous)
        previous = hidden.said.text
        found.append(Prepared(line, hidden, digest))
    return found


def masked_counts(lines: Sequence[Prepared]) -> Counter[str]:
    """How many secrets of each kind were masked."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(line.hidden.counts)
    return counts


def copy_lines(
    cursor: CursorWrapper, vault: Vault, first_index: int, lines: Sequence[Prepared], arrived_at: datetime
) -> None:
    """Add the rows of these lines, the first of them at `first_index`."""
    with cursor.copy(f"copy session_line ({', '.join(_COLUMNS)}) from stdin") as copy:
        for index, line in enumerate(lines, first_index):
            copy.write_row(_row(vault, index, line, arrived_at))


def _row(vault: Vault, index: int, prepared: Prepared, arrived_at: datetime) -> tuple[Any, ...]:
    session, line, masked = vault.session, prepared.line, prepared.hidden.said
    stamp = (line.at or arrived_at, arrived_at, prepared.digest, line.identity)
    head: tuple[UUID, int, int, str] = (session.pk, index, session.scope, line.role)
    if session.is_phi:
        sealed = vault.seal(index, phi_content(line.said, _cut(masked)))
        return (*head, "", "", *stamp, sealed, None, None)
    shown = _cut(masked)
    sealed_raw = None if shown == line.said else vault.seal(index, raw_content(line.said))
    more = None if shown.more is None else dumps(shown.more)
    return (*head, shown.speaker, shown.text, *stamp, sealed_raw, more, _words(session.scope, line.role, shown.text))


def _cut(said: Said) -> Said:
    """A text beyond the longest that is kept in clear ends with a visible mark; the sealed part holds all of it."""
    over = len(said.text) - LONGEST_TEXT
    if over <= 0:
        return said
    return Said(said.speaker, said.text[:LONGEST_TEXT] + _CUT.format(over), said.more)


def _words(scope: int, role: str, text: str) -> str | None:
    if role == "tool":
        return None
    return tsvector_literal(scope, Counter(terms(text[:_SEARCHED]))) or None
