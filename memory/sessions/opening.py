"""Lines as they lie in the database, opened: masked, of PHI sessions too. Nothing here asks who reads."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.crypto import NotOpened
from memory.facts.statements import fetch
from memory.keys.keeping import KeyDestroyed
from memory.layers.rules.proposals import Line
from memory.sessions.models import Session
from memory.sessions.sealing import Vault, vault_of

_MOST_LINES, _MOST_BYTES = 2_000, 4_000_000  # that are read at a time
_LINES = (
    'select "index", role, speaker, text, at, more, sealed from (select *, coalesce(sum(octet_length(text)'
    ' + coalesce(octet_length(sealed), 0)) over (order by "index" rows between unbounded preceding'
    " and 1 preceding), 0) before from session_line"
    ' where session = %(session)s and "index" between %(first)s and %(last)s) l'
    ' where before < %(most)s order by "index"'
)


@dataclass(frozen=True, slots=True)
class OpenLine:
    """A line with its secrets masked; `sealed` is the part of its row from which it can be revealed."""

    index: int
    role: str
    speaker: str
    text: str
    at: datetime
    more: dict[str, Any] | None
    sealed: bytes | None


def lines_of(session: Session, first: int, last: int, *, number: int = 0) -> list[Line]:
    """Lines `first` to `last` of a session, both included, for what works inside; `number` tells sessions apart.

    Masked, and on no record. Nothing of a session that was erased, and without lines that do not open.
    """
    found: list[Line] = []
    while first <= last:
        lines, following = open_lines(session, first, last)
        if following == first:
            break
        found += [Line(number, line.index, line.role, line.speaker, line.text, line.at) for line in lines]
        first = following
    return found


def open_lines(session: Session, first: int, last: int) -> tuple[list[OpenLine], int]:
    """As many of these lines, from the first on, as 2,000 lines and 4 MB hold; and the index that comes next.

    That is `first` where there are no more lines.
    """
    values = {"session": session.pk, "first": first, "last": min(last, first + _MOST_LINES - 1), "most": _MOST_BYTES}
    rows = fetch(_LINES, values)
    following = rows[-1]["index"] + 1 if rows else first
    if not session.is_phi:
        return [_plain(row) for row in rows], following
    try:
        vault = vault_of(session)
    except KeyDestroyed:
        return [], following
    return [line for row in rows if (line := _opened(vault, row))], following


def text_at(session: Session, index: int) -> str:
    """The masked text of one line; empty where there is none."""
    return next((line.text for line in open_lines(session, index, index)[0]), "") if index >= 0 else ""


def _plain(row: dict[str, Any]) -> OpenLine:
    more = row["more"]
    return OpenLine(**row | {"more": json.loads(more) if isinstance(more, str) else more})


def _opened(vault: Vault, row: dict[str, Any]) -> OpenLine | None:
    try:
        masked = vault.unseal(row["index"], row["sealed"])["masked"]
    except NotOpened:
        return None
    return OpenLine(
        row["index"], row["role"], masked["speaker"], masked["text"], row["at"], masked["more"], row["sealed"]
    )
