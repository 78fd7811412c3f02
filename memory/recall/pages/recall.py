"""The page of recall: a question as a seat would ask it, and the reason for every place of the answer."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from common.errors import Invalid, KndlError
from common.registries import NavigationItem, navigation
from common.rest.query import parsed_query
from memory.embedding import EmbedderUnavailable
from memory.facts.pages.filters import exact_address, local_field
from memory.recall.answering import answer
from memory.recall.pages.asking import INSTANTS, LIMITS, RecallPageQuery
from memory.recall.pages.expected import expected_of, picks_of
from memory.recall.pages.places import places_of
from spaces.pages import Here, space_page


def register_page() -> None:
    """Tell the house about the page."""
    navigation.add("recall", NavigationItem("Recall", "recall_page", "", "r"))


@require_safe
@space_page("memory:read", scoped=True)
def recall_page(request: HttpRequest, here: Here) -> HttpResponse:
    """What memory says on `?q=`, and why; nothing is strengthened by looking."""
    if (exact := exact_address(request, here.space.zone, INSTANTS)) is not None:
        return redirect(exact)
    context: dict[str, Any] = {"limits": LIMITS}
    status = 200
    try:
        given = parsed_query(RecallPageQuery, request.GET)
        context |= {name: local_field(getattr(given, name), here.space.zone) for name in INSTANTS}
        context |= {"given": given} | (_answered(here, given) if given.q else {})
    except (Invalid, EmbedderUnavailable) as error:
        context |= _refused(request, error)
        status = error.status
    response = render(request, "memory/recall.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _answered(here: Here, given: RecallPageQuery) -> dict[str, Any]:
    found = answer(here.bound, given.request())
    looked_for = given.missing.strip() if given.expected is None else ""
    return {
        "places": places_of(here.bound, found.items),
        "expected": [expected_of(here.bound, entry, found.at) for entry in found.missing],
        "looked_for": looked_for,
        "picks": picks_of(here.bound, looked_for, found.at) if looked_for else [],
        "withheld": sorted((found.withheld or {}).items()),
        "knows_withheld": found.withheld is not None,
    }


def _refused(request: HttpRequest, error: KndlError) -> dict[str, Any]:
    """The form as it was filled in, with what is wrong."""
    return {"error": error, "refused": {fault.field for fault in error.errors}, "given": request.GET}
