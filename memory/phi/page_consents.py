"""Pages of consents: who allows what; giving, narrowing and withdrawing, with what they reach said before."""

import secrets
from collections.abc import Callable
from typing import Any

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from accounts.confirming import recently_confirmed, require_confirmation
from audit.recording import Act
from common import cursor
from common.errors import Invalid, KndlError, NotFound
from common.strict import validated
from common.times import now
from memory.phi.consent_form import ActForm, ConsentForm, NarrowForm
from memory.phi.consents import ConsentInput, find_consent, give_consent, narrow_consent, withdraw_consent
from memory.phi.releasing import running_releases
from memory.phi.subjects import covered_now, pending_consents, subjects
from spaces.access import visible_scopes
from spaces.databases.transactions import attempted, memory_transaction
from spaces.pages import Here, space_page
from spaces.recording import record_refusal

STALE = "More than five minutes ago you proved that it is you. Do so again in another tab, then send this once more."


@require_safe
@space_page("consents:read", scoped=True)
def consents(request: HttpRequest, here: Here) -> HttpResponse:
    """Subjects with their consents, and consents that facts wait for."""
    return consents_shown(request, here, **abilities(here))


def consents_shown(request: HttpRequest, here: Here, **may: bool) -> HttpResponse:
    """The list, with what the reader may do there. That somebody looked is on record."""
    after = _after(request)
    found, more = subjects(here.bound, after=after)
    pending = [] if after else pending_consents(here.bound)
    with memory_transaction() as act:
        for scope in here.bound.scopes:
            act.record(here.caller.actor, "consent.list", f"scope:{scope.name}", scope=scope.pk)
    at = now()
    context = {
        "rows": [(subject, subject.in_force(at)) for subject in found],
        "next": cursor.encode({"before": more}) if more else None,
        "is_continued": after is not None,
        "pending": pending,
        "releases": running_releases(here.bound),
        "names": here.bound.names,
        **may,
    }
    return render(request, "memory/consents.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("consents:write", scoped=True)
def new_consent(request: HttpRequest, here: Here) -> HttpResponse:
    """A form for a consent; `?consent=` names one that facts wait for."""
    form = _consent_form(request, here)
    if request.method != "POST":
        require_confirmation(request)
        return _shown(request, here, "memory/consent_new.html", {"form": form})
    unique = secrets.token_hex(8)

    def give(act: Act) -> None:
        if not form.is_valid():
            raise Invalid("The form is not complete.")
        give_consent(act, here.bound, validated(ConsentInput, form.document()), unique)

    if done(request, here, form, give, "Consent recorded."):
        return redirect(_address(here, here.bound.one.name))
    return _shown(request, here, "memory/consent_new.html", {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("consents:write", scoped=True)
def narrow(request: HttpRequest, here: Here, consent_id: str) -> HttpResponse:
    """Take purposes away from a consent."""
    consent = find_consent(here.bound, consent_id)
    form = NarrowForm(request.POST if request.method == "POST" else None, consent=consent)
    context = {"form": form, "consent": consent, "reach": covered_now(consent)}
    if request.method != "POST":
        require_confirmation(request)
        return _shown(request, here, "memory/consent_narrow.html", context)

    def change(act: Act) -> None:
        if not form.is_valid():
            raise Invalid("The form is not complete.")
        narrow_consent(act, here.bound, consent_id, form.cleaned_data["purposes"])

    if done(request, here, form, change, "Consent narrowed."):
        return redirect(subject_address(here, here.bound.names[consent.scope], consent.subject_hash))
    return _shown(request, here, "memory/consent_narrow.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("consents:write", scoped=True)
def withdraw(request: HttpRequest, here: Here, consent_id: str) -> HttpResponse:
    """Say what the end of a consent reaches; then end it."""
    consent = find_consent(here.bound, consent_id)
    form = ActForm(request.POST if request.method == "POST" else None)
    context = {"form": form, "consent": consent, "reach": covered_now(consent), "state": consent.state(now())}
    if request.method != "POST":
        require_confirmation(request)
        return _shown(request, here, "memory/consent_withdraw.html", context)

    def change(act: Act) -> None:
        withdraw_consent(act, here.bound, consent_id)

    if done(request, here, form, change, "Consent withdrawn."):
        return redirect(subject_address(here, here.bound.names[consent.scope], consent.subject_hash))
    return _shown(request, here, "memory/consent_withdraw.html", context)


def done(request: HttpRequest, here: Here, form: ActForm, write: Callable[[Act], object], said: str) -> bool:
    """Do what a form about consents asks for; when it was refused, the form says why.

    It is never put by for later, as other forms are while somebody proves that it is them: that would lie unencrypted.
    """
    if not recently_confirmed(request):
        form.add_error(None, STALE)
        return False
    try:
        attempted(write)
    except NotFound:
        raise
    except KndlError as error:
        record_refusal(here.caller, here.space, request, error)
        if form.is_valid():
            form.refuse(error)
        return False
    messages.success(request, said)
    return True


def abilities(here: Here) -> dict[str, bool]:
    """What the reader may do on the pages of consents."""
    names = {"may_change": "consents:write", "may_break_glass": "phi:break_glass"}
    return {name: rules.test_rule(rule, here.caller, here.space) for name, rule in names.items()}


def subject_address(here: Here, scope: str, subject_hash: str) -> str:
    """The page of a subject. Its name stands in no address, since addresses are kept in many places."""
    return f"{reverse('phi_subject', args=[here.space.slug, subject_hash])}?{urlencode({'scope': scope})}"


def _address(here: Here, scope: str) -> str:
    return f"{reverse('consents_page', args=[here.space.slug])}?{urlencode({'scope': scope})}"


def _after(request: HttpRequest) -> int | None:
    given = request.GET.get("cursor")
    if not given:
        return None
    before = cursor.decode(given, expect={"before"})["before"]
    if not isinstance(before, int):
        raise Invalid("is not a cursor of this list", field="cursor")
    return before


def _consent_form(request: HttpRequest, here: Here) -> ConsentForm:
    names = list(visible_scopes(here.caller, here.space).order_by("name").values_list("name", flat=True))
    initial: dict[str, Any] = {} if here.bound.every else {"scope": here.bound.one.name}
    if (wanted := request.GET.get("consent")) and request.method != "POST":
        initial["id"] = wanted
        for pending in pending_consents(here.bound, consent=wanted):
            if len(pending.subjects) == 1:
                initial["subject"] = next(iter(pending.subjects.values()))
    data = request.POST if request.method == "POST" else None
    return ConsentForm(data, writable=names, zone=here.space.zone, initial=initial)


def _shown(request: HttpRequest, here: Here, template: str, context: dict[str, Any]) -> HttpResponse:
    form: ActForm = context["form"]
    refused = form.is_bound
    is_stale = refused and STALE in form.non_field_errors()
    return render(request, template, context | {"is_stale": is_stale}, status=400 if refused else 200)
