"""Asking a signed-in person to prove again that it is them, before what a borrowed browser must not do."""

from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.http import HttpRequest

_asked = reauthentication_required(lambda request: None)


def require_confirmation(request: HttpRequest) -> None:
    """Let the request pass when its person proved themselves in the last minutes (ACCOUNT_REAUTHENTICATION_TIMEOUT).

    Otherwise raises what allauth's middleware turns into the page that asks, and then does the request. Until then a
    POST lies in the session, so this is not for forms that may hold PHI: those ask `recently_confirmed`.
    """
    _asked(request)


def recently_confirmed(request: HttpRequest) -> bool:
    """Whether the request's person proved themselves in the last minutes."""
    return bool(did_recently_reauthenticate(request))
