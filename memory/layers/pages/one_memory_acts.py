"""Changing one memory: other words, another type, one with another that says the same; each on record."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from common.errors import Conflict, Invalid, Unprocessable
from common.strict import validated
from common.times import now
from memory.layers.api.asking import number_of
from memory.layers.governing.correcting import CorrectionInput, TypeInput, correct, retype
from memory.layers.merging import Merge, MergeInput, merge, preview_merge, unmerge
from memory.layers.pages.memory_acts import refused
from memory.layers.pages.memory_addresses import page_of_memory
from memory.layers.pages.one_memory import row_of
from memory.layers.reading import MemoryQuery, find_memory, query_memories
from memory.layers.showing_rows import rows_of
from memory.layers.showing_words import title_of
from memory.layers.statements import Memory
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page
from spaces.recording import record_refusal

CANDIDATES = 20
_REFUSALS = (Invalid, Conflict, Unprocessable)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("memory:govern", scoped=True)
def correct_memory(request: HttpRequest, here: Here, memory_id: str) -> HttpResponse:
    """A form for other words; the memory with them takes this one's place."""
    memory = find_memory(here.bound, number_of(memory_id, "memory"))
    context: dict[str, Any] = {"row": row_of(here, memory), "memory": memory, "said": _said(memory)}
    status = 200
    if request.method == "POST":
        context["said"] = {name: request.POST.get(name, "") for name in ("name", "text", "reason")}
        try:
            given = validated(CorrectionInput, _correction(request, memory))
            made = attempted(lambda act: correct(act, here.bound, memory.id, given, now()))
        except _REFUSALS as error:
            record_refusal(here.caller, here.space, request, error)
            context, status = context | {"error": error}, error.status
        else:
            messages.success(request, "Corrected. This memory stands in the other one’s place.")
            return redirect(page_of_memory(here, here.bound.one.name, made))
    return render(request, "memory/layers/correct.html", context, status=status)


@require_POST
@space_page("memory:govern", scoped=True)
def retype_memory(request: HttpRequest, here: Here, memory_id: str) -> HttpResponse:
    """Say that a concept is of another type."""
    number = number_of(memory_id, "memory")
    try:
        given = validated(TypeInput, {"type": request.POST.get("type", "")})
        attempted(lambda act: retype(act, here.bound, number, given.type, now()))
    except _REFUSALS as error:
        refused(request, here, error)
    else:
        messages.success(request, f"It is of type {given.type} now.")
    return redirect(page_of_memory(here, here.bound.one.name, number))


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("memory:govern", scoped=True)
def merge_memory(request: HttpRequest, here: Here, memory_id: str) -> HttpResponse:
    """Choose a memory that says the same, see what merging would do, and merge."""
    memory = find_memory(here.bound, number_of(memory_id, "memory"))
    other = request.POST.get("with") or request.GET.get("with", "")
    context: dict[str, Any] = {"row": row_of(here, memory), "memory": memory, "q": request.GET.get("q", "")[:500]}
    status = 200
    try:
        if other:
            given = _merge_of(memory, other, request.POST.get("into") or request.GET.get("into", ""))
            if request.method == "POST":
                made = attempted(lambda act: merge(act, here.bound, given, now()))
                messages.success(request, "Merged. It can be undone as a whole, below.")
                return redirect(page_of_memory(here, here.bound.one.name, made))
            context |= _planned(here, memory, preview_merge(here.bound, given, now()))
        else:
            context["candidates"] = _candidates(here, memory, context["q"])
    except _REFUSALS as error:
        record_refusal(here.caller, here.space, request, error)
        context, status = context | {"error": error, "candidates": _candidates(here, memory, "")}, error.status
    return render(request, "memory/layers/merge.html", context, status=status)


@require_POST
@space_page("memory:govern", scoped=True)
def unmerge_memory(request: HttpRequest, here: Here, memory_id: str) -> HttpResponse:
    """Undo the latest merge into this memory, or the one it went away in."""
    number = number_of(memory_id, "memory")
    try:
        attempted(lambda act: unmerge(act, here.bound, number, now()))
    except (Conflict, Unprocessable) as error:
        refused(request, here, error)
    else:
        messages.success(request, "The merge is undone: both stand again.")
    return redirect(page_of_memory(here, here.bound.one.name, number))


def merge_address(here: Here, memory: Memory, **query: str | int) -> str:
    """The page that merges a memory, in the bound scope."""
    address = reverse("merge_memory", args=[here.space.slug, memory.id])
    return f"{address}?{urlencode({'scope': here.bound.one.name, **query})}"


def _said(memory: Memory) -> dict[str, str]:
    return {"name": title_of(memory), "text": memory.text, "reason": ""}


def _correction(request: HttpRequest, memory: Memory) -> dict[str, str]:
    """What the form changes: fields that say what they said are left out."""
    before = _said(memory)
    fields = ("text",) if memory.layer == 1 else ("name", "text")
    typed = {name: request.POST.get(name, "").replace("\r\n", "\n").strip() for name in fields}
    given = {name: text for name, text in typed.items() if text != before[name].strip()}
    if reason := request.POST.get("reason", "").strip():
        given["reason"] = reason
    return given


def _merge_of(memory: Memory, other: str, into: str) -> MergeInput:
    ids = [memory.id, number_of(other, "memory")]
    if ids[0] == ids[1]:
        raise Invalid("must be another memory", field="with")
    chosen = {"into": number_of(into, "memory")} if into else {}
    return validated(MergeInput, {"ids": ids, **chosen})


def _planned(here: Here, memory: Memory, plan: Merge) -> dict[str, Any]:
    (gone,) = plan.others
    other = gone if plan.survivor.id == memory.id else plan.survivor
    return {
        "plan": plan,
        "survivor": row_of(here, plan.survivor),
        "gone": row_of(here, gone),
        "other": other,
        "swapped": merge_address(here, memory, **{"with": other.id, "into": gone.id}),
    }


def _candidates(here: Here, memory: Memory, words: str) -> list[Any]:
    """Memories of the same kind that hold the words, the newest first."""
    query = MemoryQuery(layer=memory.layer, type=memory.type, text=words or None, limit=CANDIDATES + 1)
    found = [other for other in query_memories(here.bound, query).memories if other.id != memory.id]
    return rows_of(here.bound, found[:CANDIDATES])
