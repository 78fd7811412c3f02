"""The people of a Space: who belongs to it, in which role, and who is invited."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.confirming import require_confirmation
from common.errors import Conflict, Invalid
from spaces import invitations, members
from spaces.forms import InviteForm, roles_to_give, say_errors
from spaces.models import Invitation, Membership
from spaces.pages import Here, space_page

_MAY_CHANGE = (Membership.Role.OWNER, Membership.Role.ADMIN)


@require_safe
@space_page("space:read", enters=False)
def people(request: HttpRequest, here: Here) -> HttpResponse:
    """Everybody in the Space; those who govern it also see who is invited."""
    return _list(request, here)


@require_POST
@space_page("space:govern", enters=False)
def invite(request: HttpRequest, here: Here) -> HttpResponse:
    """Make an invitation and show its link, this once."""
    require_confirmation(request)
    form = InviteForm(request.POST, roles=roles_to_give(here.caller.role_in(here.space)))
    if form.is_valid():
        try:
            made = invitations.invite(here.caller, here.space, form.cleaned_data["role"], form.cleaned_data["email"])
        except (Invalid, Conflict) as error:
            say_errors(form, error)
        else:
            return _list(request, here, made=made)
    return _list(request, here, form=form)


@require_POST
@space_page("space:govern", enters=False)
def invite_to_sign_in(request: HttpRequest, here: Here, person: uuid.UUID) -> HttpResponse:
    """Make an invitation for a member who does not sign in yet, and show its link, this once."""
    require_confirmation(request)
    user = members.find_member(here.space, person).user
    try:
        return _list(request, here, made=invitations.invite_to_sign_in(here.caller, here.space, user))
    except Conflict as error:
        messages.error(request, error.detail)
        return redirect("people", space=here.space.slug)


@require_POST
@space_page("space:govern", enters=False)
def take_back(request: HttpRequest, here: Here, invitation: uuid.UUID) -> HttpResponse:
    """Take an open invitation back."""
    invitations.revoke(here.caller, here.space, invitation)
    messages.success(request, "The invitation was taken back.")
    return redirect("people", space=here.space.slug)


@require_POST
@space_page("space:govern", enters=False)
def set_role(request: HttpRequest, here: Here, person: uuid.UUID) -> HttpResponse:
    """Give a member another role."""
    require_confirmation(request)
    user = members.find_member(here.space, person).user
    try:
        changed = members.set_role(here.caller, here.space, user, request.POST.get("role", ""))
    except (Invalid, Conflict) as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, f"{user.name} is {changed.role} now.")
    return redirect("people", space=here.space.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("space:govern", enters=False)
def remove(request: HttpRequest, here: Here, person: uuid.UUID) -> HttpResponse:
    """Say what goes and what stays; then take a member out of the Space."""
    membership = members.find_member(here.space, person)
    if request.method != "POST":
        return render(request, "spaces/remove_person.html", {"membership": membership})
    require_confirmation(request)
    try:
        members.remove_member(here.caller, here.space, membership.user)
    except Conflict as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, f"{membership.user.name} was removed.")
    return redirect("people", space=here.space.slug)


def _list(
    request: HttpRequest,
    here: Here,
    *,
    form: InviteForm | None = None,
    made: tuple[Invitation, str] | None = None,
) -> HttpResponse:
    role = here.caller.role_in(here.space)
    may_change = role in _MAY_CHANGE
    roles = roles_to_give(role)
    context = {
        "members": [
            {
                "membership": one,
                "is_reader": one.user == here.caller.person,
                "may_change": may_change and one.role in roles,
            }
            for one in members.members_of(here.space)
        ],
        "may_change": may_change,
        "roles": roles,
        "invited": invitations.open_invitations(here.space).select_related("made_by", "person") if may_change else [],
        "form": form or InviteForm(roles=roles),
        "made": {"invitation": made[0], "link": made[1]} if made else None,
    }
    response = render(request, "spaces/people.html", context, status=400 if form else 200)
    if made:
        response["Cache-Control"] = "no-store"
    return response
