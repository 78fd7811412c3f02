"""The page of one line: all of it, what it became, and what is masked in it, for a stated reason."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from common.errors import Invalid, NotFound
from common.rest.query import parsed_query
from common.strict import validated
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.reading import facts_by_id
from memory.layers.api.asking import number_of
from memory.layers.lineage import became
from memory.layers.showing_lines import shown_lines
from memory.layers.showing_rows import rows_of
from memory.sessions.api.sessions import RevealInput
from memory.sessions.models import Session
from memory.sessions.reading import find_session, read_lines
from memory.sessions.revealing import may_reveal, reveal_line
from memory.sessions.rules.document import LAST_INDEX
from spaces.databases.transactions import memory_transaction
from spaces.pages import Here, space_page


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("sessions:read", scoped=True)
def session_line(request: HttpRequest, here: Here, session_id: str, index: str) -> HttpResponse:
    """One line, masked; a POST with a reason shows, this once and on record, what was really said."""
    parsed_query(ScopeQuery, request.GET)
    found, number = find_session(here.bound, session_id), number_of(index, "line", most=LAST_INDEX)
    context: dict[str, Any] = {
        "session": found,
        "session_scope": here.bound.names[found.scope],
        "may_reveal": may_reveal(here.bound, found),
        "reason": request.POST.get("reason", ""),
    }
    status = 200
    if request.method == "POST":
        try:
            given = validated(RevealInput, {"reason": request.POST.get("reason", "")})
            with memory_transaction() as act:
                context["said"] = reveal_line(act, here.bound, session_id, number, given.reason)
        except Invalid as error:
            context["error"], status = error, error.status
    return render(request, "memory/layers/line.html", context | _line(here, found, number), status=status)


def _line(here: Here, session: Session, number: int) -> dict[str, Any]:
    page = read_lines(here.bound, str(session.pk), first=number, limit=1)
    if not page.lines or page.lines[0].index != number:
        raise NotFound("There is no such line.")
    (shown,) = shown_lines(here.bound, session, page.lines, now())
    return {"line": page.lines[0], "shown": shown} | ({} if session.is_phi else _became(here, session, number))


def _became(here: Here, session: Session, number: int) -> dict[str, Any]:
    found = became(here.bound, session.pk, number)
    return {
        "became": rows_of(here.bound, [*found.fragments, *found.events, *found.concepts]),
        "facts": facts_by_id(here.bound, found.facts),
        "forgotten": found.forgotten,
    }
