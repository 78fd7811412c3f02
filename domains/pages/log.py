"""LOG as a timeline that can be filtered and followed, and adding to it."""

from datetime import date
from typing import Annotated, Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from pydantic import Field

from common.errors import Conflict, Forbidden, Invalid, KndlError
from common.rest.query import QueryModel, parsed_query
from common.strict import Read
from domains import reading
from domains.appending import append_line
from domains.holding import held
from domains.models import Source
from domains.pages.finding import say_refused, shown, standing_here
from domains.projects import today_in
from domains.rights import Standing
from domains.rules.log import LONGEST, parsed_day
from domains.showing_log import projects_in, timeline
from spaces.databases.transactions import attempted_here
from spaces.pages import Here, space_page
from spaces.rules import ADMIN, MEMBER, OWNER


def _day(text: str) -> date | None:
    return parsed_day(text) if text else None


_Day = Annotated[date | None, Read(_day)]


class LogPageQuery(QueryModel):
    """Which lines; an empty field of the form filters nothing."""

    project: Annotated[str, Field(max_length=48)] = ""
    begin: Annotated[_Day, Field(alias="from")] = None
    end: Annotated[_Day, Field(alias="to")] = None
    before: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class LineForm(forms.Form):
    """One change; what may stand in it is said by `domains.rules.log`."""

    date = forms.DateField(widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    project = forms.ChoiceField()
    change = forms.CharField(
        strip=False, max_length=LONGEST, help_text="One line. It stays as it is: lines are never altered or removed."
    )

    def __init__(self, *args: Any, projects: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["project"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(slug, slug) for slug in projects]


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def log_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """The timeline; a POST adds a line."""
    given = parsed_query(LogPageQuery, request.GET)
    if given.begin and given.end and given.begin > given.end:
        raise Invalid("must not lie before from", field="to")
    standing = standing_here(here, domain)
    if request.method != "POST":
        return _page(request, standing, given, _empty_form(standing))
    standing.require_writing()
    form = LineForm(request.POST, projects=_own_projects(standing))
    if not form.is_valid():
        return _page(request, standing, given, form, status=400)
    sent = form.cleaned_data
    try:
        with held(standing.domain):
            attempted_here(
                lambda act: append_line(
                    act,
                    standing,
                    change=sent["change"],
                    project=sent["project"],
                    day=sent["date"],
                    source=Source.PAGE,
                )
            )
    except (Conflict, Forbidden):
        raise
    except KndlError as error:
        say_refused(request, here, form, error)
        return _page(request, standing, given, form, status=error.status)
    messages.success(request, "Added to LOG.")
    return redirect(reverse("domain_log", args=[here.space.slug, standing.domain.slug]))


def _page(
    request: HttpRequest, standing: Standing, given: LogPageQuery, form: LineForm | None, *, status: int = 200
) -> HttpResponse:
    asked = reading.LogQuery(given.project, given.begin, given.end)
    context = {
        "timeline": timeline(standing.domain, asked, before=given.before),
        "given": given,
        "is_filtered": bool(given.project or given.begin or given.end),
        "projects": projects_in(standing.domain, [member.slug for member in standing.members]),
        "form": form,
        "follow": _follow_address(standing, given),
        "last": reading.last_line_of(standing.domain),
    }
    return shown(request, standing, "log", context, status=status)


def _follow_address(standing: Standing, given: LogPageQuery) -> str:
    """Where new lines are asked for; nothing on a page that new ones don't belong on."""
    if given.before or given.end or standing.domain.retired_at is not None:
        return ""
    filters = {"project": given.project, "from": given.begin.isoformat() if given.begin else ""}
    query = urlencode({name: value for name, value in filters.items() if value})
    address = reverse("domain-log", args=[standing.domain.slug])
    return f"{address}?{query}" if query else address


def _empty_form(standing: Standing) -> LineForm | None:
    """The form with the day that it is at the first project; none for who may not write."""
    projects = _own_projects(standing)
    if standing.domain.retired_at is not None or not projects:
        return None
    first = next(member for member in standing.members if member.slug == projects[0])
    return LineForm(projects=projects, initial={"date": today_in(first)})


def _own_projects(standing: Standing) -> list[str]:
    """The members in whose name the reader may write."""
    return [one.slug for one in standing.members if standing.roles.get(one.space_id) in {OWNER, ADMIN, MEMBER}]
