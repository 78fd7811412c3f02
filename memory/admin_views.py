"""Views of a Space's memory under /admin/: the pages' own, read only, for those who govern and hold a second factor.

A role in the Space is needed here as everywhere: roles of the instance read no memory.
"""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.second_factor import holds_second_factor
from common.errors import Forbidden
from memory.facts.pages.contradiction_inbox import inbox
from memory.facts.pages.provenance import provenance_shown
from memory.phi.page_consents import consents_shown
from spaces.access import GOVERNING
from spaces.pages import Here, space_page

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Here, P], HttpResponse]


def _governed(rule: str) -> Callable[[View[P]], Callable[..., HttpResponseBase]]:
    """Make `view` one of the admin: `rule` must hold in the Space, and the reader govern it or the instance."""

    def wrap(view: View[P]) -> Callable[..., HttpResponseBase]:
        @require_safe
        @space_page(rule, scoped=True)
        def page(request: HttpRequest, here: Here, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            person = here.caller.person
            if person is None or not (person.governs_instance or here.bound.role in GOVERNING):
                raise Forbidden("The admin is for roles that govern.")
            if not holds_second_factor(person):
                raise Forbidden("The admin takes a second factor: set one up first.")
            return view(request, here, *args, **kwargs)

        return page

    return wrap


@_governed("facts:read")
def contradictions(request: HttpRequest, here: Here) -> HttpResponse:
    """The inbox, to look at."""
    return inbox(request, here, request.GET, page_url=reverse("admin_contradictions", args=[here.space.slug]))


@_governed("facts:read")
def provenance(request: HttpRequest, here: Here, fact_id: str) -> HttpResponse:
    """Where a fact comes from, as picture and table; 404 for one that is withheld."""
    return provenance_shown(request, here, fact_id, "up")


@_governed("consents:read")
def phi(request: HttpRequest, here: Here) -> HttpResponse:
    """Subjects, their consents, and what is held of them; never what it says."""
    return consents_shown(request, here, may_change=False)
