"""The projects that share a domain, and which day it is there."""

import zoneinfo
from collections.abc import Callable
from datetime import date

from common.times import now
from domains.models import Domain
from spaces.models import Project


def members_of(domain: Domain) -> list[Project]:
    """The projects that share the domain, by name."""
    projects = Project.objects.filter(domains__domain=domain).select_related("space")
    return list(projects.order_by("slug", "space__slug"))


def today_in(project: Project) -> date:
    """The day that it is in the project's Space."""
    return now().astimezone(zoneinfo.ZoneInfo(project.space.zone)).date()


def today_of_members(domain: Domain) -> Callable[[str], date | None]:
    """By a member's name the day that it is there; None for a name that is no member's."""
    days = {project.slug: today_in(project) for project in members_of(domain)}
    return days.get
