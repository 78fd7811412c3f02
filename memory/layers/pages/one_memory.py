"""The page of one memory: what it says and rests on, how strong it is, what it became, who was shown it."""

from typing import Annotated, Any

import rules
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe
from pydantic import Field

from common.actors import shown_names
from common.errors import Invalid
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.layers.api.asking import number_of
from memory.layers.governing.correcting import ConceptType
from memory.layers.lineage import Branch, lineage
from memory.layers.showing_lineage import became_of, grouped_links, revisions_of, shown_facts
from memory.layers.showing_rows import Row, rows_of
from memory.layers.showing_strength import ShownStrength, strength_of
from memory.layers.statements import Memory
from memory.layers.tracing import Step, shown_to
from spaces.pages import Here, space_page

MOST_BELOW = 12
MOST_SHOWN_TO = 20
CONCEPT_TYPES: tuple[str, ...] = ConceptType.__args__  # type: ignore[attr-defined]


class OneMemoryQuery(ScopeQuery):
    """Of which scope, and which τ to try."""

    tau: Annotated[float, Field(ge=0.1, le=36_500)] | None = None


@require_safe
@space_page("memory:read", scoped=True)
def one_memory(request: HttpRequest, here: Here, memory_id: str) -> HttpResponse:
    """One memory with everything that hangs on it; 404 for one that is not there for the reader."""
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    error, tau = None, None
    try:
        tau = parsed_query(OneMemoryQuery, request.GET).tau
    except Invalid as refusal:
        error = refusal
    branch = lineage(here.bound, number_of(memory_id, "memory"), most=MOST_BELOW)
    (row,) = rows_of(here.bound, [branch.memory])
    context = {
        "row": row,
        "memory": branch.memory,
        "branch": branch,
        "error": error,
        "tau": request.GET.get("tau", ""),
        "memory_scope": row.scope,
        "may_govern": rules.test_rule("memory:govern", here.caller, here.space),
        "concept_types": CONCEPT_TYPES,
        **_strength(here, branch, tau),
        **_beside(here, branch.memory),
    }
    return render(request, "memory/layers/one_memory.html", context, status=error.status if error else 200)


def _strength(here: Here, branch: Branch, tau: float | None) -> dict[str, Any]:
    shown: ShownStrength = strength_of(branch.memory, branch.history, now(), here.space.zone, tau)
    names = shown_names(step.actor for step in branch.history if step.actor)
    steps: list[tuple[Step, str]] = [(step, names.get(step.actor, "")) for step in reversed(branch.history)]
    return {"strength": shown, "steps": steps}


def _beside(here: Here, memory: Memory) -> dict[str, Any]:
    at = now()
    uses = shown_to(memory, most=MOST_SHOWN_TO)
    readers = shown_names(use["actor"] for use in uses)
    revisions = revisions_of(here.bound, memory, at)
    return {
        "above": became_of(here.bound, memory, at),
        "links": grouped_links(here.bound, memory, at),
        "facts": shown_facts(here.bound, memory),
        "revisions": revisions if len(revisions) > 1 else [],
        "uses": [use | {"actor": readers[use["actor"]]} for use in uses],
        "merged": any(revision.memory.merged_into == memory.id for revision in revisions),
    }


def row_of(here: Here, memory: Memory) -> Row:
    """A memory as a row of a page."""
    (row,) = rows_of(here.bound, [memory])
    return row
