"""Making a Space."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from common.errors import Conflict, Forbidden, Invalid
from spaces.access import person_caller
from spaces.forms import SpaceForm, may_make_spaces, say_errors
from spaces.making import make_space


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_space(request: HttpRequest) -> HttpResponse:
    """A form; the person who sends it becomes the Space's owner."""
    user = request.user
    if not isinstance(user, User) or not may_make_spaces(user):
        raise Forbidden("The owner and the admins of this instance make Spaces. Ask one of them.")
    form = SpaceForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        given = form.cleaned_data
        try:
            space = make_space(person_caller(user), given["slug"], given["name"], zone=given["zone"], owner=user)
        except (Invalid, Conflict) as error:
            say_errors(form, error)
        else:
            messages.success(request, f"{space.name} was made.")
            return redirect("space_home", space=space.slug)
    return render(request, "spaces/new_space.html", {"form": form}, status=400 if form.is_bound else 200)
