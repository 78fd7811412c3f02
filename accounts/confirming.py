"""Asking a signed-in person to prove again that it is them, before what a borrowed browser must not do."""

from allauth.account.decorators import reauthentication_required
from django.http import HttpRequest

_asked = reauthentication_required(lambda request: None)


def require_confirmation(request: HttpRequest) -> None:
    """Let the request pass when its person proved themselves in the last minutes (ACCOUNT_REAUTHENTICATION_TIMEOUT).

    Otherwise raises what allauth's middleware turns into the page that asks, and then does the request.
    """
    _asked(request)
