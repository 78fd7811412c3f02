"""The page of retention: what is due for deletion soon, and the holds that keep it."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from audit.recording import Act
from common.actors import shown_names
from common.errors import Invalid, KndlError
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.holding import DueFact, due_facts, held_facts, lift_hold, place_hold
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal
from spaces.rules import require

HORIZON = timedelta(days=90)
MOST_ROWS = 200


@dataclass(frozen=True)
class Row:
    """A fact with its date and its hold, the name of its scope, and who placed the hold."""

    due: DueFact
    scope: str
    author: str
    is_overdue: bool


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("facts:read", scoped=True)
def retention(request: HttpRequest, here: Here) -> HttpResponse:
    """What is due within 90 days, and what is held; a POST places or lifts a hold."""
    if request.method == "POST":
        require("facts:hold", here.caller, here.space)
        return _acted(request, here)
    parsed_query(ScopeQuery, request.GET)
    return _shown(request, here)


def _acted(request: HttpRequest, here: Here) -> HttpResponse:
    fact_id, reason = request.POST.get("fact", ""), request.POST.get("reason", "")
    acts = {"place": ("Hold placed.", place_hold), "lift": ("Hold lifted.", lift_hold)}
    said, change = acts.get(request.POST.get("act", ""), ("", None))

    def write(act: Act) -> None:
        if change is None:
            raise Invalid("must be place or lift", field="act")
        change(act, here.bound, fact_id, reason)

    try:
        attempted(write)
    except KndlError as error:
        record_refusal(here.caller, here.space, request, error)
        return _shown(request, here, error)
    messages.success(request, said)
    address = reverse("retention_page", args=[here.space.slug])
    return redirect(f"{address}?{urlencode({'scope': here.bound.one.name})}")


def _shown(request: HttpRequest, here: Here, error: KndlError | None = None) -> HttpResponse:
    at = now()
    due = due_facts(here.bound, until=at + HORIZON, most=MOST_ROWS + 1)
    listed = {(item.view.scope, item.view.record.id) for item in due}
    held = [item for item in held_facts(here.bound) if (item.view.scope, item.view.record.id) not in listed]
    names = shown_names(item.hold.placed_by for item in (*due, *held) if item.hold)

    def row(item: DueFact) -> Row:
        return Row(
            item,
            here.bound.names[item.view.scope],
            names[item.hold.placed_by] if item.hold else "",
            item.due_at is not None and item.due_at <= at,
        )

    context: dict[str, Any] = {
        "rows": [row(item) for item in due[:MOST_ROWS]],
        "has_more": len(due) > MOST_ROWS,
        "held": [row(item) for item in held[:MOST_ROWS]],
        "may_hold": rules.test_rule("facts:hold", here.caller, here.space),
        "error": error,
        "given": request.POST,
    }
    return render(request, "memory/retention.html", context, status=error.status if error else 200)
