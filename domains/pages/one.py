"""The page of one domain: its three files side by side, its members, and who can read what."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from common.markdown import as_html
from common.rest.query import QueryModel, parsed_query
from domains import reading
from domains.pages.finding import shown, standing_here
from domains.rules.context import LARGEST
from domains.showing_difference import sides
from domains.showing_evidence import evidence_count
from domains.showing_log import LATEST, timeline
from domains.showing_members import member_mounts
from spaces.pages import Here, space_page


class NoQuery(QueryModel):
    """No parameter at all."""


@require_safe
@space_page("domain_pages:look", enters=False)
def domain_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """CONTEXT, the newest of LOG and the names of KEYS; then what each member mounts."""
    parsed_query(NoQuery, request.GET)
    standing = standing_here(here, domain)
    found = standing.domain
    current, *before = (
        reading.revisions_of(found).select_related("domain__git").annotate(kept=evidence_count("domain"))[:2]
    )
    lines = timeline(found, most=LATEST, beside=current)
    context = {
        "current": current,
        "author": lines.author,
        "html": as_html(current.text),
        "size": len(current.text.encode()),
        "limit": LARGEST,
        "warnings": reading.warnings_of(current),
        "before": before[0] if before else None,
        "changed": sides(before[0].text.splitlines(), current.text.splitlines()) if before else None,
        "timeline": lines,
        "keys": reading.keys_of(found),
        "members": member_mounts(found, standing.rows),
        "kinds": reading.SEAT_KINDS,
        "git": getattr(current.domain, "git", None),
        "kept": current.kept,
    }
    return shown(request, standing, "domain", context)


@require_safe
@space_page("domain_pages:look", enters=False)
def access_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Who can read what."""
    parsed_query(NoQuery, request.GET)
    standing = standing_here(here, domain)
    return shown(request, standing, "access", {"rows": reading.access_map(standing.domain)})
