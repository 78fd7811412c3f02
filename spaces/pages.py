"""The base of every page inside a Space."""

import functools
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec

import structlog
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from common.errors import KndlError, NotFound
from common.rest.caching import kept_nowhere
from spaces.access import Binding, Caller, bind, caller_of, find_space, visible_scopes
from spaces.databases.entering import entered
from spaces.models import Space
from spaces.purposes import PURPOSES
from spaces.recording import record_foreign, record_refusal
from spaces.rules import require

P = ParamSpec("P")
PURPOSE = "purpose"


@dataclass(frozen=True)
class Here:
    """Where a page is: who reads, in which Space, bound to which scopes (None on pages of the Space itself)."""

    caller: Caller
    space: Space
    binding: Binding | None = None

    @property
    def bound(self) -> Binding:
        """The binding of a page of memory."""
        if self.binding is None:
            raise RuntimeError("this page was not made with scoped=True")
        return self.binding


View = Callable[Concatenate[HttpRequest, Here, P], HttpResponse]


def space_page(
    rule: str, *, scoped: bool = False, enters: bool = True
) -> Callable[[View[P]], Callable[..., HttpResponseBase]]:
    """Make `view(request, here, …)` a page of the Space named in the address.

    Sends strangers to sign in, answers 404 for a Space that is not there for the reader and 403 where the rule `rule`
    does not hold. The response is rendered inside the Space. With `scoped`, the page is bound to the scope of
    `?scope=`; without one it goes to the scope that the reader saw last, at first to a shared one.

    With `enters=False` the page stays outside the Space: it is of the control database alone, works while the Space is
    out of reach, and its refusals are recorded there.
    """

    def wrap(view: View[P]) -> Callable[..., HttpResponseBase]:
        inside: Callable[..., HttpResponse] = view

        @login_required
        @functools.wraps(view)
        def page(request: HttpRequest, space: str, **kwargs: Any) -> HttpResponseBase:
            caller = caller_of(request)
            structlog.contextvars.bind_contextvars(actor=str(caller.actor))
            found: Space | None = None
            try:
                found = find_space(caller, space)
                with entered(found) if enters else nullcontext():
                    require(rule, caller, found)
                    if not scoped:
                        return kept_nowhere(inside(request, _noted(request, Here(caller, found)), **kwargs))
                    if "scope" not in request.GET and "scope" not in request.POST:
                        return _to_a_scope(request, caller, found)
                    binding = _bound(request, caller, found)
                    return kept_nowhere(inside(request, _noted(request, Here(caller, found, binding)), **kwargs))
            except KndlError as error:
                record_refusal(caller, found if enters else None, request, error)
                raise

        return page

    return wrap


def _bound(request: HttpRequest, caller: Caller, space: Space) -> Binding:
    writing = request.method == "POST"
    named = {*request.GET.getlist("scope"), *request.POST.getlist("scope")}
    binding = bind(caller, space, sorted(named), writing=writing, purpose=_purpose(request))
    record_foreign(binding, request, writes=request.method not in {"GET", "HEAD"})
    request.session[_last_scope(space)] = named.pop()
    return binding


def _purpose(request: HttpRequest) -> str | None:
    """The purpose the reader states: kept for the session when they choose it in the bar above the page.

    An address may state one for its own page; but not when another site led there, for what one acts for is one's own
    to say.
    """
    led_here = request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}
    if "purpose" in request.GET and not led_here:
        return request.GET["purpose"] if request.GET["purpose"] in PURPOSES else None
    stated: str | None = request.session.get(PURPOSE)
    return stated or None


def _to_a_scope(request: HttpRequest, caller: Caller, space: Space) -> HttpResponse:
    """Send the reader to the scope they saw last, else to a shared one, else to their own."""
    visible = visible_scopes(caller, space)
    names = set(visible.values_list("name", flat=True))
    last = request.session.get(_last_scope(space))
    own = visible.filter(owner=caller.person).order_by("pk").values_list("name", flat=True).first()
    shared = visible.filter(owner=None).order_by("pk").values_list("name", flat=True).first()
    chosen = last if last in names or last == "*" else shared or own
    if chosen is None:
        raise NotFound("This Space has no scope that you may see.")
    query = request.GET.copy()
    query["scope"] = chosen
    return redirect(f"{request.path}?{query.urlencode()}")


def _noted(request: HttpRequest, here: Here) -> Here:
    """Leave `here` on the request, for the frame around the page."""
    request.kndl_here = here  # type: ignore[attr-defined]
    return here


def _last_scope(space: Space) -> str:
    return f"scope:{space.pk.hex}"
