"""The domains of a Space, each with what a glance should tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest

from domains.models import ContextRevision, Domain, DomainMember, GitState, LogLine
from domains.reading import domains_for
from domains.rights import require_governing
from domains.rules.context import LARGE
from domains.showing_evidence import evidence_count
from spaces.access import Caller
from spaces.models import Project, Space
from spaces.rules import owns_instance

GIT_WARNINGS = {
    GitState.State.TRACKED: ("danger", "KEYS.md in git"),
    GitState.State.HISTORY: ("danger", "KEYS.md in the history of git"),
    GitState.State.UNGUARDED: ("caution", "git unguarded"),
    GitState.State.UNKNOWN: ("caution", "git not checked"),
}


@dataclass(frozen=True)
class ListedDomain:
    """A domain as the list shows it; `warnings` holds the kind of each tag and its words."""

    domain: Domain
    members: Sequence[Project]
    changed_at: datetime
    warnings: Sequence[tuple[str, str]]


def listed(caller: Caller, space: Space, *, retired: bool, shows_evidence: bool) -> list[ListedDomain]:
    """The domains that a project of the Space shares, by name; those that are retired only when asked for.

    The instance's owner has those without any member as well.
    """
    return [_listed(row, shows_evidence=shows_evidence) for row in _rows(caller, space, retired=retired)]


def projects_to_share(caller: Caller) -> list[Project]:
    """All projects of the instance, for whoever chooses members. Raises Forbidden for anybody else."""
    require_governing(caller)
    return list(Project.objects.select_related("space").order_by("space__name", "name", "slug"))


def _rows(caller: Caller, space: Space, *, retired: bool) -> QuerySet[Domain]:
    members = DomainMember.objects.filter(domain=OuterRef("pk"))
    here = Q(Exists(members.filter(project__space=space)))
    if owns_instance.test(caller):
        here |= Q(~Exists(members))
    revision = ContextRevision.objects.filter(domain=OuterRef("pk")).order_by("-number")
    line = LogLine.objects.filter(domain=OuterRef("pk")).order_by("-number")
    size = Func(F("text"), function="octet_length", output_field=IntegerField())
    found = domains_for(caller, retired=retired).filter(here).select_related("git")
    return found.prefetch_related("members__project__space").annotate(
        size=Subquery(revision.values(bytes=size)[:1]),
        changed_at=Greatest(Subquery(revision.values("at")[:1]), Subquery(line.values("at")[:1]), "made_at"),
        kept=evidence_count("pk"),
    )


def _listed(row: Domain, *, shows_evidence: bool) -> ListedDomain:
    members = sorted((member.project for member in row.members.all()), key=lambda one: one.slug)
    warnings = []
    git = getattr(row, "git", None)
    if row.retired_at is None and git is not None and git.state in GIT_WARNINGS:
        warnings.append(GIT_WARNINGS[GitState.State(git.state)])
    if shows_evidence and row.kept:  # type: ignore[attr-defined]
        warnings.append(("caution", f"{row.kept:,} kept aside"))  # type: ignore[attr-defined]
    if (row.size or 0) > LARGE:  # type: ignore[attr-defined]
        warnings.append(("caution", "CONTEXT near its limit"))
    return ListedDomain(row, members, row.changed_at, warnings)  # type: ignore[attr-defined]
