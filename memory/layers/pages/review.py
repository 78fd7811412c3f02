"""The review queue: proposals with their lines beside them, approved, edited or refused, one by one or several."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode
from uuid import UUID

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods
from pydantic import Field

from common.errors import Conflict, Invalid, KndlError, NotFound, Unprocessable
from common.rest.query import parsed_query
from memory.embedding import EmbedderUnavailable
from memory.facts.asking import ScopeQuery
from memory.facts.pages.filters import exact_address
from memory.layers.api.distillations import find_run
from memory.layers.pages.memory_acts import refused
from memory.layers.pages.review_edits import Rows, edits_of, rows_of, values_of
from memory.layers.review import approve, count_waiting, refuse
from memory.layers.showing_proposals import QueueQuery, queue_of, shown_proposals, waiting_among
from memory.layers.showing_runs import shown_runs
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.rules import require

ROWS = 25
MOST_COUNTED = 1_000
KINDS = {"fragment": "fragments", "event": "events", "concept": "concepts", "fact": "facts"}


class ReviewQuery(ScopeQuery):
    """Proposals of which run and kind, behind which one."""

    run: UUID | None = None
    kind: Literal["fragment", "event", "concept", "fact"] | None = None
    after: Annotated[int, Field(ge=0, lt=2**63)] = 0


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("memory:read", scoped=True)
def review(request: HttpRequest, here: Here) -> HttpResponse:
    """What waits for a person in the bound scopes; a POST decides."""
    if request.method == "POST":
        require("memory:govern", here.caller, here.space)
        return _decided(request, here)
    if (exact := exact_address(request, here.space.zone, ())) is not None:
        return redirect(exact)
    given = parsed_query(ReviewQuery, request.GET)
    rows = queue_of(here.bound, QueueQuery(given.run, given.kind, given.after, ROWS))
    return _shown(request, here, given, rows_of(rows, ROWS))


def _shown(
    request: HttpRequest,
    here: Here,
    given: ReviewQuery,
    rows: Rows,
    error: KndlError | None = None,
) -> HttpResponse:
    run = find_run(here.bound, given.run) if given.run else None
    posted = request.POST if error else QueryDict()
    picked = set(posted.getlist("proposal"))
    count = count_waiting(here.bound, MOST_COUNTED + 1)
    context: dict[str, Any] = {
        "given": given,
        "kinds": KINDS,
        "rows": [
            (shown, values_of(shown.row, posted), str(shown.row.pk) in picked)
            for shown in shown_proposals(here.bound, rows.shown)
        ],
        "next": rows.next,
        "count": f"{MOST_COUNTED:,}+" if count > MOST_COUNTED else f"{count:,}",
        "run": shown_runs(here.bound, [run])[0] if run else None,
        "may_decide": rules.test_rule("memory:govern", here.caller, here.space),
        "list_query": _list_query(here, given),
        "error": error,
        "faults": {fault.field.removeprefix("edits."): fault.detail for fault in error.errors} if error else {},
    }
    response = render(request, "memory/layers/review.html", context, status=error.status if error else 200)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _decided(request: HttpRequest, here: Here) -> HttpResponse:
    """Decide what is picked, or the one whose own button was pressed, and go back to the list."""
    posted = request.POST
    given = parsed_query(ReviewQuery, QueryDict(posted.get("list", "")[:4_000]))
    ids: list[int] = []
    try:
        decision, ids = _asked(posted)
        if decision == "refuse":
            count = attempted(lambda act: refuse(act, here.bound, ids))
            messages.success(request, f"Refused: {_proposals(count)}.")
        else:
            count = approve(here.bound, ids, edits_of(waiting_among(here.bound, ids), posted))
            messages.success(request, f"Approved: {_proposals(count)}.")
    except Invalid as error:
        if not any(fault.field.startswith("edits.") for fault in error.errors):
            refused(request, here, error)
            return redirect(_address(here, given))
        rows = queue_of(here.bound, QueueQuery(given.run, given.kind, given.after, ROWS))
        return _shown(request, here, given, rows_of(rows, ROWS), error)
    except (Conflict, NotFound, Unprocessable, EmbedderUnavailable) as error:
        refused(request, here, error)
    return redirect(_address(here, given))


def _asked(posted: QueryDict) -> tuple[str, list[int]]:
    """What is decided, and of which proposals. Raises Invalid."""
    for decision in ("approve", "refuse"):
        if decision in posted:
            own = posted.get(decision, "")
            named = [own] if own else posted.getlist("proposal")
            ids = [int(text) for text in dict.fromkeys(named) if text.isascii() and text.isdecimal() and len(text) < 19]
            if not ids:
                raise Invalid("Pick a proposal first.")
            if len(ids) > ROWS:
                raise Invalid(f"Pick {ROWS} proposals at most.")
            return decision, ids
    raise Invalid("Say what is to be done.")


def _proposals(count: int) -> str:
    return "1 proposal" if count == 1 else f"{count} proposals, with those that went along"


def _list_query(here: Here, given: ReviewQuery) -> str:
    kept = {"scope": "*" if here.bound.every else here.bound.one.name, "run": given.run, "kind": given.kind}
    return urlencode({name: value for name, value in kept.items() if value})


def _address(here: Here, given: ReviewQuery) -> str:
    return f"{reverse('review_page', args=[here.space.slug])}?{_list_query(here, given)}"
