"""Finding the domain of an address, and what several pages do alike."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from common.errors import KndlError
from domains.models import Domain, DomainMember
from domains.rights import Standing, find_domain
from spaces.access import Hidden
from spaces.forms import say_errors
from spaces.models import Project
from spaces.pages import Here
from spaces.recording import record_refusal

NOT_CONFIRMED = (
    "More than five minutes ago you proved that it is you. Do so again in another tab, then send this once more."
)


@dataclass(frozen=True)
class StandingHere(Standing):
    """The same, with its members read once for the rights and for what a page shows of them."""

    @cached_property
    def rows(self) -> list[DomainMember]:
        """The members by name, with what is known of their views."""
        found = DomainMember.objects.filter(domain=self.domain).select_related("project__space", "view")
        return list(found.order_by("project__slug", "project__space__slug"))

    @cached_property
    def members(self) -> list[Project]:
        """The projects that share the domain."""
        return [row.project for row in self.rows]


def standing_here(here: Here, slug: str) -> StandingHere:
    """What the reader is to a domain that a project of this Space shares.

    The instance's owner finds one without any member everywhere. Raises Hidden like for a domain that was never made.
    """
    standing = StandingHere(here.caller, find_domain(here.caller, slug).domain)
    members = standing.members
    if all(project.space_id != here.space.pk for project in members) and (members or not standing.governs):
        raise Hidden("There is no such domain.")
    return standing


def domain_address(here: Here, domain: Domain) -> str:
    """The page of a domain."""
    return reverse("domain_page", args=[here.space.slug, domain.slug])


def abilities(standing: Standing) -> dict[str, bool]:
    """What the reader may do, for a page to offer it; a retired domain is only read."""
    is_live = standing.domain.retired_at is None
    return {
        "may_write": is_live and standing.writes,
        "may_reveal": is_live and standing.reveals,
        "may_keep": is_live and standing.keeps_keys,
        "may_see_evidence": standing.keeps_evidence,
        "may_govern": is_live and standing.governs,
    }


def shown(
    request: HttpRequest, standing: Standing, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """A page of one domain."""
    common: dict[str, Any] = {"domain": standing.domain, **abilities(standing)}
    return render(request, f"domains/{template}.html", {**common, **context}, status=status)


def say_refused(request: HttpRequest, here: Here, form: forms.Form, error: KndlError) -> None:
    """Say in a form why it was refused, with the refusal on record where those of its kind are."""
    put_on_record(request, here, error)
    say_errors(form, error)


def put_on_record(request: HttpRequest, here: Here, error: KndlError) -> None:
    """Record a refusal that is shown on a page of ours."""
    record_refusal(here.caller, None, request, error)
