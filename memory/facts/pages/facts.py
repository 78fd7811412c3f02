"""The page of facts: the list that REST gives, as a table that one can ask."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import rules
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from common.errors import Invalid, KndlError, Unprocessable
from common.rest.query import parsed_query
from common.times import parse_instant
from memory.facts.asking import FactListQuery, continued, cursor_of
from memory.facts.pages.filters import chips, exact_address
from memory.facts.pages.instants import scope_axes
from memory.facts.reading import FactPage, FactQuery, query_facts
from memory.facts.rules.document import CLASSIFICATIONS
from memory.facts.views import FactView
from memory.phi.withholding import withheld_from
from spaces.pages import Here, space_page

MOST_ROWS = 100
BANDS = ("usable", "uncertain", "stale")


@dataclass(frozen=True)
class Row:
    """A fact of the table, and the name of its scope."""

    view: FactView
    scope: str


@require_safe
@space_page("facts:read", scoped=True)
def facts(request: HttpRequest, here: Here) -> HttpResponse:
    """The facts of the bound scopes that the query string asks for; 400 or 422 and the reason when it can't be."""
    if (exact := exact_address(request, here.space.zone)) is not None:
        return redirect(exact)
    context: dict[str, Any] = {
        "bands": BANDS,
        "classifications": CLASSIFICATIONS,
        "may_write": rules.test_rule("facts:write", here.caller, here.space),
        "may_import": rules.test_rule("facts:import", here.caller, here.space),
    }
    status = 200
    try:
        context |= _found(request, here)
    except (Invalid, Unprocessable) as error:
        context |= _refused(request, here, error)
        status = error.status
    response = render(request, "memory/facts.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _found(request: HttpRequest, here: Here) -> dict[str, Any]:
    given = parsed_query(FactListQuery, request.GET)
    query, after = continued(given)
    query = replace(query, limit=min(query.limit, MOST_ROWS))
    page = query_facts(here.bound, query, after)
    names = here.bound.names
    return scope_axes(here, given.as_of, given.valid_at) | {
        "page": page,
        "rows": [Row(view, names[view.scope]) for view in page.facts],
        "chips": chips(request, given, here.space.zone),
        "withheld": withheld_from(here.bound, query, page),
        "order": query.chosen_order(),
        "is_continued": after is not None,
        "next": _next(page, query, given),
        "link_as_of": given.as_of,
        "link_valid_at": given.valid_at,
    }


def _next(page: FactPage, query: FactQuery, given: FactListQuery) -> str | None:
    return cursor_of(given, query, page.as_of, page.valid_at, page.next_key) if page.next_key else None


def _refused(request: HttpRequest, here: Here, error: KndlError) -> dict[str, Any]:
    """The form as it was filled in, with what is wrong in it."""
    as_of, valid_at = (_instant(request.GET.get(name, "")) for name in ("as_of", "valid_at"))
    return scope_axes(here, as_of, valid_at) | {"error": error, "refused": {fault.field for fault in error.errors}}


def _instant(text: str) -> datetime | None:
    try:
        return parse_instant(text)
    except ValueError:
        return None
