"""The query string of a list of contradictions, for REST and the inbox alike; and the cursors that continue it."""

import hashlib
from dataclasses import replace
from typing import Annotated
from uuid import UUID

from pydantic import Field

from common import cursor
from common.errors import Invalid
from common.strict import Instant
from common.times import format_instant, parse_instant
from memory.facts.asking import MOST_ROWS, ScopeQuery
from memory.facts.contradictions import ContradictionPage, ContradictionQuery, Key

_CURSOR = frozenset({"as_of", "of", "key"})


class ContradictionListQuery(ScopeQuery):
    """The query string of the list."""

    subject: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    predicate: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    as_of: Annotated[Instant, Field(description="As it was known, and stood, at this instant.")] | None = None
    include_dismissed: bool = False
    limit: Annotated[int, Field(ge=1, description=f"Conflicts a page, {MOST_ROWS:,} at most.")] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


def continued(given: ContradictionListQuery) -> tuple[ContradictionQuery, Key | None]:
    """The query, and where its page begins. Raises Invalid naming `cursor` for a broken one or another query's."""
    query = ContradictionQuery(
        subject=given.subject,
        predicate=given.predicate,
        as_of=given.as_of,
        include_dismissed=given.include_dismissed,
        limit=min(given.limit, MOST_ROWS),
    )
    if given.cursor is None:
        return query, None
    position = cursor.decode(given.cursor, expect=_CURSOR)
    if position["of"] != _fingerprint(given):
        raise Invalid("belongs to another query", field="cursor")
    try:
        scope, sealed, subject, predicate, claim = position["key"]
        key = (int(scope), bool(sealed), str(subject), str(predicate), str(UUID(str(claim))))
        as_of = None if position["as_of"] is None else parse_instant(position["as_of"])
    except (TypeError, ValueError, AttributeError) as error:
        raise Invalid("is not a cursor of this list", field="cursor") from error
    return replace(query, as_of=as_of), key


def cursor_of(given: ContradictionListQuery, page: ContradictionPage) -> str | None:
    """The cursor of the page after this one; None on the last."""
    if page.next_key is None:
        return None
    as_of = None if given.as_of is None else format_instant(given.as_of)
    return cursor.encode({"as_of": as_of, "of": _fingerprint(given), "key": list(page.next_key)})


def _fingerprint(given: ContradictionListQuery) -> str:
    parts = (given.scope or given.tenant, given.subject, given.predicate, given.include_dismissed, str(given.as_of))
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
