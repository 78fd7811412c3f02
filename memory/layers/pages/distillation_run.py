"""The page of one run: what it took, what it made, why it failed; trying it again, and undoing it."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from common.actors import shown_names
from common.errors import Unprocessable
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.layers.api.distillations import find_run
from memory.layers.models import Distillation
from memory.layers.pages.memory import LAYERS
from memory.layers.pages.memory_acts import refused
from memory.layers.runs import retry
from memory.layers.showing_rows import rows_of
from memory.layers.showing_runs import made_by, shown_runs, taken_by
from memory.layers.showing_undo import undo_reach
from memory.layers.tasks import send
from memory.layers.undoing import undo_run
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page


@require_safe
@space_page("memory:read", scoped=True)
def distillation_run(request: HttpRequest, here: Here, run_id: UUID) -> HttpResponse:
    """One run; 404 for one of another scope."""
    parsed_query(ScopeQuery, request.GET)
    run, at = find_run(here.bound, run_id), now()
    made = made_by(here.bound, run, at)
    shown = shown_runs(here.bound, [run])[0]
    context: dict[str, Any] = {
        "shown": shown,
        "run": run,
        "ranges": taken_by(here.bound, run),
        "made": made,
        "formed": [
            (LAYERS[layer][0], rows_of(here.bound, memories), made.counts.get(layer, 0))
            for layer, memories in made.formed.items()
            if memories
        ],
        "reinforced": rows_of(here.bound, made.reinforced),
        "undone_by": shown_names([run.undone_by])[run.undone_by] if run.undone_at else "",
        "may_distil": rules.test_rule("memory:write", here.caller, here.space),
        "may_undo": _may_undo(here, run),
    }
    response = render(request, "memory/layers/distillation_run.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_POST
@space_page("memory:write", scoped=True)
def distillation_retry(request: HttpRequest, here: Here, run_id: UUID) -> HttpResponse:
    """Try a failed run now."""
    try:
        run = attempted(lambda act: retry(act, here.caller.actor, run_id, here.bound.scope_ids))
    except Unprocessable as error:
        refused(request, here, error)
    else:
        send(here.space.pk, run.pk)
        messages.success(request, "It is tried again now.")
    return redirect(run_address(here, run_id))


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("memory:govern", scoped=True)
def distillation_undo(request: HttpRequest, here: Here, run_id: UUID) -> HttpResponse:
    """What undoing a run takes back; a POST does it."""
    run = find_run(here.bound, run_id)
    if request.method == "POST":
        try:
            gone = attempted(lambda act: undo_run(act, here.bound, run_id))
        except Unprocessable as error:
            refused(request, here, error)
        else:
            messages.success(request, f"Undone: {gone['memories']} memories taken back.")
        return redirect(run_address(here, run_id))
    parsed_query(ScopeQuery, request.GET)
    context = {
        "shown": shown_runs(here.bound, [run])[0],
        "run": run,
        "reach": undo_reach(run),
        "may_undo": _may_undo(here, run),
    }
    return render(request, "memory/layers/distillation_undo.html", context)


def run_address(here: Here, run_id: UUID) -> str:
    """The page of a run, in the bound scope."""
    query = urlencode({"scope": "*" if here.bound.every else here.bound.one.name})
    return f"{reverse('distillation_run', args=[here.space.slug, run_id])}?{query}"


def _may_undo(here: Here, run: Distillation) -> bool:
    """Whether it ended and was not undone, and the reader, who looks at one scope, may."""
    ended = run.state in (Distillation.State.DONE, Distillation.State.FAILED) and run.undone_at is None
    return ended and not here.bound.every and rules.test_rule("memory:govern", here.caller, here.space)
