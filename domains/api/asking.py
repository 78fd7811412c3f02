"""What the routes of domains take: query strings, bodies, cursors."""

from datetime import date
from typing import Annotated

from pydantic import Field, WithJsonSchema

from common import cursor
from common.errors import Invalid
from common.rest.query import QueryModel
from common.strict import Read, StrictModel, VisibleText
from domains.rules import context, keys
from domains.rules import log as log_rules

MOST_ROWS = 500
LONGEST_WAIT = 30  # seconds
_NUMBER = 2_147_483_647

Day = Annotated[date, Read(log_rules.parsed_day), WithJsonSchema({"type": "string", "format": "date"})]
Slug = Annotated[str, Field(min_length=1, max_length=48)]


class MemberInput(StrictModel):
    """A project by its Space and its own short name."""

    space: Slug
    project: Slug


class DomainInput(StrictModel):
    """A domain to be made; `crosses` confirms members of several Spaces."""

    slug: Slug
    name: Annotated[str, VisibleText(1, 120)]
    cross_read: bool = True
    members: Annotated[list[MemberInput], Field(max_length=50)] = []
    crosses: bool = False


class ChangeInput(StrictModel):
    """What of a domain is to change."""

    name: Annotated[str, VisibleText(1, 120)] | None = None
    cross_read: bool | None = None


class MembersInput(StrictModel):
    """Exactly the projects that are to share a domain; `crosses` confirms that they are of several Spaces."""

    members: Annotated[list[MemberInput], Field(max_length=50)]
    crosses: bool = False


class ContextInput(StrictModel):
    """A rewrite of CONTEXT; `confirm` lets it drop more than half of what stands there."""

    text: Annotated[str, Field(max_length=8 * context.LARGEST)]
    note: Annotated[str, Field(max_length=500)] = ""
    confirm: bool = False


class LineInput(StrictModel):
    """One change. The day is today unless it is given; a seat's project is its own."""

    change: Annotated[str, Field(min_length=1, max_length=log_rules.LONGEST)]
    project: Annotated[str, Field(max_length=48)] = ""
    date: Day | None = None


class KeyInput(StrictModel):
    """The value of a key."""

    value: Annotated[str, Field(min_length=1, max_length=keys.LONGEST_VALUE)]


class NoQuery(QueryModel):
    """No parameter at all."""


class DomainListQuery(QueryModel):
    """The query string of the list of domains."""

    retired: Annotated[bool, Field(description="Those that are retired as well.")] = False


class PageQuery(QueryModel):
    """What lists take."""

    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description=f"Rows a page, {MOST_ROWS} at most.")] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


class LogListQuery(PageQuery):
    """The query string of LOG."""

    project: Annotated[str, Field(min_length=1, max_length=48)] | None = None
    begin: Annotated[Day | None, Field(alias="from", description="The first day.")] = None
    end: Annotated[Day | None, Field(alias="to", description="The last day.")] = None
    after: Annotated[int, Field(ge=0, le=_NUMBER, description="Lines behind this number.")] = 0
    wait: Annotated[
        int, Field(ge=0, le=LONGEST_WAIT, description="Seconds to wait for such a line where there is none yet.")
    ] = 0


def place_of(given: PageQuery, kind: str, of: str) -> int | None:
    """The number at which a list goes on; None at its beginning. Raises Invalid for a cursor of another list."""
    if given.cursor is None:
        return None
    position = cursor.decode(given.cursor, expect={"domain", "of", "number"})
    number = position["number"]
    if position["domain"] != kind or position["of"] != of or not isinstance(number, int):
        raise Invalid("is not a cursor of this list", field="cursor")
    return number


def cursor_at(kind: str, of: str, number: int | None) -> str | None:
    """The cursor for a place in a list; None at its end."""
    return None if number is None else cursor.encode({"domain": kind, "of": of, "number": number})
