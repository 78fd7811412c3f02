"""The page of a subject: what is held about it, under which consents, who read it; and breaking the glass."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.confirming import recently_confirmed, require_confirmation
from accounts.models import User
from accounts.second_factor import holds_second_factor
from common.errors import Forbidden
from common.registries import HomePart, NavigationItem, home_cards, navigation
from common.times import now
from memory.phi.consent_form import BreakGlassForm
from memory.phi.page_consents import abilities, subject_address
from memory.phi.releasing import Proof, release_in_emergency, running_releases
from memory.phi.subjects import OPENED, READ, find_subject, readings_of
from spaces.access import GOVERNING, Binding, visible_scopes
from spaces.databases.transactions import memory_transaction
from spaces.pages import Here, space_page
from spaces.recording import record_refusal


@require_safe
@space_page("consents:read", scoped=True)
def subject_page(request: HttpRequest, here: Here, subject: str) -> HttpResponse:
    """Everything about one subject but what the facts say. That somebody looked is on record."""
    found = find_subject(here.bound, subject)
    with memory_transaction() as act:
        act.record(here.caller.actor, "consent.read", f"subject:{found.hash}", scope=found.scope)
    at = now()
    readings = readings_of(found)
    context = {
        "subject": found,
        "consents": [(consent, consent.state(at)) for consent in found.consents],
        "in_force": found.in_force(at),
        "readings": readings,
        "reads": sum(reading.act == READ for reading in readings),
        "opened": sum(reading.act == OPENED for reading in readings),
        "releases": running_releases(here.bound, subject=found.hash),
        "names": here.bound.names,
        "subject_scope": here.bound.names[found.scope],
        **abilities(here),
    }
    return render(request, "memory/phi_subject.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("phi:break_glass", scoped=True)
def break_glass(request: HttpRequest, here: Here, subject: str) -> HttpResponse:
    """Open a subject's PHI to the reader for half an hour. Missing any part of what it takes: 403."""
    found = find_subject(here.bound, subject)
    form = BreakGlassForm(request.POST if request.method == "POST" else None)
    context = {"form": form, "subject": found, "subject_scope": here.bound.names[found.scope]}
    proof = Proof(holds_second_factor(_person(here)), recently_confirmed(request))
    if request.method != "POST":
        if not proof.second_factor:
            raise Forbidden("Breaking the glass takes a second factor: set one up first.")
        require_confirmation(request)
        return render(request, "memory/phi_break_glass.html", context)
    try:
        with memory_transaction() as act:
            release_in_emergency(act, here.bound, found.hash, request.POST.get("reason", ""), proof)
    except Forbidden as error:
        if not error.errors:
            raise
        record_refusal(here.caller, here.space, request, error)
        form.refuse(error)
        return render(request, "memory/phi_break_glass.html", context, status=error.status)
    return redirect(subject_address(here, here.bound.names[found.scope], found.hash))


def home_part(here: Here) -> HomePart:
    """Emergency releases that run, for those who govern the Space; nothing for anybody else."""
    binding = Binding(here.space, here.caller, tuple(visible_scopes(here.caller, here.space)))
    releases = running_releases(binding) if binding.sees_redactions else []
    return HomePart((), "memory/home_phi.html", {"releases": releases, "names": binding.names})


def register_card() -> None:
    """Put emergency releases on the home page, before all else."""
    home_cards.add("phi", home_part)


def register_pages() -> None:
    """Tell the navigation about the pages of consents."""
    within = frozenset({"consent_new", "consent_narrow", "consent_withdraw", "phi_subject", "phi_break_glass"})
    item = NavigationItem("Consent and PHI", "consents_page", "What it holds true", "p", roles=GOVERNING, within=within)
    navigation.add("consents", item)


def _person(here: Here) -> User:
    person = here.caller.person
    assert person is not None  # a page is opened by somebody who has signed in
    return person
