"""The seats of a Space and their tokens."""

import uuid

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from common.errors import Invalid, NotFound
from common.times import now
from seats.forms import SeatForm
from seats.making import make_seat, revoke_token
from seats.models import SeatToken
from spaces.forms import say_errors
from spaces.models import Membership
from spaces.pages import Here, space_page

MOST_ROWS = 50
_MAY_CHANGE = (Membership.Role.OWNER, Membership.Role.ADMIN)


@require_safe
@space_page("seats:look", enters=False)
def seats(request: HttpRequest, here: Here) -> HttpResponse:
    """The seats of the Space, the newest first, with what their tokens open; 50 on a page."""
    tokens = (
        SeatToken.objects.filter(seat__space=here.space)
        .select_related("seat__scope", "seat__project")
        .order_by("-made_at", "pk")
    )
    at = now()
    page = Paginator(tokens, MOST_ROWS).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [{"token": token, "is_valid": token.is_valid(at)} for token in page],
        "may_change": here.caller.role_in(here.space) in _MAY_CHANGE,
    }
    return render(request, "seats/seats.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("space:govern", enters=False)
def new_seat(request: HttpRequest, here: Here) -> HttpResponse:
    """A form; the answer to it shows the token, this once."""
    form = SeatForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            seat, token = make_seat(here.caller, here.space, **form.given(here.space.zone))
        except Invalid as error:
            say_errors(form, error)
        else:
            response = render(request, "seats/made.html", {"seat": seat, "token": token, **_addresses(here)})
            response["Cache-Control"] = "no-store"
            return response
    return render(request, "seats/new.html", {"form": form}, status=400 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("space:govern", enters=False)
def revoke(request: HttpRequest, here: Here, token: uuid.UUID) -> HttpResponse:
    """Say what ends and what stays; then end a token."""
    found = SeatToken.objects.select_related("seat__space").filter(pk=token, seat__space=here.space).first()
    if found is None:
        raise NotFound("There is no such token in this Space.")
    if request.method != "POST":
        return render(request, "seats/revoke.html", {"token": found})
    revoke_token(here.caller, found)
    messages.success(request, f"The token of {found.seat.name} was revoked.")
    return redirect("seats", space=here.space.slug)


def _addresses(here: Here) -> dict[str, str]:
    """What a seat is told: where its memory is, and where the command that reads it comes from."""
    origin = settings.KNDL.origin
    return {
        "storage": f"{origin}/spaces/{here.space.slug}",
        "command_file": f"{origin}{reverse('kndl_command')}",
    }
