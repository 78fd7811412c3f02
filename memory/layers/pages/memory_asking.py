"""The query string of the page of memories: what is asked, how its list goes on, and chips that take filters away."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest
from pydantic import Field

from common import cursor
from common.errors import Invalid
from common.times import format_instant, now, parse_instant
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import Chip
from memory.layers.reading import Archived, Key, MemoryPage, MemoryQuery, Sort, checked_key

STRENGTHS: dict[str, tuple[float | None, float | None, str]] = {
    "weak": (None, 0.15, "below 0.15"),
    "middling": (0.15, 0.5, "0.15 to 0.5"),
    "strong": (0.5, None, "0.5 or more"),
}
AGES = {"1": "the last day", "7": "the last 7 days", "30": "the last 30 days", "365": "the last year"}
SORTS: dict[Sort, str] = {
    "newest": "newest first",
    "strongest": "strongest first",
    "weakest": "weakest first",
    "fading": "next to fade first",
}
_CURSOR = frozenset({"of", "at", "sort", "key"})


class MemoryPageQuery(ScopeQuery):
    """The query string; without `layer` the layers stand side by side."""

    layer: Annotated[int, Field(ge=1, le=3)] | None = None
    type: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    strength: Literal["weak", "middling", "strong"] | None = None
    formed: Literal["1", "7", "30", "365"] | None = None
    session: UUID | None = None
    source: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    archived: Archived = "no"
    pinned: Literal["true"] | None = None
    sort: Sort = "newest"
    cursor: str | None = None

    def filters(self) -> list[str | None]:
        """What a cursor of this list belongs to."""
        left_out = {"cursor", "purpose", "tenant"}
        return [
            None if value is None else str(value) for name, value in sorted(vars(self).items()) if name not in left_out
        ]


@dataclass(frozen=True)
class Begun:
    """Where a page of a list begins: behind which row, and the instant at which the whole list is judged."""

    at: datetime
    after: Key | None = None


def begun(given: MemoryPageQuery) -> Begun:
    """Raises Invalid naming `cursor` for one that is broken or belongs to another query."""
    if given.cursor is None:
        return Begun(now())
    position = cursor.decode(given.cursor, expect=_CURSOR)
    if position["of"] != given.filters() or position["sort"] != given.sort:
        raise Invalid("belongs to another query", field="cursor")
    try:
        return Begun(parse_instant(position["at"]), checked_key(given.sort, position["key"]))
    except (TypeError, ValueError) as error:
        raise Invalid("is not a cursor of this list", field="cursor") from error


def next_cursor(given: MemoryPageQuery, page: MemoryPage) -> str | None:
    """The cursor of the page after this one; None at the end."""
    if page.next_key is None:
        return None
    at = format_instant(page.at)
    return cursor.encode({"of": given.filters(), "at": at, "sort": given.sort, "key": list(page.next_key)})


def asked(given: MemoryPageQuery, at: datetime, *, layer: int | None, limit: int) -> MemoryQuery:
    """The query that a page asks of one layer, or of all of them."""
    least, most, _ = STRENGTHS[given.strength] if given.strength else (None, None, "")
    return MemoryQuery(
        layer=layer,
        type=given.type,
        text=given.text,
        min_strength=least,
        max_strength=most,
        formed_from=at - timedelta(days=int(given.formed)) if given.formed else None,
        session=given.session,
        source=given.source,
        archived=given.archived,
        pinned=True if given.pinned else None,
        sort=given.sort,
        limit=limit,
    )


def chips(request: HttpRequest, given: MemoryPageQuery) -> list[Chip]:
    """A chip for each filter that is active, in the order of the form."""
    found = []
    for name, text in _texts(given):
        rest = request.GET.copy()
        for gone in (name, "cursor"):
            rest.pop(gone, None)
        found.append(Chip(text, f"{request.path}?{rest.urlencode()}"))
    return found


def _texts(given: MemoryPageQuery) -> Iterator[tuple[str, str]]:
    said = {
        "type": given.type and f"type {given.type}",
        "text": given.text and f"words “{given.text}”",
        "strength": given.strength and f"strength {STRENGTHS[given.strength][2]}",
        "formed": given.formed and f"formed in {AGES[given.formed]}",
        "session": given.session and f"session {str(given.session)[:8]}",
        "source": given.source and f"source {given.source}",
        "archived": {"no": None, "only": "archived alone", "any": "archived too"}[given.archived],
        "pinned": given.pinned and "pinned",
    }
    yield from ((name, text) for name, text in said.items() if text)
