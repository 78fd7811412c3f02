"""Retiring a domain, once it was said what that does."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.confirming import recently_confirmed, require_confirmation
from common.errors import Conflict, Forbidden, KndlError
from domains import reading
from domains.holding import held
from domains.pages.finding import domain_address, say_refused, shown, standing_here
from domains.retiring import finish, retire_domain
from domains.rights import Standing, require_governing
from spaces.databases.transactions import attempted_here
from spaces.pages import Here, space_page


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def retire(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Say what goes, what stays and why; then retire it, for somebody who has just proved that it is them."""
    standing = standing_here(here, domain)
    require_governing(here.caller)
    if standing.domain.retired_at is not None:
        raise Conflict("The domain is retired already.", type="retired")
    form = forms.Form(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        require_confirmation(request)
        return _page(request, standing, form)
    if not recently_confirmed(request):
        return redirect(request.path)
    try:
        with held(standing.domain):
            operation = attempted_here(lambda act: retire_domain(act, standing))
    except (Conflict, Forbidden):
        raise
    except KndlError as error:
        say_refused(request, here, form, error)
        return _page(request, standing, form, status=error.status)
    finish(operation)
    messages.success(request, f"Retired {standing.domain.name}. It can still be read.")
    return redirect(domain_address(here, standing.domain))


def _page(request: HttpRequest, standing: Standing, form: forms.Form, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "members": standing.members,
        "keys": len(reading.keys_of(standing.domain)),
        "revision": reading.context_of(standing.domain).number,
        "lines": reading.last_line_of(standing.domain),
    }
    return shown(request, standing, "retire", context, status=status)
