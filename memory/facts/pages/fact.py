"""The page of one fact: what it says, how sure one may be, where it came from, and what stood in its place."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import rules
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from common.actors import shown_names
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import InstantQuery
from memory.facts.holding import hold_on
from memory.facts.pages.filters import exact_address
from memory.facts.pages.instants import fact_axes
from memory.facts.pages.provenance import near_trees
from memory.facts.reading import find_fact, history
from memory.facts.rules.curve import Curve, confidence_curve
from memory.facts.rules.decay import parse_decay
from memory.facts.rules.folder import CONTEXT_PATH
from memory.facts.rules.record import FactRecord, as_document
from memory.facts.views import FactView
from spaces.pages import Here, space_page


@dataclass(frozen=True)
class Step:
    """A fact of the line that leads through this one: when it was written and by whom."""

    view: FactView
    author: str
    is_this: bool


@require_safe
@space_page("facts:read", scoped=True)
def fact(request: HttpRequest, here: Here, fact_id: str) -> HttpResponse:
    """One fact, at the instants of the query string; 404 for one that is not there for the reader."""
    if (exact := exact_address(request, here.space.zone)) is not None:
        return redirect(exact)
    given = parsed_query(InstantQuery, request.GET)
    view = find_fact(here.bound, fact_id, as_of=given.as_of, valid_at=given.valid_at)
    record = view.record
    context: dict[str, Any] = {
        "view": view,
        "record": record,
        "curve": _curve(record, given.valid_at or given.as_of, here.space.zone),
        "steps": _steps(here, view),
        "hold": hold_on(view),
        "fact_scope": here.bound.names[view.scope],
        "as_of": given.as_of,
        "valid_at": given.valid_at,
        "document": json.dumps(exported(view), ensure_ascii=False, indent=2),
        "links_to_source": record.source.startswith("https://"),
        "may_write": rules.test_rule("facts:write", here.caller, here.space),
        "scope_page": reverse("facts_page", args=[here.space.slug]),
        **near_trees(here, view, given.as_of, given.valid_at),
        **fact_axes(here.space.zone, record, given.as_of, given.valid_at),
    }
    response = render(request, "memory/fact.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def exported(view: FactView) -> dict[str, Any]:
    """The fact as an export writes it into its file."""
    return as_document(view.record) if view.file else as_document(view.record, CONTEXT_PATH)


def _curve(record: FactRecord, at: datetime | None, zone: str) -> Curve:
    decay = parse_decay(record.decay) if record.decay else None
    return confidence_curve(record.confidence, decay, record.valid_from, at or now(), ZoneInfo(zone))


def _steps(here: Here, view: FactView) -> list[Step]:
    """The newest first, as a history reads."""
    line = history(here.bound, view)
    names = shown_names(step.recorded_by for step in line)
    return [Step(step, names[step.recorded_by], step.record.id == view.record.id) for step in reversed(line)]
