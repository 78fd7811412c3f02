"""What the buttons under memories do: pin, unpin, archive and restore; forgetting is shown first."""

from typing import Any, get_args
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from common.errors import Conflict, Invalid, KndlError, NotFound, Unprocessable
from common.times import now
from memory.layers.api.asking import number_of
from memory.layers.governing.standing import Verb, change_standing
from memory.layers.pages.memory_addresses import page_of_memory
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal

MOST_PICKED = 200
_DONE: dict[str, str] = {
    "pin": "Pinned: {}. The strength stands still now.",
    "unpin": "Unpinned: {}. The strength fades again from now on.",
    "archive": "Archived: {}. Out of recall; restore brings it back.",
    "restore": "Restored: {}. In recall again, at a strength of 0.5 at least.",
}


@require_POST
@space_page("memory:govern", scoped=True)
def memory_acts(request: HttpRequest, here: Here) -> HttpResponse:
    """Do what the pressed button says with the memories that are picked, all or none, and go back."""
    posted = request.POST
    try:
        picked = _picked(posted)
        if posted.get("act") == "forget":
            query = {"scope": here.bound.one.name, "ids": ".".join(map(str, picked))}
            return redirect(f"{reverse('memory_forget', args=[here.space.slug])}?{urlencode(query)}")
        verb = _verb(posted)
        changed = attempted(lambda act: change_standing(act, here.bound, verb, picked, now()))
    except (Invalid, Conflict, NotFound, Unprocessable) as error:
        refused(request, here, error)
    else:
        messages.success(request, _DONE[verb].format(_memories(changed)))
    return redirect(_back(here, posted))


def refused(request: HttpRequest, here: Here, error: KndlError) -> None:
    """Say why nothing was changed, and put it on record where that belongs."""
    record_refusal(here.caller, here.space, request, error)
    detail = error.detail[:1].upper() + error.detail[1:].rstrip(".")
    messages.warning(request, f"{detail}. Nothing was changed.")


def _picked(posted: QueryDict) -> list[int]:
    picked = [number_of(text, "memory") for text in posted.getlist("memory")]
    if not 1 <= len(picked) <= MOST_PICKED:
        raise Invalid("Pick a memory first." if not picked else f"Pick {MOST_PICKED} memories at most.")
    return picked


def _verb(posted: QueryDict) -> Verb:
    verb: Any = posted.get("act")
    if verb not in get_args(Verb):
        raise Invalid("Say what is to be done.")
    return verb  # type: ignore[no-any-return]


def _memories(count: int) -> str:
    return {0: "none, it was so already", 1: "1 memory"}.get(count, f"{count} memories")


def _back(here: Here, posted: QueryDict) -> str:
    """The list as it was, or the page of the one memory whose button was pressed."""
    if posted.get("back") == "memory":
        return page_of_memory(here, here.bound.one.name, number_of(posted.get("memory", ""), "memory"))
    query = QueryDict(posted.get("list", "")[:4_000], mutable=True)
    query["scope"] = here.bound.one.name
    query.pop("cursor", None)
    return f"{reverse('memory_page', args=[here.space.slug])}?{query.urlencode()}"
