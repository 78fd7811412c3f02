"""Making a domain, and choosing its members: the instance's owner alone does that."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from audit.recording import Act
from common.errors import Conflict, Forbidden, KndlError
from domains import siblings, tasks
from domains.holding import begin
from domains.making import change_domain, make_domain, set_members
from domains.models import Domain, Source
from domains.pages.finding import domain_address, put_on_record, say_refused, shown, standing_here
from domains.rights import Standing, require_governing
from domains.showing_list import projects_to_share
from spaces.databases.transactions import attempted_here
from spaces.models import Project
from spaces.pages import Here, space_page

_CROSSES = "crosses_spaces"


class MembersForm(forms.Form):
    """What a domain is called, and which projects share it."""

    name = forms.CharField(max_length=120)
    members = forms.MultipleChoiceField(
        label="Member projects", required=False, widget=forms.CheckboxSelectMultiple, choices=()
    )
    cross_read = forms.BooleanField(
        label="Members read each other’s project folders",
        required=False,
        help_text="Without KEYS.md, .env*, data/ and .git.",
    )
    crosses = forms.BooleanField(
        label="These projects are of several Spaces, and that is meant",
        required=False,
        help_text="Who is in one of the Spaces then reads what the others write in this domain.",
    )

    def __init__(self, *args: Any, projects: list[Project], asks_crossing: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._projects = {str(project.pk): project for project in projects}
        field = self.fields["members"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [
            (key, f"{project.name} ({project.space.slug}/{project.slug})") for key, project in self._projects.items()
        ]
        if not asks_crossing:
            del self.fields["crosses"]

    def chosen(self) -> list[Project]:
        """The projects that were ticked."""
        return [self._projects[key] for key in self.cleaned_data["members"]]


class DomainForm(MembersForm):
    """A new domain."""

    slug = forms.CharField(
        label="Short name",
        max_length=48,
        help_text="For the folder and addresses: lower-case letters, digits and hyphens. It stays as it is.",
    )
    field_order = ("slug", "name", "members", "cross_read", "crosses")


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:govern", enters=False)
def new(request: HttpRequest, here: Here) -> HttpResponse:
    """Make a domain."""
    projects = projects_to_share(here.caller)
    if request.method != "POST":
        empty = DomainForm(projects=projects, initial={"cross_read": True})
        return render(request, "domains/new.html", {"form": empty, "projects": projects})
    form: MembersForm = DomainForm(request.POST, projects=projects, asks_crossing="crosses" in request.POST)
    if not form.is_valid():
        return render(request, "domains/new.html", {"form": form, "projects": projects}, status=400)
    try:
        domain = attempted_here(lambda act: _make(act, here, form))
    except Forbidden:
        raise
    except KndlError as error:
        form = _with_crossing(request, here, DomainForm, projects, error) or form
        if error.type != _CROSSES:
            say_refused(request, here, form, error)
        context = {"form": form, "projects": projects, "crossing": error.extra.get("spaces")}
        return render(request, "domains/new.html", context, status=error.status)
    begin(domain)
    tasks.wake(domain.pk)
    messages.success(request, f"Made the domain {domain.name}.")
    chosen = form.chosen()
    is_here = not chosen or any(project.space_id == here.space.pk for project in chosen)
    return redirect(domain_address(here, domain) if is_here else reverse("domains_page", args=[here.space.slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("domain_pages:look", enters=False)
def members_page(request: HttpRequest, here: Here, domain: str) -> HttpResponse:
    """Change the name, the members, and whether they read each other's folders."""
    standing = standing_here(here, domain)
    require_governing(here.caller)
    found = standing.domain
    if found.retired_at is not None:
        raise Conflict("The domain is retired: it can be read, and changes no more.", type="retired")
    projects = projects_to_share(here.caller)
    if request.method != "POST":
        initial = {"name": found.name, "cross_read": found.cross_read, "members": [one.pk for one in standing.members]}
        form = MembersForm(projects=projects, initial=initial | {"crosses": found.crosses}, asks_crossing=found.crosses)
        return shown(request, standing, "members", {"form": form})
    form = MembersForm(request.POST, projects=projects, asks_crossing=found.crosses or "crosses" in request.POST)
    if not form.is_valid():
        return shown(request, standing, "members", {"form": form}, status=400)
    try:
        attempted_here(lambda act: _change(act, standing, form))
    except Forbidden:
        raise
    except KndlError as error:
        form = _with_crossing(request, here, MembersForm, projects, error) or form
        if error.type != _CROSSES:
            say_refused(request, here, form, error)
        context = {"form": form, "crossing": error.extra.get("spaces")}
        return shown(request, standing, "members", context, status=error.status)
    siblings.withdraw(found)
    tasks.wake(found.pk)
    messages.success(request, "Members saved.")
    chosen = form.chosen()
    is_here = not chosen or any(project.space_id == here.space.pk for project in chosen)
    return redirect(domain_address(here, found) if is_here else reverse("domains_page", args=[here.space.slug]))


def _make(act: Act, here: Here, form: MembersForm) -> Domain:
    given = form.cleaned_data
    return make_domain(
        act,
        here.caller,
        slug=given["slug"],
        name=given["name"],
        cross_read=given["cross_read"],
        members=form.chosen(),
        crosses=bool(given.get("crosses")),
        source=Source.PAGE,
    )


def _change(act: Act, standing: Standing, form: MembersForm) -> None:
    given = form.cleaned_data
    change_domain(act, standing, name=given["name"], cross_read=given["cross_read"])
    set_members(act, standing, form.chosen(), crosses=bool(given.get("crosses")))


def _with_crossing(
    request: HttpRequest, here: Here, kind: type[MembersForm], projects: list[Project], error: KndlError
) -> MembersForm | None:
    """The same form with the box that confirms members of several Spaces, where that is what it was refused for."""
    if error.type != _CROSSES:
        return None
    put_on_record(request, here, error)
    form = kind(request.POST, projects=projects, asks_crossing=True)
    form.is_valid()
    return form
