"""The list of the domains of a Space."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from pydantic import Field

from common.rest.query import QueryModel, parsed_query
from domains.showing_list import listed
from spaces.pages import Here, space_page
from spaces.rules import ADMIN, OWNER, owns_instance


class ListQuery(QueryModel):
    """Whether retired domains are listed as well."""

    retired: Annotated[str, Field(pattern=r"\A1?\z")] = ""


@require_safe
@space_page("domain_pages:look", enters=False)
def domains_page(request: HttpRequest, here: Here) -> HttpResponse:
    """The domains that a project of this Space shares."""
    given = parsed_query(ListQuery, request.GET)
    governs = bool(owns_instance.test(here.caller))
    keeps = governs or here.caller.role_in(here.space) in {OWNER, ADMIN}
    rows = listed(here.caller, here.space, retired=bool(given.retired), shows_evidence=keeps)
    context = {"rows": rows, "with_retired": bool(given.retired), "may_govern": governs}
    return render(request, "domains/list.html", context)
