"""The page of one fact: what it says, how sure one may be, where it came from, and what stood in its place."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import rules
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from common.actors import shown_names
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import InstantQuery
from memory.facts.curve import Curve, confidence_curve
from memory.facts.decay import parse_decay
from memory.facts.folder import CONTEXT_PATH
from memory.facts.reading import facts_by_id, find_fact, history
from memory.facts.record import FactRecord, as_document
from memory.facts.views import FactView
from spaces.pages import Here, space_page

MOST_PARENTS = 100


@dataclass(frozen=True)
class Parent:
    """A fact that this one was derived from; `view` is None when it is not here, or not for this reader."""

    id: str
    view: FactView | None


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
    given = parsed_query(InstantQuery, request.GET)
    view = find_fact(here.bound, fact_id, as_of=given.as_of, valid_at=given.valid_at)
    record = view.record
    context: dict[str, Any] = {
        "view": view,
        "record": record,
        "curve": _curve(record, given.valid_at or given.as_of, here.space.zone),
        "steps": _steps(here, view),
        "parents": _parents(here, view),
        "more_parents": len(record.derived_from) - MOST_PARENTS,
        "fact_scope": here.bound.names[view.scope],
        "as_of": given.as_of,
        "valid_at": given.valid_at,
        "document": json.dumps(exported(view), ensure_ascii=False, indent=2),
        "links_to_source": record.source.startswith("https://"),
        "may_write": rules.test_rule("facts:write", here.caller, here.space),
        "scope_page": reverse("facts_page", args=[here.space.slug]),
    }
    return render(request, "memory/fact.html", context)


def exported(view: FactView) -> dict[str, Any]:
    """The fact as an export writes it into its file."""
    return as_document(view.record) if view.file else as_document(view.record, CONTEXT_PATH)


def _curve(record: FactRecord, at: datetime | None, zone: str) -> Curve:
    decay = parse_decay(record.decay) if record.decay else None
    return confidence_curve(record.confidence, decay, record.valid_from, at or now(), ZoneInfo(zone))


def _parents(here: Here, view: FactView) -> list[Parent]:
    ids = view.record.derived_from[:MOST_PARENTS]
    found = facts_by_id(here.bound, ids) if ids else []
    known = {parent.record.id: parent for parent in found if parent.scope == view.scope}
    return [Parent(fact_id, known.get(fact_id)) for fact_id in ids]


def _steps(here: Here, view: FactView) -> list[Step]:
    """The newest first, as a history reads."""
    line = history(here.bound, view)
    names = shown_names(step.recorded_by for step in line)
    return [Step(step, names[step.recorded_by], step.record.id == view.record.id) for step in reversed(line)]
