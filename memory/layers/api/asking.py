"""The query strings of lists of memories, and the cursors that continue one."""

import hashlib
from typing import Annotated
from uuid import UUID

from pydantic import Field

from common import cursor, jsonio
from common.errors import Invalid, NotFound
from common.strict import Instant
from common.times import format_instant, parse_instant
from memory.facts.asking import ScopeQuery
from memory.layers.reading import Archived, Key, MemoryPage, MemoryQuery, Sort, checked_key

MOST_ROWS = 500
_CURSOR = frozenset({"sort", "at", "of", "key"})
_NO_FILTER = {"scope", "tenant", "purpose", "limit", "cursor"}


class PageQuery(ScopeQuery):
    """What every list takes."""

    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description=f"Rows a page, {MOST_ROWS} at most.")] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


class MemoryListQuery(PageQuery):
    """The query string of the list of memories."""

    layer: Annotated[int, Field(ge=1, le=3)] | None = None
    type: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=500, description="All of these words.")] | None = None
    min_strength: Annotated[float, Field(ge=0, le=1)] | None = None
    max_strength: Annotated[float, Field(ge=0, le=1)] | None = None
    formed_from: Instant | None = None
    formed_until: Instant | None = None
    fades_by: Annotated[Instant | None, Field(description="Falls below its threshold by then.")] = None
    session: UUID | None = None
    source: (
        Annotated[
            str, Field(min_length=1, max_length=200, description="What opened the session: an origin or an actor.")
        ]
        | None
    ) = None
    archived: Archived = "no"
    pinned: bool | None = None
    classification: Annotated[str, Field(min_length=1, max_length=16)] | None = None
    as_of: Annotated[Instant | None, Field(description="Memories formed by then, strength at then.")] = None
    sort: Sort = "newest"


class MemoryReadQuery(ScopeQuery):
    """The query string of one memory."""

    as_of: Annotated[Instant | None, Field(description="Strength at then; now, if left out.")] = None
    tau: Annotated[float, Field(ge=0.1, le=36_500, description="Tell what this τ (days) would do.")] | None = None


def continued(given: MemoryListQuery) -> tuple[MemoryQuery, Key | None, MemoryPage | None]:
    """The query, where its page begins, and an empty page at the instant that the cursor carries.

    Raises Invalid naming `cursor` for one that is broken or belongs to another query.
    """
    names = set(MemoryListQuery.model_fields) - _NO_FILTER
    query = MemoryQuery(**{name: getattr(given, name) for name in names}, limit=given.limit)
    if given.cursor is None:
        return query, None, None
    position = cursor.decode(given.cursor, expect=_CURSOR)
    if position["of"] != _fingerprint(given) or position["sort"] != query.sort:
        raise Invalid("belongs to another query", field="cursor")
    try:
        return query, checked_key(query.sort, position["key"]), MemoryPage(parse_instant(position["at"]))
    except (TypeError, ValueError) as error:
        raise Invalid("is not a cursor of this list", field="cursor") from error


def cursor_of(given: MemoryListQuery, page: MemoryPage) -> str | None:
    """The cursor of the page after this one; None at the end."""
    if page.next_key is None:
        return None
    position = {
        "sort": given.sort,
        "at": format_instant(page.at),
        "of": _fingerprint(given),
        "key": list(page.next_key),
    }
    return cursor.encode(position)


def number_of(text: str, what: str, *, most: int = 2**63 - 1) -> int:
    """A number from an address. Raises NotFound for what can be the number of nothing."""
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= most):
        raise NotFound(f"There is no such {what}.")
    return int(text)


def session_of(text: str) -> UUID:
    """The id of a session from an address. Raises NotFound for what is no id."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("There is no such line.") from None


def _fingerprint(given: MemoryListQuery) -> str:
    """What a cursor belongs to: scope and filters, without what does not choose memories."""
    filters = given.model_dump(mode="json", exclude={"cursor", "limit", "purpose"})
    filters["scope"] = given.scope or given.tenant
    return hashlib.sha256(jsonio.dumps(filters).encode()).hexdigest()[:16]
