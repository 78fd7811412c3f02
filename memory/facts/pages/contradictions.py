"""Pages of contradictions: the inbox, what people decide there, what stands behind a claim, decisions on record."""

from typing import Annotated, Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from pydantic import Field

from common.actors import shown_names
from common.errors import Conflict, Invalid, KndlError, NotFound
from common.rest.query import parsed_query
from common.strict import validated
from memory.facts.asking import ScopeQuery
from memory.facts.decisions import settled_contradictions
from memory.facts.pages.contradiction_inbox import inbox, without
from memory.facts.pages.filters import exact_address
from memory.facts.provenance import provenance
from memory.facts.settling import DecisionInput, settle_all
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal
from spaces.rules import require

MOST_AT_ONCE = 25
DEPTH = 5
MOST_NODES = 100


class HistoryQuery(ScopeQuery):
    """The query string of the decisions on record."""

    cursor: Annotated[int, Field(ge=1, lt=2**63)] | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("facts:read", scoped=True)
def contradictions(request: HttpRequest, here: Here) -> HttpResponse:
    """The contradictions of the bound scopes, one of them open; a POST holds decisions."""
    if request.method == "POST":
        require("facts:write", here.caller, here.space)
        return _settled(request, here)
    if (exact := exact_address(request, here.space.zone)) is not None:
        return redirect(exact)
    return inbox(request, here, request.GET)


@require_safe
@space_page("facts:read", scoped=True)
def behind(request: HttpRequest, here: Here, fact_id: str) -> HttpResponse:
    """One line on what stands behind a claim: its weakest link, within five steps."""
    found = provenance(here.bound, fact_id, max_depth=DEPTH, most=MOST_NODES)
    context = {
        "found": found,
        "others": len(found.nodes) - 1,
        "missing": sum(node.missing for node in found.nodes),
        "fact_scope": here.bound.names[found.weakest.scope],
    }
    return render(request, "memory/contradiction_behind.html", context)


@require_safe
@space_page("facts:read", scoped=True)
def decisions(request: HttpRequest, here: Here) -> HttpResponse:
    """Decisions on record, the newest first."""
    given = parsed_query(HistoryQuery, request.GET)
    found, following = settled_contradictions(here.bound, before=given.cursor)
    names = shown_names(settled.decision.decided_by for settled in found)
    context = {
        "rows": [
            (settled, names[settled.decision.decided_by], here.bound.names[settled.decision.scope]) for settled in found
        ],
        "next": following,
        "is_continued": given.cursor is not None,
    }
    return render(request, "memory/contradiction_decisions.html", context)


def _settled(request: HttpRequest, here: Here) -> HttpResponse:
    """Take all decisions or none, and go on to the next contradiction; what was settled meanwhile is told."""
    try:
        decisions = _decisions(request.POST)
        attempted(lambda act: settle_all(act, here.bound, decisions))
    except Invalid as error:
        record_refusal(here.caller, here.space, request, error)
        return inbox(request, here, _asked(request.POST), error=error, reason=request.POST.get("reason", ""))
    except (Conflict, NotFound) as error:
        record_refusal(here.caller, here.space, request, error)
        messages.warning(request, _told(error, len(request.POST.getlist("facts"))))
    else:
        several = len(decisions)
        messages.success(request, "Decision written." if several == 1 else f"{several} decisions written.")
    return redirect(_address(here, _back(request.POST)))


def _decisions(posted: QueryDict) -> list[DecisionInput]:
    """Each `facts` holds the ids of one contradiction, the preferred one first, which is what is chosen of several."""
    groups = [text.split() for text in posted.getlist("facts")]
    if not 1 <= len(groups) <= MOST_AT_ONCE:
        raise Invalid(f"Pick 1 to {MOST_AT_ONCE} contradictions.", field="facts")
    common: dict[str, Any] = {"decision": posted.get("decision", "")}
    if reason := posted.get("reason", "").strip():
        common["reason"] = reason
    if len(groups) == 1 and (number := posted.get("reopens", "")).isdecimal():
        common["reopens"] = int(number)
    found = []
    for group in groups:
        stated = common | {"facts": group}
        if common["decision"] == "choose":
            stated["chosen"] = posted.get("chosen", "") if len(groups) == 1 else group[0]
        found.append(validated(DecisionInput, stated))
    return found


def _told(error: KndlError, several: int) -> str:
    which = "One of them" if several > 1 else "This contradiction"
    return f"{which} was settled by somebody else meanwhile, or has changed. Nothing was written."


def _asked(posted: QueryDict) -> QueryDict:
    """The address of the page that the decision was sent from."""
    asked = _back(posted)
    for name in ("claim", "chosen"):
        if name in posted:
            asked[name] = posted.get(name, "")
    if "pick" in posted:
        asked.setlist("pick", posted.getlist("pick"))
    if (decision := posted.get("decision", "")) in ("choose", "multi_valued", "dismiss"):
        asked["ask"] = decision
    return asked


def _back(posted: QueryDict) -> QueryDict:
    """The list as it was asked for, with the next contradiction open."""
    back = without(QueryDict(posted.get("list", "")[:4_000]), "claim", "ask", "pick", "chosen")
    back.setdefault("scope", posted.get("scope", ""))
    if "following" in posted:
        back["claim"] = posted.get("following", "")
    return back


def _address(here: Here, query: QueryDict) -> str:
    return f"{reverse('contradictions_page', args=[here.space.slug])}?{query.urlencode()}"
