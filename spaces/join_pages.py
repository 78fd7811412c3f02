"""The page behind an invitation's link."""

from collections.abc import Callable

from allauth.account.utils import perform_login
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.second_factor import allow_first_session
from common.errors import Conflict, Invalid
from spaces.forms import JoinForm, say_errors
from spaces.invitations import NotGood, accept, accept_as, find
from spaces.models import Invitation


def _closed_mouthed(view: Callable[[HttpRequest, str], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Keep the secret of the address to this page: nothing is stored, and no other address learns of it.

    `no-referrer` would make browsers send `Origin: null` with the form, which the check against forgery refuses;
    `strict-origin` names the site and never the path.
    """

    def page(request: HttpRequest, secret: str) -> HttpResponseBase:
        response = view(request, secret)
        response["Cache-Control"] = "no-store"
        response["Referrer-Policy"] = "strict-origin"
        return response

    return page


@require_http_methods(["GET", "HEAD", "POST"])
@_closed_mouthed
def join(request: HttpRequest, secret: str) -> HttpResponseBase:
    """Say what one joins and as whom; accept."""
    try:
        invitation = find(secret)
        if isinstance(request.user, User):
            return _join_as(request, secret, invitation, request.user)
        return _join_new(request, secret, invitation)
    except NotGood as error:
        return render(request, "spaces/join_not_good.html", {"error": error}, status=error.status)


def _join_new(request: HttpRequest, secret: str, invitation: Invitation) -> HttpResponseBase:
    known = {"email": invitation.email, "name": invitation.person.name if invitation.person else ""}
    form = JoinForm(request.POST if request.method == "POST" else None, initial=known)
    if form.is_valid():
        try:
            person = accept(secret, **form.cleaned_data)
        except (Invalid, Conflict) as error:
            say_errors(form, error)
        else:
            signed_in: HttpResponse = perform_login(request, person, redirect_url="/")
            if invitation.instance_role:
                allow_first_session(request, person)
            return signed_in
    return _shown(request, invitation, form)


def _join_as(request: HttpRequest, secret: str, invitation: Invitation, user: User) -> HttpResponseBase:
    if request.method == "POST":
        try:
            accept_as(secret, user)
        except (Invalid, Conflict) as error:
            messages.error(request, error.detail)
        else:
            if invitation.instance_role:
                allow_first_session(request, user)
            messages.success(request, "You joined.")
            return redirect("/")
    return _shown(request, invitation, None)


def _shown(request: HttpRequest, invitation: Invitation, form: JoinForm | None) -> HttpResponse:
    refused = form is not None and form.is_bound
    status = 400 if refused or request.method == "POST" else 200
    return render(request, "spaces/join.html", {"invitation": invitation, "form": form}, status=status)
