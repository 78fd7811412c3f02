"""Forgetting: what it reaches is shown first, then a person confirms, then there is a receipt."""

import hashlib
from typing import Annotated, Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from pydantic import Field

from audit.recording import Act
from common.actors import shown_names
from common.errors import Conflict, Invalid, KndlError
from common.rest.query import parsed_query
from common.strict import validated
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.facts.reading import facts_by_id
from memory.layers.governing.choosing import ForgetInput, also_elsewhere, chosen_ids, whole_sessions
from memory.layers.governing.forgetting import Reach, forget, reach_of
from memory.layers.reading import find_memory
from memory.layers.showing_receipts import find_receipt
from memory.layers.showing_rows import Row, rows_of
from memory.layers.statements import memories_by_id
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal

MOST_NAMED = 30
CHOICES = ("ids", "session", "source", "person")


class ForgetQuery(ScopeQuery):
    """What to forget: ids with dots between them, or all that came from one session, source or person."""

    ids: Annotated[str, Field(max_length=8_000, pattern=r"\A[0-9]{1,19}(\.[0-9]{1,19}){0,999}\z")] | None = None
    session: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    source: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    person: Annotated[str, Field(min_length=1, max_length=200)] | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("memory:govern", scoped=True)
def memory_forget(request: HttpRequest, here: Here) -> HttpResponse:
    """Show what would go; a POST makes it go, unless more hangs on it by then than was shown."""
    if request.method != "POST" and (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    context: dict[str, Any] = {}
    try:
        given = _given(request)
        if given is not None:
            ids = _there(here, given)
            reach = reach_of(here.bound, ids)
            if request.method == "POST":
                return _forgotten(request, here, given, reach)
            context |= _shown(here, given, reach)
    except (Invalid, Conflict) as error:
        return _refused(request, here, context, error)
    return render(request, "memory/layers/forget.html", context)


@require_safe
@space_page("memory:read", scoped=True)
def memory_forgotten(request: HttpRequest, here: Here, receipt: str) -> HttpResponse:
    """The receipt of what was forgotten."""
    found = find_receipt(here.bound, receipt)
    layers = {int(layer): count for layer, count in found.stated.get("layers", {}).items()}
    context = {"receipt": found, "layers": layers, "actor": shown_names([found.actor])[found.actor]}
    return render(request, "memory/layers/forgotten.html", context)


def _given(request: HttpRequest) -> ForgetInput | None:
    """What is to be forgotten; None while nothing is named."""
    query = parsed_query(ForgetQuery, request.GET)
    chosen: dict[str, Any] = {name: getattr(query, name) for name in CHOICES if getattr(query, name) is not None}
    if not chosen:
        return None
    if query.ids is not None:
        chosen["ids"] = [int(text) for text in query.ids.split(".")]
    if request.method == "POST" and request.POST.get("reason", "").strip():
        chosen["reason"] = request.POST["reason"]
    return validated(ForgetInput, chosen)


def _there(here: Here, given: ForgetInput) -> list[int]:
    """The chosen memories. Raises NotFound when one that was named is not there."""
    ids = chosen_ids(here.bound, given)
    if given.ids is not None:
        there = memories_by_id(here.bound, ids, now())
        for number in ids:
            if number not in there:
                find_memory(here.bound, number)
    return ids


def _shown(here: Here, given: ForgetInput, reach: Reach) -> dict[str, Any]:
    named = memories_by_id(here.bound, [*reach.asked[:MOST_NAMED], *reach.orphans[:MOST_NAMED]], now())
    staying = memories_by_id(here.bound, reach.staying[:MOST_NAMED], now())
    return {
        "given": given,
        "reach": reach,
        "going": _rows(here, reach.asked, named),
        "orphans": _rows(here, reach.orphans, named),
        "staying": _rows(here, reach.staying, staying),
        "facts": facts_by_id(here.bound, reach.facts[:MOST_NAMED]),
        "elsewhere": len(also_elsewhere(here.bound, given)),
        "whole": given.session is not None or given.source is not None,
        "seen": _sight_of(reach),
        "layers": sorted(reach.layers.items()),
        "most_named": MOST_NAMED,
    }


def _rows(here: Here, ids: list[int], found: dict[int, Any]) -> list[Row]:
    return rows_of(here.bound, [found[number] for number in ids[:MOST_NAMED] if number in found])


def _sight_of(reach: Reach) -> str:
    """By what a confirmation is known to mean what was shown."""
    return hashlib.sha256(repr((reach.all, reach.staying)).encode()).hexdigest()[:32]


def _forgotten(request: HttpRequest, here: Here, given: ForgetInput, reach: Reach) -> HttpResponse:
    if request.POST.get("seen") != _sight_of(reach):
        raise Conflict("What hangs on it has changed meanwhile. Look again before you confirm.")

    def write(act: Act) -> str:
        return forget(
            act,
            here.bound,
            reach.asked,
            now(),
            reason=given.reason,
            more=whole_sessions(here.bound, given),
            elsewhere=also_elsewhere(here.bound, given),
        )

    receipt = attempted(write)
    query = urlencode({"scope": here.bound.one.name})
    return redirect(f"{reverse('memory_forgotten', args=[here.space.slug, receipt])}?{query}")


def _refused(request: HttpRequest, here: Here, context: dict[str, Any], error: KndlError) -> HttpResponse:
    record_refusal(here.caller, here.space, request, error)
    return render(request, "memory/layers/forget.html", context | {"error": error}, status=error.status)
