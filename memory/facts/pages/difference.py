"""The page that asks the same question at two instants, and shows what changed in between."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.text import Truncator
from django.views.decorators.http import require_safe
from pydantic import Field

from common.actors import shown_names
from common.errors import Invalid
from common.rest.query import parsed_query
from common.strict import Instant
from common.times import format_instant, now
from memory.facts.asking import ScopeQuery
from memory.facts.difference import MOST, Change, ChangedFact, Difference, difference
from memory.facts.histogram import Span, histogram
from memory.facts.pages.filters import exact_address, local_field, slider
from memory.facts.reading import subject_values
from memory.facts.rules.record import FactRecord
from memory.templatetags.fact_marks import short_object
from spaces.pages import Here, space_page

FIELDS = ("earlier", "later")
WEEK = timedelta(days=7)
PRESETS = (
    ("A day", timedelta(days=1)),
    ("A week", WEEK),
    ("A month", timedelta(days=30)),
    ("A year", timedelta(days=365)),
)
TITLES: dict[Change, str] = {
    "superseded": "Superseded",
    "crossed": "Left their band",
    "expired": "Expired",
    "appeared": "New",
}


class DifferenceQuery(ScopeQuery):
    """Two instants, and whose facts."""

    earlier: Annotated[Instant, Field(description="A week ago, if left out.")] | None = None
    later: Annotated[Instant, Field(description="Now, if left out.")] | None = None
    subject: Annotated[str, Field(min_length=1, max_length=500)] | None = None


@dataclass(frozen=True)
class Row:
    """A fact that changed, its scope, and who wrote what changed it."""

    fact: ChangedFact
    scope: str
    author: str

    @property
    def said(self) -> str:
        """What it says, as short as it can be said beside its subject and predicate."""
        return _said(self.fact.view.record)

    @property
    def said_instead(self) -> str:
        """What the fact says that superseded it."""
        return _said(self.fact.replaced_by.record) if self.fact.replaced_by else ""


@dataclass(frozen=True)
class Group:
    """The rows of one kind of change; `is_cut` when there were more."""

    change: Change
    title: str
    rows: list[Row]
    is_cut: bool


@dataclass(frozen=True)
class Preset:
    """A span that ends now."""

    label: str
    url: str


@require_safe
@space_page("facts:read", scoped=True)
def difference_page(request: HttpRequest, here: Here) -> HttpResponse:
    """What changed between two instants; 400 and the reason when they can't be compared."""
    if (exact := exact_address(request, here.space.zone, FIELDS)) is not None:
        return redirect(exact)
    at, status = now(), 200
    context: dict[str, Any] = {"presets": _presets(request, at), "most": MOST}
    try:
        given = parsed_query(DifferenceQuery, request.GET)
        earlier, later = _instants(given, at)
        values = None if given.subject is None else subject_values(here.bound, given.subject)
        found = difference(here.bound, earlier, later, subject_values=values)
        context |= {"found": found, "groups": _groups(here, found), "later_is_now": given.later is None}
        context["then_url"] = _facts_then(request, here, earlier)
    except Invalid as error:
        context |= {"error": error, "refused": {fault.field for fault in error.errors}}
        earlier, later, status = at - WEEK, at, error.status
    context |= _axes(here, earlier, later, at, shows_later=bool(request.GET.get("later")))
    response = render(request, "memory/difference.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _instants(given: DifferenceQuery, at: datetime) -> tuple[datetime, datetime]:
    later = given.later or at
    if given.earlier is not None:
        return given.earlier, later
    try:
        return (later - WEEK).replace(second=0, microsecond=0), later
    except OverflowError:
        raise Invalid("must be a week after the calendar begins, or name the first instant", field="later") from None


def _axes(here: Here, earlier: datetime, later: datetime, at: datetime, *, shows_later: bool) -> dict[str, Any]:
    zone = here.space.zone
    first = slider(earlier, at, zone)
    span = Span(first.first, first.days)
    return {
        "earlier_field": local_field(earlier, zone),
        "later_field": local_field(later, zone) if shows_later else "",
        "earlier_slider": first,
        "later_slider": slider(later, at, zone),
        "bars": histogram(here.bound, span, span),
    }


def _groups(here: Here, found: Difference) -> list[Group]:
    authors = {_author(fact) for facts in found.changes.values() for fact in facts}
    names, scopes = shown_names(authors), here.bound.names
    return [
        Group(
            change,
            TITLES[change],
            [Row(fact, scopes[fact.view.scope], names[_author(fact)]) for fact in facts],
            change in found.cut,
        )
        for change, facts in found.changes.items()
        if facts
    ]


def _said(record: FactRecord) -> str:
    text = short_object(record) if record.subject and record.predicate else ""
    return text or Truncator(record.statement).chars(200)


def _author(fact: ChangedFact) -> str:
    return (fact.replaced_by or fact.view).recorded_by


def _facts_then(request: HttpRequest, here: Here, earlier: datetime) -> str:
    kept = {name: value for name, value in request.GET.items() if name not in FIELDS}
    address = reverse("facts_page", args=[here.space.slug])
    return f"{address}?{urlencode(kept | {'as_of': format_instant(earlier)})}"


def _presets(request: HttpRequest, at: datetime) -> list[Preset]:
    kept = {name: value for name, value in request.GET.items() if name not in FIELDS}
    begun = at.replace(microsecond=0)
    return [
        Preset(label, f"{request.path}?{urlencode(kept | {'earlier': format_instant(begun - span)})}")
        for label, span in PRESETS
    ]
