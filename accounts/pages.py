"""Pages of sign-in that are ours and not allauth's."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.adapter import was_locked_out

# The longest of ACCOUNT_RATE_LIMITS, in seconds; allauth does not say which of them was reached.
LONGEST_LOCK = 15 * 60


@require_safe
def lost_password(request: HttpRequest) -> HttpResponse:
    """How to come by a new password."""
    return render(request, "account/password_reset.html")


def told_to_wait(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Answer 429, with Retry-After, where allauth shows its form again because there were too many tries."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if was_locked_out(request):
            response.status_code = 429
        if response.status_code == 429:
            response.headers.setdefault("Retry-After", str(LONGEST_LOCK))
        return response

    return page
