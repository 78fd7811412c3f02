"""Rewriting CONTEXT: based on the revision that was read, and asked once more where much of it would go."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from common.errors import Conflict, Forbidden, KndlError, Stale
from domains import reading
from domains.holding import held
from domains.models import ContextRevision, Source
from domains.pages.finding import domain_address, put_on_record, say_refused, shown, standing_here
from domains.rewriting import write_context
from domains.rights import Standing
from domains.rules.context import LARGEST, tidied
from domains.showing_difference import sides
from spaces.databases.transactions import attempted_here
from spaces.pages import Here, space_page

_LAST = 2**31 - 1


class ContextForm(forms.Form):
    """A text in place of the one that holds; what may stand in it is said by `domains.rules.context`."""

    base = forms.IntegerField(min_value=1, max_value=_LAST, widget=forms.HiddenInput)
    text = forms.CharField(
        strip=False,
        max_length=8 * LARGEST,
        widget=forms.Textarea(attrs={"rows": 24, "class": "code-area", "spellcheck": "true"}),
        help_text="What is true now. History belongs into LOG, credentials into KEYS.",
    )
    note = forms.CharField(required=False, max_length=500, help_text="Why; it stays with the revision.")
    confirm = forms.CharField(required=False, max_length=1, widget=forms.HiddenInput)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def rewrite(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Rewrite CONTEXT. When somebody did meanwhile, both texts are shown with their difference."""
    standing = standing_here(here, domain)
    standing.require_writing()
    if standing.domain.retired_at is not None:
        raise Conflict("The domain is retired: it can be read, and changes no more.", type="retired")
    if request.method != "POST":
        current = reading.context_of(standing.domain)
        form = ContextForm(initial={"base": current.number, "text": current.text})
        return _form(request, standing, form)
    form = ContextForm(request.POST)
    if not form.is_valid():
        return _form(request, standing, form, status=400)
    try:
        made = _write(standing, form)
    except Forbidden:
        raise
    except Stale as error:
        return _edited_meanwhile(request, standing, form, error)
    except Conflict as error:
        if error.type != "drops_half":
            raise
        put_on_record(request, here, error)
        return _halved(request, standing, form, error)
    except KndlError as error:
        say_refused(request, here, form, error)
        return _form(request, standing, form, status=error.status)
    is_same = made.number == form.cleaned_data["base"]
    messages.success(request, "Nothing differed." if is_same else f"Saved as revision {made.number}.")
    return redirect(domain_address(here, standing.domain))


def _write(standing: Standing, form: ContextForm) -> ContextRevision:
    given = form.cleaned_data
    with held(standing.domain):
        return attempted_here(
            lambda act: write_context(
                act,
                standing,
                text=given["text"],
                base=given["base"],
                source=Source.PAGE,
                note=given["note"],
                confirmed=given["confirm"] == "1",
            )
        )


def _form(request: HttpRequest, standing: Standing, form: ContextForm, *, status: int = 200) -> HttpResponse:
    return shown(request, standing, "rewrite", {"form": form, "limit": LARGEST}, status=status)


def _edited_meanwhile(request: HttpRequest, standing: Standing, form: ContextForm, error: Stale) -> HttpResponse:
    """What holds now beside what was to be saved; saving it once more is based on what holds now."""
    current = reading.context_of(standing.domain)
    text = tidied(form.cleaned_data["text"])
    context = {
        "current": current,
        "author": reading.author_of(current),
        "text": text,
        "note": form.cleaned_data["note"],
        "changed": sides(current.text.splitlines(), text.splitlines()),
    }
    return shown(request, standing, "edited_meanwhile", context, status=error.status)


def _halved(request: HttpRequest, standing: Standing, form: ContextForm, error: Conflict) -> HttpResponse:
    """The page that asks whether so much is to go."""
    current = reading.find_revision(standing.domain, form.cleaned_data["base"])
    text = tidied(form.cleaned_data["text"])
    context = {
        "current": current,
        "text": text,
        "note": form.cleaned_data["note"],
        "sizes": (len(current.text.encode()), len(text.encode())),
        "changed": sides(current.text.splitlines(), text.splitlines()),
    }
    return shown(request, standing, "halved", context, status=error.status)
