"""Pages about the whole Library: its revisions, what was deleted, what the prompt carries, its limits."""

from typing import Annotated, Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from pydantic import Field

from accounts.confirming import require_confirmation
from common.errors import Invalid
from common.rest.query import QueryModel, parsed_query
from common.strict import validated
from library.limits import LimitsInput, current_limits, set_limits
from library.manifest import current_manifest
from library.models import FileRevision, LibraryFile
from library.mounts import TARGET
from library.pages.limits_form import LimitsForm
from library.rules.sizes import size_words
from library.showing_history import revisions
from spaces.databases.transactions import attempted_here
from spaces.forms import say_errors
from spaces.pages import Here, space_page

ROWS = 100


class RevisionsQuery(QueryModel):
    """Where the list goes on."""

    before: Annotated[int, Field(ge=1, le=2**62)] | None = None


@require_safe
@space_page("library_pages:read", enters=False)
def revisions_page(request: HttpRequest, here: Here) -> HttpResponse:
    """The revisions of the Library, the newest first: who, when, what, and the note."""
    given = parsed_query(RevisionsQuery, request.GET)
    rows, older = revisions(given.before)
    return render(request, "library/revisions.html", {"rows": rows, "older": older, "is_continued": given.before})


@require_safe
@space_page("library_pages:read", enters=False)
def deleted_page(request: HttpRequest, here: Here) -> HttpResponse:
    """What was deleted and can be restored, the latest first."""
    page = Paginator(_deleted(), ROWS).get_page(request.GET.get("page"))
    versions = _last_versions(list(page))
    rows = [(file, versions.get(file.pk), size_words(file.blob.size)) for file in page]
    return render(request, "library/deleted.html", {"page": page, "rows": rows})


@require_safe
@space_page("library_pages:read", enters=False)
def prompt_page(request: HttpRequest, here: Here) -> HttpResponse:
    """The part of a seat's prompt that says what the Library holds, letter for letter."""
    manifest = current_manifest()
    context = {"manifest": manifest, "text": manifest.text(), "target": TARGET, "size": size_words(manifest.size)}
    return render(request, "library/prompt.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("library_pages:limit", enters=False)
def limits_page(request: HttpRequest, here: Here) -> HttpResponse:
    """How much the Library takes, and of what; whoever changes it has just proved that it is them."""
    limits = current_limits()
    if request.method != "POST":
        return render(request, "library/limits.html", {"form": LimitsForm.of(limits)})
    require_confirmation(request)
    form = LimitsForm(request.POST)
    if form.is_valid():
        try:
            given = validated(LimitsInput, form.given())
            attempted_here(lambda act: set_limits(act, here.caller, given))
        except Invalid as error:
            say_errors(form, error)
        else:
            messages.success(request, "Limits saved.")
            return redirect("library_limits", space=here.space.slug)
    return render(request, "library/limits.html", {"form": form}, status=400)


def _deleted() -> QuerySet[LibraryFile]:
    files = LibraryFile.objects.exclude(deleted_at=None).select_related("blob", "revision")
    return files.order_by("-deleted_at", "pk")


def _last_versions(files: list[LibraryFile]) -> dict[Any, int]:
    """The last version with a content, of each of these files."""
    rows = FileRevision.objects.filter(file__in=files).exclude(blob=None).order_by("file_id", "version")
    return dict(rows.values_list("file_id", "version"))
