"""The page of distillation: its runs, what waits, and asking for a run."""

from typing import Any, Literal
from urllib.parse import urlencode
from uuid import UUID

import rules
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from common.rest.query import parsed_query
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.layers.api.distillations import find_run
from memory.layers.models import Distillation
from memory.layers.runs import ask
from memory.layers.settings import layer_settings
from memory.layers.showing_counts import session_counts
from memory.layers.showing_runs import runs_of, shown_runs
from memory.layers.tasks import send
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page

ROWS = 30
STATES = {"pending": "waiting", "running": "running", "failed": "failed", "done": "done"}


class RunsQuery(ScopeQuery):
    """Runs of which state, those asked for before which one, and whether the page looks again by itself."""

    state: Literal["pending", "running", "done", "failed"] | None = None
    before: UUID | None = None
    live: Literal["no"] | None = None


@require_safe
@space_page("memory:read", scoped=True)
def distillation(request: HttpRequest, here: Here) -> HttpResponse:
    """The runs of the bound scopes, the latest first."""
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    given = parsed_query(RunsQuery, request.GET)
    before = find_run(here.bound, given.before) if given.before else None
    found = runs_of(here.bound, state=given.state, before=before, limit=ROWS + 1)
    rows = shown_runs(here.bound, found[:ROWS])
    said = layer_settings()
    context: dict[str, Any] = {
        "given": given,
        "states": STATES,
        "rows": rows,
        "next": str(found[ROWS - 1].pk) if len(found) > ROWS else None,
        "is_live": given.live is None and any(row.is_open for row in rows),
        "has_open": any(row.is_open for row in rows),
        "waiting": session_counts(here.bound),
        "settings": said,
        "distiller": said.distiller or settings.KNDL.distiller,
        "may_distil": rules.test_rule("memory:write", here.caller, here.space),
        "may_undo": rules.test_rule("memory:govern", here.caller, here.space),
    }
    response = render(request, "memory/layers/distillation.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_POST
@space_page("memory:write", scoped=True)
def distillation_ask(request: HttpRequest, here: Here) -> HttpResponse:
    """Ask for a run over everything that waits in the bound scope."""
    scope = here.bound.one.pk
    run = attempted(lambda act: ask(act, scope, here.caller.actor, Distillation.Trigger.MANUAL))
    send(here.space.pk, run.pk)
    messages.success(request, "Asked for: what waits in this scope will be distilled.")
    return redirect(distillation_address(here))


def distillation_address(here: Here) -> str:
    """The page of runs, in the bound scope."""
    query = urlencode({"scope": "*" if here.bound.every else here.bound.one.name})
    return f"{reverse('distillation_page', args=[here.space.slug])}?{query}"
