"""The inbox of contradictions: the list, the claims of one of them side by side, and what is about to be decided."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID

import rules
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from pydantic import Field

from common.errors import FieldError, Invalid, KndlError
from common.rest.query import parsed_query
from common.times import now
from memory.facts.contradiction_asking import ContradictionListQuery, continued, cursor_of
from memory.facts.contradictions import Contradiction, contradictions_of, find_contradictions
from memory.facts.pages.contradiction_showing import shown_claims, tests_of, turns_of
from memory.facts.pages.filters import Chip, local_field
from memory.facts.rules.disagreement import disagreeing
from memory.facts.rules.document import FactId
from spaces.pages import Here

ROWS = 25
# What the address says beside the filters: which one is open, what is picked, what is about to be decided.
DETAIL = ("claim", "pick", "ask", "chosen")
FILTERS = ("subject", "predicate", "as_of", "include_dismissed", "cursor")


class InboxQuery(ContradictionListQuery):
    """The query string of the inbox."""

    limit: Annotated[int, Field(ge=1, le=ROWS)] = ROWS
    claim: Annotated[str, Field(max_length=36)] | None = None
    ask: Literal["choose", "multi_valued", "dismiss"] | None = None
    chosen: FactId | None = None


@dataclass(frozen=True)
class Row:
    """A contradiction of the list."""

    item: Contradiction
    scope: str
    is_open: bool
    is_picked: bool


def inbox(
    request: HttpRequest,
    here: Here,
    asked: QueryDict,
    *,
    error: KndlError | None = None,
    reason: str = "",
    page_url: str | None = None,
) -> HttpResponse:
    """The page for the query `asked`; with what was wrong in a decision, and the reason that was given for it.

    At another `page_url` it is to look at, and nothing is settled.
    """
    may_write = page_url is None and rules.test_rule("facts:write", here.caller, here.space)
    context: dict[str, Any] = {"may_write": may_write, "asked": asked, "reason": reason, "fault": error}
    context["page_url"] = page_url or reverse("contradictions_page", args=[here.space.slug])
    status = error.status if error else 200
    try:
        context |= _found(here, asked, may_write=may_write)
    except Invalid as refusal:
        context |= {"error": refusal, "refused": {fault.field for fault in refusal.errors}}
        status = refusal.status
    response = render(request, "memory/contradictions.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _found(here: Here, asked: QueryDict, *, may_write: bool) -> dict[str, Any]:
    given, picked = _parsed(asked)
    query, after = continued(given)
    page = find_contradictions(here.bound, query, after)
    found = contradictions_of(here.bound, picked, as_of=given.as_of)
    opened = _opened(here, given, page.contradictions)
    names = here.bound.names
    may_settle = may_write and given.as_of is None
    context: dict[str, Any] = {
        "given": given,
        "page": page,
        "rows": [
            Row(item, names[item.scope], opened is not None and item.claim == opened.claim, item.claim in found)
            for item in page.contradictions
        ],
        "picked": [found[claim] for claim in picked if claim in found],
        "chips": _chips(asked, given),
        "is_continued": after is not None,
        "next": cursor_of(given, page),
        "known_field": local_field(given.as_of, here.space.zone),
        "may_settle": may_settle,
        "may_pick": may_settle and not here.bound.every,
        "kept_filters": [(name, asked.get(name, "")) for name in FILTERS],
        "list_query": without(asked, *DETAIL).urlencode(),
    }
    if opened is not None:
        claims = shown_claims(opened)
        context |= {
            "opened": opened,
            "opened_scope": names[opened.scope],
            "claims": claims,
            "more_claims": [
                claim.payload
                for claim in opened.conflict.ranked
                if claim.payload not in [shown.view for shown in claims]
            ],
            "tests": tests_of(here.bound, opened, claims, given.as_of or now()),
            "turns": turns_of(here.bound, opened, claims),
            "rival": next(claim for claim in claims if claim.record.id == opened.conflict.rival.id),
            "chosen": next((claim for claim in claims if claim.record.id == given.chosen), None),
            "following": _following(page.contradictions, opened),
            "has_several": any(one.object != other.object for one, other in disagreeing(opened.conflict.ranked)),
        }
    return context


def _parsed(asked: QueryDict) -> tuple[InboxQuery, list[UUID]]:
    picked = [_claim(text, "pick") for text in dict.fromkeys(asked.getlist("pick"))][:ROWS]
    return parsed_query(InboxQuery, without(asked, "pick")), picked


def _opened(here: Here, given: InboxQuery, listed: list[Contradiction]) -> Contradiction | None:
    """The contradiction that the address names, else the first of the list."""
    if given.claim is None:
        return listed[0] if listed else None
    claim = _claim(given.claim, "claim")
    there = next((item for item in listed if item.claim == claim), None)
    named = there or contradictions_of(here.bound, [claim], as_of=given.as_of).get(claim)
    return named or (listed[0] if listed else None)


def _following(listed: list[Contradiction], opened: Contradiction) -> Contradiction | None:
    """The one after the open one, to go on with; the one before it at the end."""
    claims = [item.claim for item in listed]
    if opened.claim not in claims:
        return None
    place = claims.index(opened.claim)
    rest = [*listed[place + 1 :], *reversed(listed[:place])]
    return rest[0] if rest else None


def _claim(text: str, field: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Invalid(errors=[FieldError(field, "is not one of this list")]) from None


def _chips(asked: QueryDict, given: InboxQuery) -> list[Chip]:
    said = {
        "subject": given.subject and f"subject {given.subject}",
        "predicate": given.predicate and f"predicate {given.predicate}",
        "include_dismissed": "dismissed too" if given.include_dismissed else None,
    }
    return [
        Chip(text, "?" + without(asked, name, "cursor", *DETAIL).urlencode()) for name, text in said.items() if text
    ]


def without(asked: QueryDict, *names: str) -> QueryDict:
    """The query without these."""
    rest = asked.copy()
    for name in names:
        rest.pop(name, None)
    return rest
