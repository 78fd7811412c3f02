"""The page where a person brings in a memory folder."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from common.errors import Invalid
from memory.facts.importing import import_facts
from memory.facts.pages.uploads import Refusal, Uploads
from spaces.access import visible_scopes
from spaces.pages import Here, space_page

MOST_SHOWN = 200


class SeveralFiles(forms.ClearableFileInput):
    """A file field that takes more than one."""

    allow_multiple_selected = True


class ImportForm(forms.Form):
    """Which files, and into which scope."""

    scope = forms.ChoiceField(help_text="Whose memory they become.")
    uploads = forms.Field(
        label="Files",
        error_messages={"required": "Choose one file or more."},
        widget=SeveralFiles(attrs={"accept": ".jsonl,.ndjson,.json", "multiple": True}),
        help_text="A .jsonl file with a fact a line, or up to 100 .fact.json files of a memory folder.",
    )
    as_scope = forms.BooleanField(
        label="Take facts of another tenant as this scope’s own", required=False, help_text="Else they are refused."
    )

    def __init__(self, *args: Any, scopes: list[str], chosen: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["scope"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, name) for name in scopes]
        field.initial = chosen


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("facts:import", scoped=True)
def import_page(request: HttpRequest, here: Here) -> HttpResponse:
    """A form for files; afterwards what became of them, each refusal by file and reason."""
    context: dict[str, Any] = {"scope_page": reverse("facts_page", args=[here.space.slug])}
    scopes = list(visible_scopes(here.caller, here.space).order_by("name").values_list("name", flat=True))
    chosen = "" if here.bound.every else here.bound.one.name
    form = ImportForm(request.POST or None, request.FILES or None, scopes=scopes, chosen=chosen)
    status = 200
    if request.method == "POST":
        files = request.FILES.getlist("uploads")
        if files:
            uploads = Uploads(files)
            outcome = import_facts(here.bound, uploads.lines(), as_scope=request.POST.get("as_scope") == "on")
            context |= {"outcome": outcome} | _shown(uploads.refusals(outcome.errors))
        else:
            status = Invalid.status
    return render(request, "memory/import.html", context | {"form": form}, status=status)


def _shown(refusals: list[Refusal]) -> dict[str, Any]:
    return {"refusals": refusals[:MOST_SHOWN], "more_refusals": len(refusals) - MOST_SHOWN, "refused": len(refusals)}
