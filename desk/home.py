"""Home: where one begins."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.models import User
from common.registries import home_cards
from desk.health import health_of_instance
from memory.kip.wire.views import asks_for_name, show_name
from spaces.models import Membership, Space
from spaces.pages import Here, space_page

LAST_SPACE = "last_space"


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Where a person begins; a KIP client, which asks for JSON, is told what is here."""
    return show_name(request) if asks_for_name(request) else _begin(request)


@login_required
def _begin(request: HttpRequest) -> HttpResponse:
    """Go to the Space that was open last, else to the first one; without any, say how to come by one."""
    assert isinstance(request.user, User)
    slugs = list(
        Membership.objects.filter(user=request.user, space__state=Space.State.READY)
        .order_by("space__name")
        .values_list("space__slug", flat=True)
    )
    last = request.session.get(LAST_SPACE)
    if slugs:
        return redirect("space_home", last if last in slugs else slugs[0])
    return render(request, "desk/no_space.html", {})


@require_safe
@space_page("space:read")
def space_home(request: HttpRequest, here: Here) -> HttpResponse:
    """What this Space holds and what is new in it; each room says its part."""
    request.session[LAST_SPACE] = here.space.slug
    parts = [part_of(here) for _, part_of in home_cards]
    figures = [figure for part in parts for figure in part.figures]
    context = {"parts": parts, "figures": figures, "health": health_of_instance()}
    return render(request, "desk/home.html", context)
