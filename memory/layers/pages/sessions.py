"""Pages of sessions: the list, and one with its lines and what they became."""

from typing import Annotated, Any

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe
from pydantic import Field

from audit.recording import Act
from common import cursor
from common.errors import Invalid
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.layers.models import Distillation
from memory.layers.pages.memory_addresses import LINES_A_PAGE, session_address
from memory.layers.runs import ask
from memory.layers.showing_counts import session_counts
from memory.layers.showing_lines import open_run, shown_lines
from memory.layers.tasks import send
from memory.sessions.reading import find_session, list_sessions, read_lines, withheld_sessions
from memory.sessions.revealing import may_reveal
from memory.sessions.rules.document import LAST_INDEX
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page

ROWS = 60


class SessionsQuery(ScopeQuery):
    """Which page of the list."""

    cursor: str | None = None


class SessionQuery(ScopeQuery):
    """The first line to show."""

    from_index: Annotated[int, Field(ge=0, le=LAST_INDEX)] = 0


@require_safe
@space_page("sessions:read", scoped=True)
def sessions(request: HttpRequest, here: Here) -> HttpResponse:
    """The sessions of the bound scopes, the newest activity first."""
    given = parsed_query(SessionsQuery, request.GET)
    after = cursor.decode(given.cursor, expect={"at", "id", "of"}) if given.cursor else None
    page = list_sessions(here.bound, limit=ROWS, after=after)
    names = here.bound.names
    at_the_end = page.next_position is None
    context: dict[str, Any] = {
        "rows": [(session, names[session.scope]) for session in page.sessions],
        "counts": session_counts(here.bound),
        "withheld": withheld_sessions(here.bound) if at_the_end and here.bound.sees_redactions else [],
        "is_continued": given.cursor is not None,
        "next": cursor.encode(page.next_position | {"of": "sessions"}) if page.next_position else None,
        "may_write": rules.test_rule("sessions:write", here.caller, here.space),
    }
    response = render(request, "memory/layers/sessions.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
@space_page("sessions:read", scoped=True)
def session(request: HttpRequest, here: Here, session_id: str) -> HttpResponse:
    """One session: its lines, masked, and what each of them became; 404 for one that is not there for the reader."""
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    given = parsed_query(SessionQuery, request.GET)
    found = find_session(here.bound, session_id)
    page = read_lines(here.bound, session_id, first=given.from_index, limit=LINES_A_PAGE)
    context: dict[str, Any] = {
        "session": found,
        "session_scope": here.bound.names[found.scope],
        "lines": shown_lines(here.bound, found, page.lines, now()),
        "first": given.from_index,
        "previous": max(given.from_index - LINES_A_PAGE, 0) if given.from_index else None,
        "next": page.next_index,
        "waiting": found.line_count - found.distilled_until,
        "run": open_run(found),
        "may_reveal": may_reveal(here.bound, found),
        "may_distil": rules.test_rule("memory:write", here.caller, here.space),
        "may_govern": rules.test_rule("memory:govern", here.caller, here.space),
    }
    return render(request, "memory/layers/session.html", context)


@require_POST
@space_page("memory:write", scoped=True)
def distil_session(request: HttpRequest, here: Here, session_id: str) -> HttpResponse:
    """Ask for a run over one session: over what waits, or over all its lines once more."""
    found = find_session(here.bound, session_id)
    again = request.POST.get("act") == "again"
    if not again and request.POST.get("act") != "now":
        raise Invalid("Say what is to be done.")

    def write(act: Act) -> Distillation:
        trigger = Distillation.Trigger.MANUAL
        return ask(act, here.bound.one.pk, here.caller.actor, trigger, session=found.pk, again=again)

    run = attempted(write)
    send(here.space.pk, run.pk)
    messages.success(request, f"Asked for: {'all its lines once more' if again else 'what waits'} will be distilled.")
    return redirect(session_address(here.space.slug, here.bound.one.name, str(found.pk)))
