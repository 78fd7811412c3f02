"""Pages where a person writes a fact, alone or in the place of an older one."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from audit.recording import Act
from common.errors import KndlError, NotFound
from common.strict import validated
from memory.facts.pages.fact_form import FactForm, filled_from, source_of
from memory.facts.reading import find_fact
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import FactRecord
from memory.facts.writing import released_ids, supersede_fact, warnings_for, write_fact
from spaces.access import Binding, visible_scopes
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal

Write = Callable[[Act, Binding, FactInput], FactRecord]


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("facts:write", scoped=True)
def new_fact(request: HttpRequest, here: Here) -> HttpResponse:
    """A form for one fact; a person is its source unless they name another."""
    form = _form(request, here, {"source": source_of(here.caller.label)})
    if form.is_bound and (done := _written(request, here, form, write_fact, "Fact written.")):
        return done
    return _shown(request, form, {"title": "Write a fact", "button": "Write the fact"})


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("facts:write", scoped=True)
def supersede(request: HttpRequest, here: Here, fact_id: str) -> HttpResponse:
    """The same form, filled in from the fact that is to be superseded. That one stays, struck through."""
    old = find_fact(here.bound, fact_id)
    form = _form(request, here, filled_from(old.record, source_of(here.caller.label)))

    def write(act: Act, binding: Binding, given: FactInput) -> FactRecord:
        return supersede_fact(act, binding, old.record.id, given)

    if form.is_bound and (done := _written(request, here, form, write, "Fact superseded.")):
        return done
    scope = here.bound.names[old.scope]
    return _shown(request, form, {"title": "Supersede a fact", "button": "Supersede", "old": old, "old_scope": scope})


def _form(request: HttpRequest, here: Here, initial: dict[str, Any]) -> FactForm:
    visible = visible_scopes(here.caller, here.space).order_by("name")
    return FactForm(
        request.POST if request.method == "POST" else None,
        binding=here.bound,
        writable=list(visible.values_list("name", flat=True)),
        zone=here.space.zone,
        initial=initial,
    )


def _written(request: HttpRequest, here: Here, form: FactForm, write: Write, said: str) -> HttpResponse | None:
    """Write what the form holds and go to the new fact; None when it was refused, and the form says why."""
    try:
        given = validated(FactInput, form.document())
        record = attempted(lambda act: write(act, here.bound, given))
    except NotFound:
        raise
    except KndlError as error:
        record_refusal(here.caller, here.space, request, error)
        form.refuse(error)
        return None
    messages.success(request, said)
    for warning in warnings_for(here.bound, record):
        messages.warning(request, warning)
    scope = urlencode({"scope": here.bound.one.name})
    if not released_ids(here.bound, [record.id]):
        messages.info(request, "It is PHI, and withheld: no consent covers the purpose you act for.")
        return redirect(f"{reverse('facts_page', args=[here.space.slug])}?{scope}")
    return redirect(f"{reverse('fact_page', args=[here.space.slug, record.id])}?{scope}")


def _shown(request: HttpRequest, form: FactForm, context: dict[str, Any]) -> HttpResponse:
    address = reverse("facts_page", args=[request.resolver_match.kwargs["space"]]) if request.resolver_match else ""
    context |= {"form": form, "scope_page": address}
    return render(request, "memory/write_fact.html", context, status=400 if form.is_bound else 200)
