"""The panel: folders and files, the search in them, and adding files."""

from typing import Annotated, Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe
from pydantic import Field

from common.errors import Invalid, KndlError
from common.rest.query import QueryModel, parsed_query
from library.models import LibraryRevision
from library.pages.addresses import panel_address, put_on_record
from library.refusals import BaseRequired
from library.rules.sizes import size_words
from library.showing_folder import Kind, Sort, crumbs, shown_folder
from library.words.searching import search_files
from library.writing import add_many
from spaces.pages import Here, space_page

FOUND = 50
MOST_AT_ONCE = 100
_SENT_BY_SCRIPT = "Kndl-Upload"


class PanelQuery(QueryModel):
    """What of the Library to show."""

    folder: Annotated[str, Field(max_length=2_000, pattern=r"\A(|[^/].*/)\z")] = ""
    q: Annotated[str, Field(max_length=500)] = ""
    kind: Kind | None = None
    text: Annotated[str, Field(pattern=r"\A(|none)\z")] = ""
    sort: Sort = "name"
    page: Annotated[int, Field(ge=1, le=10_000)] = 1


class AddForm(forms.Form):
    """Into which folder, and why. The files themselves are several."""

    folder = forms.CharField(required=False, max_length=2_000, help_text="Empty: the top. A new one is made.")
    note = forms.CharField(required=False, max_length=1_000)


@require_safe
@space_page("library_pages:read", enters=False)
def panel(request: HttpRequest, here: Here) -> HttpResponse:
    """A folder, 100 rows on a page; or what a search found."""
    query = request.GET.copy()
    # A filter that is left open is sent as an empty field.
    for name in [name for name in query if not query[name]]:
        del query[name]
    return _shown(request, parsed_query(PanelQuery, query), AddForm(initial={"folder": query.get("folder", "")}))


@require_POST
@space_page("library_pages:write", enters=False)
def add_files(request: HttpRequest, here: Here) -> HttpResponse:
    """Add files as one revision, all or none. A script that sends them is told where to go on."""
    form = AddForm(request.POST)
    by_script = _SENT_BY_SCRIPT in request.headers
    try:
        folder, count = _add(request, here, form)
    except KndlError as error:
        put_on_record(request, here, error)
        detail = _in_full(error)
        if by_script:
            return JsonResponse({"detail": detail}, status=error.status)
        form.add_error(None, detail)
        return _shown(request, PanelQuery(), form, status=error.status)
    messages.success(request, f"Added {count} file{'' if count == 1 else 's'}.")
    address = panel_address(here, folder)
    return JsonResponse({"to": address}) if by_script else redirect(address)


def _add(request: HttpRequest, here: Here, form: AddForm) -> tuple[str, int]:
    """Add what was sent; returns the folder, with a slash at its end, and the number of files."""
    if not form.is_valid():
        raise Invalid("The folder or the note is too long.")
    files = request.FILES.getlist("files")
    if not files:
        raise Invalid("Choose a file first.")
    folder = form.cleaned_data["folder"].strip("/")
    prefix = f"{folder}/" if folder else ""
    add_many(here.caller, [(f"{prefix}{file.name}", file) for file in files], form.cleaned_data["note"])
    return prefix, len(files)


def _in_full(error: KndlError) -> str:
    detail = error.detail[:1].upper() + error.detail[1:].rstrip(".")
    current = error.extra.get("current")
    if isinstance(error, BaseRequired) and isinstance(current, dict):
        detail = f"{current['path']} is there already: replace it on its own page"
    return f"{detail}. Nothing was added."


def _shown(request: HttpRequest, given: PanelQuery, form: AddForm, status: int = 200) -> HttpResponse:
    last = LibraryRevision.objects.order_by("-number").first()
    context: dict[str, Any] = {
        "given": given,
        "form": form,
        "crumbs": crumbs(given.folder),
        "revision": last,
        "size": size_words(last.total_size if last else 0),
        "is_filtered": bool(given.kind or given.text),
        "most": MOST_AT_ONCE,
    }
    if words := given.q.strip():
        context["found"] = search_files(words, page=given.page, limit=FOUND)
    else:
        context["shown"] = shown_folder(
            given.folder, kind=given.kind, no_text=given.text == "none", sort=given.sort, page=given.page
        )
    response = render(request, "library/panel.html", context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response
