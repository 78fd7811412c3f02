"""The history of CONTEXT."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from pydantic import Field

from common.errors import NotFound
from common.markdown import as_html
from common.rest.query import QueryModel, parsed_query
from domains import reading
from domains.pages.finding import shown, standing_here
from domains.pages.one import NoQuery
from domains.showing_difference import sides
from spaces.pages import Here, space_page

REVISIONS = 50
LAST = 2**31 - 1
_Number = Annotated[int, Field(ge=1, le=LAST)]


class RevisionsQuery(QueryModel):
    """From which revision on the history is shown."""

    before: _Number | None = None


class DifferenceQuery(QueryModel):
    """Two revisions."""

    earlier: _Number
    later: _Number


@require_safe
@space_page("domain_pages:look", enters=False)
def revisions_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Who rewrote CONTEXT, when and why, the newest first."""
    given = parsed_query(RevisionsQuery, request.GET)
    standing = standing_here(here, domain)
    found = list(reading.revisions_of(standing.domain, before=given.before)[: REVISIONS + 1])
    page = found[:REVISIONS]
    names = reading.authors_of(page)
    context = {
        "rows": [(row, names[f"{row.actor_kind}:{row.actor_id}"], len(row.text.encode())) for row in page],
        "older": page[-1].number if len(found) > REVISIONS else None,
        "is_continued": given.before is not None,
    }
    return shown(request, standing, "revisions", context)


@require_safe
@space_page("domain_pages:look", enters=False)
def revision_page(request: HttpRequest, here: Here, domain: str, number: int) -> HttpResponse:
    """CONTEXT as it was in one revision, and what that changed."""
    parsed_query(NoQuery, request.GET)
    standing = standing_here(here, domain)
    if not 1 <= number <= LAST:
        raise NotFound("There is no such revision.")
    found = reading.find_revision(standing.domain, number)
    before = reading.find_revision(standing.domain, number - 1) if number > 1 else None
    context = {
        "revision": found,
        "author": reading.author_of(found),
        "html": as_html(found.text),
        "before": before,
        "changed": sides(before.text.splitlines(), found.text.splitlines()) if before else None,
    }
    return shown(request, standing, "revision", context)


@require_safe
@space_page("domain_pages:look", enters=False)
def difference_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Two revisions side by side."""
    given = parsed_query(DifferenceQuery, request.GET)
    standing = standing_here(here, domain)
    earlier = reading.find_revision(standing.domain, given.earlier)
    later = reading.find_revision(standing.domain, given.later)
    changed = sides(earlier.text.splitlines(), later.text.splitlines())
    return shown(request, standing, "difference", {"earlier": earlier, "later": later, "changed": changed})
