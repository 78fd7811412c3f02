"""Provenance as a picture and a table: where a fact comes from, and what depends on it."""

from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from pydantic import Field

from common.rest.query import parsed_query
from common.times import format_instant
from memory.facts.asking import InstantQuery
from memory.facts.pages.tree import Direction, Tree, tree_of
from memory.facts.provenance import DEEPEST, DEFAULT_DEPTH, Node, Provenance, derived, provenance
from memory.facts.reading import find_fact
from memory.facts.views import FactView
from spaces.pages import Here, space_page

DEPTHS = (1, 2, 4, DEFAULT_DEPTH, 16, 32, DEEPEST)
# A hundred make a page of moderate size; more are drawn on demand.
DRAWN, MOST_DRAWN = 100, 200
SIZES = (50, DRAWN, MOST_DRAWN)
# On the page of the fact itself: what stands next to it.
NEAR_DEPTH, MOST_NEAR = 3, 40


class TreeQuery(InstantQuery):
    """How far to walk, at which instants."""

    max_depth: Annotated[int, Field(ge=0, le=DEEPEST)] = DEFAULT_DEPTH
    most: Annotated[int, Field(ge=1, le=MOST_DRAWN)] = DRAWN


@require_safe
@space_page("facts:read", scoped=True)
def provenance_page(request: HttpRequest, here: Here, fact_id: str) -> HttpResponse:
    """Where one fact comes from; 404 for one that is not there for the reader."""
    return provenance_shown(request, here, fact_id, "up")


@require_safe
@space_page("facts:read", scoped=True)
def derived_page(request: HttpRequest, here: Here, fact_id: str) -> HttpResponse:
    """What was derived from one fact, and from that."""
    return provenance_shown(request, here, fact_id, "down")


def near_trees(here: Here, view: FactView, as_of: datetime | None, valid_at: datetime | None) -> dict[str, Any]:
    """What the fact's own page shows of both directions, as a part of its context."""
    bounds: dict[str, Any] = {"as_of": as_of, "valid_at": valid_at, "most": MOST_NEAR, "root": view}
    found = provenance(here.bound, view.record.id, max_depth=NEAR_DEPTH, **bounds)
    dependents = derived(here.bound, view.record.id, max_depth=NEAR_DEPTH, **bounds)
    return {
        "tree": _tree(here, view, "up", found, as_of, valid_at),
        "dependents": _tree(here, view, "down", dependents, as_of, valid_at),
    }


def provenance_shown(request: HttpRequest, here: Here, fact_id: str, direction: Direction) -> HttpResponse:
    """The page of one direction."""
    given = parsed_query(TreeQuery, request.GET)
    view = find_fact(here.bound, fact_id, as_of=given.as_of, valid_at=given.valid_at)
    walk = provenance if direction == "up" else derived
    found = walk(
        here.bound,
        fact_id,
        max_depth=given.max_depth,
        as_of=given.as_of,
        valid_at=given.valid_at,
        most=given.most,
        root=view,
    )
    context: dict[str, Any] = {
        "view": view,
        "record": view.record,
        "tree": _tree(here, view, direction, found, given.as_of, given.valid_at),
        "direction": direction,
        "fact_scope": here.bound.names[view.scope],
        "max_depth": given.max_depth,
        "depths": sorted({*DEPTHS, given.max_depth}),
        "most": given.most,
        "sizes": sorted({*SIZES, given.most}),
        "as_of": given.as_of,
        "valid_at": given.valid_at,
    }
    return render(request, "memory/provenance.html", context)


def _tree(
    here: Here,
    view: FactView,
    direction: Direction,
    found: Provenance,
    as_of: datetime | None,
    valid_at: datetime | None,
) -> Tree:
    scope = here.bound.names[view.scope]
    instants = {name: format_instant(at) for name, at in (("as_of", as_of), ("valid_at", valid_at)) if at is not None}

    def address(node: Node) -> str | None:
        if node.view is not None:
            page = reverse("fact_page", args=[here.space.slug, node.id])
            return f"{page}?{urlencode({'scope': scope, **instants})}"
        if node.rule is not None:
            return f"{reverse('rules_page', args=[here.space.slug])}?{urlencode({'scope': scope, 'rule': node.id})}"
        return None

    return tree_of(found, direction, ZoneInfo(here.space.zone), address)
