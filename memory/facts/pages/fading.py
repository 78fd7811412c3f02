"""The page of what fades: facts about to leave their band, to be said again or put off."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods
from pydantic import Field

from audit.recording import Act
from common import cursor
from common.actors import shown_names
from common.errors import Conflict, Invalid, KndlError, NotFound
from common.rest.query import parsed_query
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.facts.fading import (
    FadingFact,
    FadingPage,
    FadingQuery,
    FadingSubject,
    Key,
    by_subject,
    checked_key,
    fading_facts,
    snoozed_facts,
)
from memory.facts.renewing import snooze, still_true, wake
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal
from spaces.rules import require

ROWS = 60
SPANS = ("7", "30", "90")
SNOOZES = {"week": timedelta(days=7), "month": timedelta(days=30)}
_CURSOR = frozenset({"of", "key"})


class FadingPageQuery(ScopeQuery):
    """The query string of the page."""

    within: Literal["7", "30", "90"] = "30"
    subject: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    falls_to: Literal["uncertain", "stale"] | None = None
    cursor: str | None = None


@dataclass(frozen=True)
class Group:
    """The fading facts of one subject, each with the whole days that are left; the name of their scope, and the id of
    the form that holds it."""

    found: FadingSubject
    rows: tuple[tuple[FadingFact, int], ...]
    scope: str
    form: str

    @property
    def ids(self) -> str:
        """What one step says again."""
        return " ".join(fading.view.record.id for fading in self.found.facts)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("facts:read", scoped=True)
def fading(request: HttpRequest, here: Here) -> HttpResponse:
    """What leaves its band soon, grouped by subject; a POST says that facts are still true, puts off or takes back."""
    if request.method == "POST":
        require("facts:write", here.caller, here.space)
        return _done(request, here)
    if (address := _without_blanks(request)) is not None:
        return redirect(address)
    context: dict[str, Any] = {
        "spans": SPANS,
        "may_write": (may_write := rules.test_rule("facts:write", here.caller, here.space)),
        "columns": 6 + may_write + (may_write and not here.bound.every),
    }
    status = 200
    try:
        context |= _found(request, here)
    except Invalid as error:
        context |= {"error": error, "refused": {fault.field for fault in error.errors}}
        status = error.status
    response = render(request, "memory/fading.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _without_blanks(request: HttpRequest) -> str | None:
    """Where a filled-in form leads, without its empty fields; None when there are none."""
    query = QueryDict(mutable=True)
    for name, values in request.GET.lists():
        if kept := [value for value in values if value.strip()]:
            query.setlist(name, kept)
    return None if query == request.GET else f"{request.path}?{query.urlencode()}"


def _found(request: HttpRequest, here: Here) -> dict[str, Any]:
    given = parsed_query(FadingPageQuery, request.GET)
    query = FadingQuery(timedelta(days=int(given.within)), given.subject, given.falls_to, ROWS)
    page = fading_facts(here.bound, query, _after(given))
    names = here.bound.names
    forms = list(dict.fromkeys(names[fact.view.scope] for fact in page.facts))
    snoozed = snoozed_facts(here.bound)
    authors = shown_names(put_off.said_by for put_off in snoozed)
    return {
        "given": given,
        "page": page,
        "groups": list(_groups(page, names, forms)),
        "scope_names": forms,
        "until": page.at + query.within,
        "snoozed": [(put_off, authors[put_off.said_by], names[put_off.view.scope]) for put_off in snoozed],
        "tomorrow": _tomorrow(page.at, here.space.zone),
        "is_continued": given.cursor is not None,
        "next": _next(given, page),
        "list_query": request.GET.urlencode(),
    }


def _groups(page: FadingPage, names: dict[int, str], forms: list[str]) -> Iterator[Group]:
    for found in by_subject(page.facts):
        scope = names[found.scope]
        rows = tuple((fading, (fading.leaves_at - page.at).days) for fading in found.facts)
        yield Group(found, rows, scope, f"fading-{forms.index(scope) + 1}")


def _tomorrow(at: datetime, zone: str) -> str:
    return (at.astimezone(ZoneInfo(zone)) + timedelta(days=1)).date().isoformat()


def _done(request: HttpRequest, here: Here) -> HttpResponse:
    """Do it to all that are named or to none of them, and go back to the list."""
    posted = request.POST
    try:
        said = _asked(posted, here)
    except (Invalid, Conflict, NotFound) as error:
        record_refusal(here.caller, here.space, request, error)
        messages.warning(request, _told(error))
    else:
        messages.success(request, said)
    back = QueryDict(posted.get("list", "")[:4_000], mutable=True)
    back.setdefault("scope", posted.get("scope", ""))
    back.pop("cursor", None)
    return redirect(f"{reverse('fading_page', args=[here.space.slug])}?{back.urlencode()}")


def _asked(posted: QueryDict, here: Here) -> str:
    """Do what the pressed button asks, and what was done in words. A button of a row or group names its own facts."""
    binding = here.bound
    if "still_true" in posted:
        ids = posted.get("still_true", "").split() or posted.getlist("fact")
        count = _each(ids, lambda act, fact_id: still_true(act, binding, fact_id))
        return f"Still true: {count}, valid from now."
    if "wake" in posted:
        _each(posted.get("wake", "").split(), lambda act, fact_id: wake(act, binding, fact_id))
        return "Back in the list."
    if "snooze" in posted:
        until = _until(posted, here.space.zone)
        count = _each(posted.getlist("fact"), lambda act, fact_id: snooze(act, binding, fact_id, until))
        local = until.astimezone(ZoneInfo(here.space.zone))
        return f"Put off until {local.day} {local:%b %Y}: {count}."
    raise Invalid("Say what is to be done.")


def _each(ids: list[str], do: Callable[[Act, str], object]) -> str:
    if not 1 <= len(ids) <= ROWS:
        raise Invalid("Pick a fact first." if not ids else f"Pick {ROWS} facts at most.")

    def all_of_them(act: Act) -> None:
        for fact_id in ids:
            do(act, fact_id)

    attempted(all_of_them)
    return "1 fact" if len(ids) == 1 else f"{len(ids)} facts"


def _until(posted: QueryDict, zone: str) -> datetime:
    """The end of a snooze: in a week, in a month, or the begin of a day on the clock of the Space."""
    if (span := SNOOZES.get(posted.get("snooze", ""))) is not None:
        return now() + span
    try:
        return datetime.fromisoformat(posted.get("until", "")).replace(tzinfo=ZoneInfo(zone))
    except (ValueError, OverflowError):
        raise Invalid("Say until which day.") from None


def _told(error: KndlError) -> str:
    if isinstance(error, Invalid):
        detail = error.detail[:1].upper() + error.detail[1:].rstrip(".")
        return f"{detail}. Nothing was changed."
    return "A fact was superseded by somebody else meanwhile. Nothing was changed; the list is up to date now."


def _after(given: FadingPageQuery) -> Key | None:
    if given.cursor is None:
        return None
    position = cursor.decode(given.cursor, expect=_CURSOR)
    if position["of"] != _filters(given):
        raise Invalid("belongs to another query", field="cursor")
    try:
        return checked_key(position["key"])
    except ValueError as error:
        raise Invalid("is not a cursor of this list", field="cursor") from error


def _next(given: FadingPageQuery, page: FadingPage) -> str | None:
    return cursor.encode({"of": _filters(given), "key": list(page.next_key)}) if page.next_key else None


def _filters(given: FadingPageQuery) -> list[str | None]:
    return [given.scope, given.within, given.subject, given.falls_to]
