"""The query string of a list of facts, the same for REST and for pages; and the cursors that continue one."""

import hashlib
from datetime import datetime
from typing import Annotated

from pydantic import Field

from common import cursor, jsonio
from common.errors import Invalid
from common.rest.query import QueryModel
from common.strict import Instant
from common.times import format_instant, parse_instant
from memory.facts.reading import FactQuery
from memory.facts.rules.confidence import Band
from memory.facts.rules.document import Classification
from memory.facts.statements import ORDERS, Key, Order

MOST_ROWS = 1_000
_CURSOR = frozenset({"order", "as_of", "valid_at", "of", "key"})


class ScopeQuery(QueryModel):
    """What every route of memory takes."""

    scope: Annotated[str, Field(description="The scope's name, or * for all the caller may see.")] | None = None
    tenant: Annotated[str, Field(description="The same as `scope`.")] | None = None
    purpose: Annotated[str, Field(description="What the reader acts for; PHI is released by purpose.")] | None = None


class InstantQuery(ScopeQuery):
    """The two axes of time."""

    as_of: Annotated[Instant, Field(description="When it was known; now, if left out.")] | None = None
    valid_at: Annotated[Instant, Field(description="When it was true; `as_of`, if left out.")] | None = None


class FactListQuery(InstantQuery):
    """The query string of the list."""

    subject: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    predicate: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=1_000, description="All of these words.")] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1, description="Least effective confidence.")] | None = None
    band: Band | None = None
    classification: Classification | None = None
    include_superseded: bool = False
    include_expired: bool = False
    order: Order | None = None
    limit: Annotated[int, Field(ge=1, description=f"Rows a page, {MOST_ROWS:,} at most.")] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


def continued(given: FactListQuery) -> tuple[FactQuery, Key | None]:
    """The query, and where its page begins; a cursor carries the instants and the order it was made for.

    Raises Invalid naming `cursor` for one that is broken or belongs to another query.
    """
    names = given.model_fields_set - {"cursor", "purpose", "scope", "tenant", "limit"}
    query = FactQuery(**{name: getattr(given, name) for name in names}, limit=min(given.limit, MOST_ROWS))
    if given.cursor is None:
        return query, None
    position = cursor.decode(given.cursor, expect=_CURSOR)
    if position["of"] != _fingerprint(query, given) or position["order"] != query.chosen_order():
        raise Invalid("belongs to another query", field="cursor")
    try:
        instants = {name: parse_instant(position[name]) for name in ("as_of", "valid_at")}
        key = ORDERS[query.chosen_order()].checked(position["key"])
    except (TypeError, ValueError) as error:
        raise Invalid("is not a cursor of this list", field="cursor") from error
    if any(getattr(given, name) not in (None, instant) for name, instant in instants.items()):
        raise Invalid("belongs to another query", field="cursor")
    return FactQuery(**{**vars(query), **instants}), key


def cursor_of(given: FactListQuery, query: FactQuery, as_of: datetime, valid_at: datetime, key: Key) -> str:
    """The cursor of the page after the row with `key`, at the instants that this page was judged at."""
    return cursor.encode(
        {
            "order": query.chosen_order(),
            "as_of": format_instant(as_of),
            "valid_at": format_instant(valid_at),
            "of": _fingerprint(query, given),
            "key": list(key),
        }
    )


def _fingerprint(query: FactQuery, given: FactListQuery) -> str:
    """What a cursor belongs to: scope and filters, without what it carries itself and without the size of a page."""
    left_out = {"as_of", "valid_at", "limit", "order"}
    filters = {name: value for name, value in vars(query).items() if name not in left_out}
    filters["scope"] = given.scope or given.tenant
    return hashlib.sha256(jsonio.dumps(filters).encode()).hexdigest()[:16]
