"""What a project's seats are given of its domains."""

from pathlib import Path

from common.mounts import Mount
from domains.models import Domain, DomainMember
from domains.places import folder_of
from domains.rules.showing import LEFT_OUT
from domains.siblings import view_of
from spaces.models import Project


def mounts_of(project: Project) -> list[Mount]:
    """The directories of the project's domains, to write in, and with cross-read its siblings' views; by name.

    All its seats get the same, whatever their kind. A retired domain gives none.
    """
    found = []
    for domain in domains_of(project):
        why = f"shared by the projects of the domain {domain.slug}"
        found.append(Mount(f"domain {domain.slug}", folder_of(domain), f"/domains/{domain.slug}", "rw", (), why))
        if domain.cross_read:
            found += [_sibling(domain, member.project) for member in _others(domain, project)]
    return found


def domains_of(project: Project) -> list[Domain]:
    """The domains in force that a project shares, by short name."""
    return list(Domain.objects.filter(members__project=project, retired_at=None).order_by("slug"))


def _sibling(domain: Domain, sibling: Project) -> Mount:
    source: Path = view_of(domain, sibling)
    # A mount needs something to be mounted; the next tick fills it.
    source.mkdir(parents=True, exist_ok=True)
    why = f"a sibling in the domain {domain.slug}, to read"
    target = f"/siblings/{domain.slug}/{sibling.slug}"
    return Mount(f"sibling {domain.slug}/{sibling.slug}", source, target, "ro", LEFT_OUT, why)


def _others(domain: Domain, project: Project) -> list[DomainMember]:
    others = DomainMember.objects.filter(domain=domain).exclude(project=project)
    return list(others.select_related("project__space").order_by("project__slug"))
