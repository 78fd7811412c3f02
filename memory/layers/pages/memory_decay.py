"""The page of decay: what the next pass will take, what the last ones took, and a person's say."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe
from pydantic import Field

from accounts.confirming import require_confirmation
from audit.recording import Act
from common.actors import shown_names
from common.errors import Conflict, Invalid, NotFound
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.layers.decay import approve_pass, next_pass_at, refuse_pass, undo_pass
from memory.layers.models import DecayPass
from memory.layers.pages.memory_acts import refused
from memory.layers.pages.memory_asking import MemoryPageQuery, asked, begun, next_cursor
from memory.layers.reading import count_memories, query_memories
from memory.layers.settings import layer_settings, thresholds
from memory.layers.showing_counts import MOST, bounded
from memory.layers.showing_rows import rows_of
from spaces.access import Caller
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page

ROWS = 60
PASSES = 20
Decide = Callable[[Act, Caller, date, datetime], DecayPass]
_DECISIONS: dict[str, tuple[Decide, str]] = {
    "approve": (approve_pass, "The pass went on: what was below its threshold is archived."),
    "refuse": (refuse_pass, "Nothing was archived on that date."),
    "undo": (undo_pass, "Restored what the pass had archived, at a strength of 0.5 at least."),
}


class DecayQuery(ScopeQuery):
    """Of which layer, and which page."""

    layer: Annotated[int, Field(ge=1, le=2)] | None = None
    cursor: str | None = None


@require_safe
@space_page("memory:read", scoped=True)
def decay(request: HttpRequest, here: Here) -> HttpResponse:
    """What the next pass takes in the bound scopes, and the latest passes of the Space."""
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    passes = list(DecayPass.objects.order_by("-date")[:PASSES])
    names = shown_names(row.decided_by for row in passes if row.decided_by)
    context: dict[str, Any] = {
        "passes": [(row, _archived(row), names.get(row.decided_by, "")) for row in passes],
        "stopped": next((row for row in passes[:1] if row.state == DecayPass.State.STOPPED), None),
        "next_pass_at": next_pass_at(here.space, now()),
        "limits": sorted(thresholds(layer_settings()).items()),
        "may_decide": rules.test_rule("layers:govern", here.caller, here.space),
    }
    status = 200
    try:
        context |= _going(request, here, context["next_pass_at"])
    except Invalid as error:
        context |= {"error": error}
        status = error.status
    response = render(request, "memory/layers/decay.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_POST
@space_page("layers:govern")
def decay_decide(request: HttpRequest, here: Here) -> HttpResponse:
    """Let a stopped pass go on or not, or undo one, over the whole Space.

    Whoever decides has just proved that it is them.
    """
    require_confirmation(request)
    try:
        decide, said = _decision(request.POST.get("act", ""))
        day = _day(request.POST.get("date", ""))
        attempted(lambda act: decide(act, here.caller, day, now()))
    except (Invalid, Conflict, NotFound) as error:
        refused(request, here, error)
    else:
        messages.success(request, said)
    back = urlencode({"scope": request.POST.get("scope", "*")})
    return redirect(f"{reverse('decay_page', args=[here.space.slug])}?{back}")


def _going(request: HttpRequest, here: Here, at: datetime) -> dict[str, Any]:
    given = parsed_query(DecayQuery, request.GET)
    listed = MemoryPageQuery(scope=given.scope, layer=given.layer, sort="fading", cursor=given.cursor)
    start = begun(listed)
    query = replace(asked(listed, start.at, layer=given.layer, limit=ROWS), fades_by=at)
    page = query_memories(here.bound, query, start.after, at=start.at)
    counts = count_memories(here.bound, replace(query, layer=None), at=start.at, most=MOST)
    return {
        "given": given,
        "rows": rows_of(here.bound, page.memories),
        "counts": [(layer, bounded(counts.get(layer, 0))) for layer in (1, 2)],
        "next": next_cursor(listed, page),
        "is_continued": given.cursor is not None,
    }


def _archived(row: DecayPass) -> list[tuple[int, int]]:
    return sorted((int(layer), count) for layer, count in row.archived.items())


def _decision(act: str) -> tuple[Decide, str]:
    if act not in _DECISIONS:
        raise Invalid("Say what is to be done.")
    return _DECISIONS[act]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise NotFound("There was no decay pass on this date.") from None
