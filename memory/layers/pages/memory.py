"""The page of memories: the four layers side by side, or one of them as a list."""

from dataclasses import dataclass
from typing import Any

import rules
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from common.errors import Invalid
from common.rest.query import parsed_query
from memory.facts.pages.filters import exact_address
from memory.layers.pages.memory_asking import (
    AGES,
    SORTS,
    STRENGTHS,
    Begun,
    MemoryPageQuery,
    asked,
    begun,
    chips,
    next_cursor,
)
from memory.layers.reading import MemoryQuery, count_memories, query_memories
from memory.layers.showing_counts import MOST, bounded, session_counts
from memory.layers.showing_rows import Row, rows_of
from memory.layers.showing_words import TYPES
from memory.recall.phi import withheld_counts
from memory.sessions.reading import list_sessions
from spaces.pages import Here, space_page

SIDE_BY_SIDE = 8
ROWS = 60
LAYERS = {
    1: ("Fragments", "one memory each; they fade unless they are recalled"),
    2: ("Events", "decisions and episodes; fragments hang under them"),
    3: ("Concepts", "people, skills, domains, beliefs; they never fade"),
}


@dataclass(frozen=True)
class Bed:
    """One layer beside the others: its newest memories and how many there are."""

    layer: int
    name: str
    note: str
    rows: list[Row]
    count: str


@require_safe
@space_page("memory:read", scoped=True)
def memory(request: HttpRequest, here: Here) -> HttpResponse:
    """What is remembered in the bound scopes, as far as the query string asks for it."""
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    context: dict[str, Any] = {
        "types": TYPES,
        "strengths": {name: words for name, (_, _, words) in STRENGTHS.items()},
        "ages": AGES,
        "sorts": SORTS,
        "layers": {number: name for number, (name, _) in LAYERS.items()},
        "may_govern": rules.test_rule("memory:govern", here.caller, here.space),
        "may_write": rules.test_rule("sessions:write", here.caller, here.space),
        "list_query": request.GET.urlencode(),
    }
    status = 200
    try:
        given = parsed_query(MemoryPageQuery, request.GET)
        context |= {"given": given, "chips": chips(request, given)}
        start = begun(given)
        context |= _listed(here, given, start) if given.layer else _side_by_side(here, given, start)
    except Invalid as error:
        context |= {"error": error, "refused": {fault.field for fault in error.errors}}
        status = error.status
    response = render(request, "memory/layers/memory.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _side_by_side(here: Here, given: MemoryPageQuery, start: Begun) -> dict[str, Any]:
    binding = here.bound
    counts = count_memories(binding, asked(given, start.at, layer=None, limit=1), at=start.at, most=MOST)
    found = {
        layer: query_memories(binding, asked(given, start.at, layer=layer, limit=SIDE_BY_SIDE), at=start.at).memories
        for layer in LAYERS
    }
    rows = rows_of(binding, [memory for memories in found.values() for memory in memories])
    beds = [
        Bed(layer, name, note, [row for row in rows if row.memory.layer == layer], bounded(counts.get(layer, 0)))
        for layer, (name, note) in LAYERS.items()
    ]
    sessions = list_sessions(binding, limit=SIDE_BY_SIDE).sessions
    archived = count_memories(binding, MemoryQuery(archived="only"), at=start.at, most=MOST)
    return {
        "beds": beds,
        "is_empty": not rows and not sessions,
        "sessions": [(session, binding.names[session.scope]) for session in sessions],
        "session_counts": session_counts(binding),
        "archived_count": bounded(sum(archived.values())) if archived else "",
        "withheld": sorted(withheld_counts(binding).items()) if binding.sees_redactions else [],
    }


def _listed(here: Here, given: MemoryPageQuery, start: Begun) -> dict[str, Any]:
    layer = given.layer or 1
    page = query_memories(here.bound, asked(given, start.at, layer=layer, limit=ROWS), start.after, at=start.at)
    counts = count_memories(here.bound, asked(given, start.at, layer=layer, limit=1), at=start.at, most=MOST)
    name, note = LAYERS[layer]
    return {
        "bed": Bed(layer, name, note, rows_of(here.bound, page.memories), bounded(counts.get(layer, 0))),
        "is_continued": given.cursor is not None,
        "next": next_cursor(given, page),
    }
