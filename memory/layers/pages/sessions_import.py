"""Pages where a person brings in a transcript: the form, what became of it, and how far a large one has come."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_safe

from common.errors import Invalid, TooLarge
from common.rest.query import parsed_query
from memory.facts.asking import ScopeQuery
from memory.sessions.importing import Outcome
from memory.sessions.jobs import find_import, outcome_of
from memory.sessions.models import TranscriptImport
from memory.sessions.uploading import take_transcript
from spaces.access import visible_scopes
from spaces.pages import Here, space_page

MOST_SHOWN = 100
_LONGEST_NAME = 200


class TranscriptForm(forms.Form):
    """Which file, and into which scope."""

    scope = forms.ChoiceField(help_text="Whose memory it becomes.")
    transcript = forms.FileField(
        label="File",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
        help_text=(
            "A Claude Code or Codex session, ChatGPT’s conversations.json, JSON Lines, or a ZIP archive of several;"
            " 200 MB at most."
        ),
    )

    def __init__(self, *args: Any, scopes: list[str], chosen: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["scope"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, name) for name in scopes]
        field.initial = chosen


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("sessions:write", scoped=True)
def import_transcript_page(request: HttpRequest, here: Here) -> HttpResponse:
    """A form for a file; afterwards what became of it. A large one is worked through in the background."""
    scopes = list(visible_scopes(here.caller, here.space).order_by("name").values_list("name", flat=True))
    chosen = "" if here.bound.every else here.bound.one.name
    form = TranscriptForm(request.POST or None, request.FILES or None, scopes=scopes, chosen=chosen)
    context: dict[str, Any] = {"form": form}
    status = 200
    if request.method == "POST":
        status = Invalid.status
        if form.is_valid():
            file = form.cleaned_data["transcript"]
            try:
                taken = take_transcript(here.bound, file.read, (file.name or "transcript")[:_LONGEST_NAME])
            except (Invalid, TooLarge) as error:
                form.add_error("transcript", error.errors[0].detail if error.errors else error.detail)
                status = error.status
            else:
                if isinstance(taken, TranscriptImport):
                    return redirect(_progress_address(here, taken))
                context |= outcome_shown(taken)
                status = 200
    return render(request, "memory/layers/import_transcript.html", context, status=status)


@require_safe
@space_page("sessions:read", scoped=True)
def transcript_progress(request: HttpRequest, here: Here, import_id: str) -> HttpResponse:
    """How far the import of a large transcript has come, and what became of it."""
    parsed_query(ScopeQuery, request.GET)
    job = find_import(here.bound, import_id)
    is_open = job.state in {TranscriptImport.State.WAITING, TranscriptImport.State.RUNNING}
    context = {
        "job": job,
        "is_open": is_open,
        "job_scope": here.bound.names[job.scope],
        **outcome_shown(outcome_of(job)),
    }
    response = render(request, "memory/layers/transcript_progress.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def outcome_shown(outcome: Outcome) -> dict[str, Any]:
    """What became of a transcript, as a part of a page's context."""
    sessions = list(outcome.sessions.items())
    return {
        "outcome": outcome,
        "came": sessions[:MOST_SHOWN],
        "more_came": max(len(sessions) - MOST_SHOWN, 0),
        "masked": sorted(outcome.masked.items()),
        "masked_count": sum(outcome.masked.values()),
        "skipped": sorted((kind.replace("_", " "), count) for kind, count in outcome.skipped.items()),
        "broken": outcome.broken[:MOST_SHOWN],
        "more_broken": max(outcome.broken_count - MOST_SHOWN, 0),
    }


def _progress_address(here: Here, job: TranscriptImport) -> str:
    address = reverse("transcript_progress", args=[here.space.slug, job.pk])
    return f"{address}?{urlencode({'scope': here.bound.one.name})}"
