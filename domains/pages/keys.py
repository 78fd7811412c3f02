"""KEYS: set, reveal and delete one at a time, by somebody who has just proved that it is them.

A value is in no address, no session and no form that is shown again; where it is revealed, the page is kept nowhere.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.confirming import recently_confirmed, require_confirmation
from common.errors import Conflict, Forbidden, KndlError, NotFound
from domains.holding import held
from domains.keys import delete_key, find_key, put_key, reveal_key
from domains.pages.finding import NOT_CONFIRMED, domain_address, say_refused, shown, standing_here
from domains.rights import Standing
from domains.rules.keys import LONGEST_NAME, LONGEST_VALUE
from spaces.databases.transactions import attempted_here
from spaces.pages import Here, space_page


class KeyForm(forms.Form):
    """A key; what may be is said by `domains.rules.keys`. The value is never filled in again."""

    name = forms.CharField(
        max_length=LONGEST_NAME,
        help_text="Letters, digits, “_”, “.” or “-”. One that is there gets the new value.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    value = forms.CharField(
        strip=False,
        max_length=LONGEST_VALUE,
        help_text="One line. It is sealed, and shown again only one at a time.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )


@sensitive_post_parameters("value")
@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def set_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Set a key. Without fresh proof it is refused, and what was sent is put by nowhere."""
    standing = standing_here(here, domain)
    standing.require_keeping()
    _require_live(standing)
    if request.method != "POST":
        require_confirmation(request)
        return shown(request, standing, "key_set", {"form": KeyForm(initial={"name": request.GET.get("name", "")})})
    form = KeyForm(request.POST)
    if not recently_confirmed(request):
        form.add_error(None, NOT_CONFIRMED)
        return shown(request, standing, "key_set", {"form": form}, status=403)
    if not form.is_valid():
        return shown(request, standing, "key_set", {"form": form}, status=400)
    name, value = form.cleaned_data["name"], form.cleaned_data["value"]
    try:
        with held(standing.domain):
            attempted_here(lambda act: put_key(act, standing, name, value))
    except Forbidden:
        raise
    except KndlError as error:
        say_refused(request, here, form, error)
        return shown(request, standing, "key_set", {"form": form}, status=error.status)
    messages.success(request, f"Set {name}.")
    return redirect(_keys_address(here, standing))


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def reveal_page(request: HttpRequest, here: Here, domain: str, name: str) -> HttpResponse:
    """Say that it will be on record; a POST shows the value, on this one answer."""
    standing = standing_here(here, domain)
    standing.require_revealing()
    _require_live(standing)
    context: dict[str, Any] = {"key": find_key(standing.domain, name)}
    if request.method == "POST":
        if not recently_confirmed(request):
            return redirect(request.path)
        context["value"] = attempted_here(lambda act: reveal_key(act, standing, name))
    else:
        require_confirmation(request)
    return shown(request, standing, "key_reveal", context)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def delete_page(request: HttpRequest, here: Here, domain: str, name: str) -> HttpResponse:
    """Say what goes; then take the key away."""
    standing = standing_here(here, domain)
    standing.require_keeping()
    _require_live(standing)
    key = find_key(standing.domain, name)
    form = forms.Form(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        require_confirmation(request)
        return shown(request, standing, "key_delete", {"key": key, "form": form})
    if not recently_confirmed(request):
        return redirect(request.path)
    try:
        with held(standing.domain):
            attempted_here(lambda act: delete_key(act, standing, name))
    except (Forbidden, NotFound):
        raise
    except KndlError as error:
        say_refused(request, here, form, error)
        return shown(request, standing, "key_delete", {"key": key, "form": form}, status=error.status)
    messages.success(request, f"Deleted {name}.")
    return redirect(_keys_address(here, standing))


def _require_live(standing: Standing) -> None:
    """Raise Conflict for a retired domain, which has no keys any more."""
    if standing.domain.retired_at is not None:
        raise Conflict("The domain is retired: its keys are gone.", type="retired")


def _keys_address(here: Here, standing: Standing) -> str:
    return f"{domain_address(here, standing.domain)}#keys-title"
