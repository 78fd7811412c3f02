"""What was found on disk and not taken, for those who keep the domain."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.confirming import require_confirmation
from common.rest.query import parsed_query
from domains import evidence, reading
from domains.pages.finding import shown, standing_here
from domains.pages.one import NoQuery
from domains.showing_evidence import found_content, is_sealed
from spaces.databases.transactions import attempted_here
from spaces.pages import Here, space_page

MOST = 200


@require_safe
@space_page("domain_pages:look", enters=False)
def evidence_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """The newest 200, without what was found."""
    parsed_query(NoQuery, request.GET)
    standing = standing_here(here, domain)
    standing.require_evidence()
    rows = list(reading.evidence_of(standing.domain)[: MOST + 1])
    return shown(request, standing, "evidence", {"rows": rows[:MOST], "is_cut": len(rows) > MOST, "most": MOST})


@require_safe
@space_page("domain_pages:look", enters=False)
def one_page(request: HttpRequest, here: Here, domain: str, number: uuid.UUID) -> HttpResponse:
    """What was found, without anything that may be a value of KEYS; that it was looked at is on record."""
    parsed_query(NoQuery, request.GET)
    standing = standing_here(here, domain)
    standing.require_evidence()
    found = evidence.find(standing.domain, number)
    if is_sealed(found):
        return shown(request, standing, "evidence_one", {"found": found})
    require_confirmation(request)
    content = attempted_here(lambda act: evidence.content_of(act, here.caller, standing.domain, found))
    context = {"found": found, "content": found_content(standing.domain, found, content)}
    return shown(request, standing, "evidence_one", context)
