"""Roles that govern need a second factor: without one, every page leads to where it is set up."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from accounts.governing import governing_without_second_factor
from accounts.models import User
from common.errors import Forbidden
from common.rest.problem import document
from common.rest.rendering import JSONRenderer

# In the session: who proved a second factor in it, and whose first session it is after the owner link.
_PASSED = "second_factor_of"
_FIRST = "first_session_of"
# The owner's first session, in seconds: long enough to look around, not to live in.
FIRST_SESSION = 12 * 60 * 60
_OPEN_PAGES = frozenset({"healthz", "readyz"})
_OPEN_PREFIXES = ("account_", "mfa_")
_SET_UP = "mfa_index"
_FOR_MACHINES = ("/api/", "/kip")
_WHY = "Your role governs, and roles that govern need a second factor. Set one up; after that everything opens."


def second_factor(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware that lets people who govern without a second factor see nothing but the pages of their sign-in."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return get_response(request)

    def process_view(request: HttpRequest, view: object, args: Any, kwargs: Any) -> HttpResponse | None:
        if request.resolver_match and request.resolver_match.url_name == _SET_UP:
            request.kndl_is_shut_in = must_set_up(request)  # type: ignore[attr-defined]  # the page says so
        return _to_set_up(request) if _is_closed(request) and must_set_up(request) else None

    middleware.process_view = process_view  # type: ignore[attr-defined]
    return middleware


def must_set_up(request: HttpRequest) -> bool:
    """Whether the signed-in person governs without a second factor.

    No query for those who proved one in this session, and one for everybody else.
    """
    user = getattr(request, "user", None)
    if not settings.KNDL.require_second_factor or not isinstance(user, User):
        return False
    if str(user.pk) in (request.session.get(_PASSED), request.session.get(_FIRST)):
        return False
    return governing_without_second_factor().filter(pk=user.pk).exists()


def holds_second_factor(user: User) -> bool:
    """Whether `user` has an authenticator app or a passkey; recovery codes alone are none."""
    kinds = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return bool(Authenticator.objects.filter(user=user, type__in=kinds).exists())


def note_passed(request: HttpRequest, user: User) -> None:
    """Remember in the session that `user` proved a second factor in it."""
    request.session[_PASSED] = str(user.pk)


def forget_passed(request: HttpRequest) -> None:
    """A second factor was removed: look again at the next request."""
    request.session.pop(_PASSED, None)


def allow_first_session(request: HttpRequest, user: User) -> None:
    """Let the owner who has just come by the owner link work once without a second factor, for twelve hours."""
    request.session[_FIRST] = str(user.pk)
    request.session.set_expiry(FIRST_SESSION)


def _is_closed(request: HttpRequest) -> bool:
    match = request.resolver_match
    name = (match.url_name if match else None) or ""
    return name not in _OPEN_PAGES and not name.startswith(_OPEN_PREFIXES)


def _to_set_up(request: HttpRequest) -> HttpResponse:
    if request.path.startswith(_FOR_MACHINES):
        error = Forbidden(_WHY, type="second_factor_required")
        body = JSONRenderer().render(document(error))
        return HttpResponse(body, status=error.status, content_type="application/problem+json")
    messages.warning(request, _WHY)
    where = reverse(_SET_UP)
    if request.headers.get("HX-Request") == "true":
        return HttpResponseClientRedirect(where)
    return HttpResponseRedirect(where)
