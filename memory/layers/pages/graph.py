"""The neighbourhood of a memory as a picture, and the same as a table."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from pydantic import Field

from common.errors import Invalid
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.layers.api.asking import number_of
from memory.layers.pages.graph_boxes import ShownGraph, graph_of
from memory.layers.reading import find_memory
from memory.layers.showing_graph import MOST, central_memory, neighbourhood
from memory.layers.statements import Memory
from spaces.pages import Here, space_page

DRAWN = 60
SIZES = (30, DRAWN, 120, MOST)
LAYERS: dict[str, tuple[tuple[int, ...], str]] = {
    "0123": ((0, 1, 2, 3), "L0 to L3"),
    "123": ((1, 2, 3), "L1 to L3"),
    "23": ((2, 3), "L2 and L3"),
}
LINKS: dict[str, tuple[tuple[str, ...], str]] = {
    "all": (("part_of", "mentions", "next"), "All kinds"),
    "up": (("part_of", "mentions"), "part of, mentions"),
    "part_of": (("part_of",), "part of"),
    "mentions": (("mentions",), "mentions"),
    "next": (("next",), "next"),
}


class GraphQuery(ScopeQuery):
    """What to draw."""

    id: Annotated[str, Field(max_length=19)] | None = None
    hops: Annotated[int, Field(ge=1, le=2)] = 2
    most: Annotated[int, Field(ge=1, le=MOST)] = DRAWN
    layers: Literal["0123", "123", "23"] = "0123"
    links: Literal["all", "up", "part_of", "mentions", "next"] = "all"


@require_safe
@space_page("memory:read", scoped=True)
def graph(request: HttpRequest, here: Here) -> HttpResponse:
    """The neighbourhood of `?id=`, or of a memory that is chosen for a beginning."""
    return _shown(request, here, None)


@require_safe
@space_page("memory:read", scoped=True)
def memory_graph(request: HttpRequest, here: Here, memory_id: str) -> HttpResponse:
    """The neighbourhood of one memory; 404 for one that is not there for the reader."""
    return _shown(request, here, memory_id)


def _shown(request: HttpRequest, here: Here, memory_id: str | None) -> HttpResponse:
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    context: dict[str, Any] = {
        "sizes": SIZES,
        "layer_choices": {name: words for name, (_, words) in LAYERS.items()},
        "link_choices": {name: words for name, (_, words) in LINKS.items()},
    }
    status = 200
    try:
        given = parsed_query(GraphQuery, request.GET)
        centre = _centre(here, memory_id or given.id)
        context["given"] = given
        if centre is not None:
            context |= _drawn(here, given, centre, is_chosen=memory_id is None and given.id is None)
    except Invalid as error:
        context |= {"error": error}
        status = error.status
    response = render(request, "memory/layers/graph.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _centre(here: Here, named: str | None) -> Memory | None:
    if named is not None:
        return find_memory(here.bound, number_of(named, "memory"))
    number = central_memory(here.bound)
    return None if number is None else find_memory(here.bound, number)


def _drawn(here: Here, given: GraphQuery, centre: Memory, *, is_chosen: bool) -> dict[str, Any]:
    layers, predicates = LAYERS[given.layers][0], LINKS[given.links][0]
    found = neighbourhood(
        here.bound, centre, now(), hops=given.hops, most=given.most, layers=layers, predicates=predicates
    )
    shown: ShownGraph = graph_of(found, here.space.zone, here.space.slug, here.bound.names[centre.scope])
    return {
        "centre": centre,
        "graph": shown,
        "found": found,
        "is_chosen": is_chosen,
        "centre_scope": here.bound.names[centre.scope],
    }
