"""What the members of a domain see of each other's folders."""

import os
from pathlib import Path

import structlog
from django.conf import settings

from common.folders.writing import locked
from common.times import now
from domains import views
from domains.looking import Looked, looked_over
from domains.models import Domain, DomainMember, SiblingView
from domains.places import project_folder, views_of
from spaces.models import Project

log = structlog.get_logger()


class NotShown(Exception):
    """Why there is nothing to show of a folder."""


def refresh(domain: Domain) -> None:
    """Bring the views of a domain up to date, and take away those that nobody is to have any more."""
    with locked(views_of(domain)):
        members = _take_away_others(domain)
        for member in members.values():
            _refresh_one(domain, member)


def withdraw(domain: Domain) -> None:
    """Take away at once the views that nobody is to have any more."""
    with locked(views_of(domain)):
        _take_away_others(domain)


def view_of(domain: Domain, project: Project) -> Path:
    """The folder in which the other members see `project`."""
    return views_of(domain) / project.slug


def left_out_of(view: SiblingView | None) -> list[str]:
    """What a view lacks beyond the names that none has, in words with counts."""
    if view is None:
        return []
    found = [f"{why}: {count:,}" for why, count in sorted(view.left_out.items())]
    return [*found, view.said] if view.said else found


def _refresh_one(domain: Domain, member: DomainMember) -> None:
    target, said, found = view_of(domain, member.project), "", Looked()
    source = project_folder(member.project)
    try:
        found = _looked(source)
        views.bring_up_to_date(source, target, found)
    except NotShown as error:
        said = str(error)
        views.bring_up_to_date(source, target, found)
    except OSError as error:
        said = f"The folder could not be read in full: {os.strerror(error.errno or 0)}."
        log.warning("sibling_view_failed", domain=domain.slug, project=member.project.slug, reason=said)
    SiblingView.objects.update_or_create(
        member=member,
        defaults={
            "files": len(found.files),
            "size": found.size,
            "left_out": dict(found.left_out),
            "said": said,
            "at": now(),
        },
    )


def _looked(source: Path) -> Looked:
    """What is to be shown. Raises NotShown for a folder that is not there, or that Kndl's own data lie in or around."""
    real, data = Path(os.path.realpath(source)), Path(os.path.realpath(settings.KNDL.data_dir))
    if data.is_relative_to(real) or (real.is_relative_to(data) and not _is_a_project_of(data, real)):
        raise NotShown("The folder holds Kndl’s own data, so nothing of it is shown.")
    try:
        return looked_over(real)
    except FileNotFoundError:
        raise NotShown("The project has no folder yet.") from None
    except NotADirectoryError:
        raise NotShown("What stands in the place of the project’s folder is none.") from None


def _is_a_project_of(data: Path, folder: Path) -> bool:
    """Whether the folder is `projects/<space>/<project>` in the data folder, or below it."""
    projects = data / "projects"
    return folder.is_relative_to(projects) and len(folder.relative_to(projects).parts) >= 2


def _take_away_others(domain: Domain) -> dict[str, DomainMember]:
    """By name the members whose folders the others see; the views of all others are gone then."""
    current = Domain.objects.filter(pk=domain.pk, retired_at=None, cross_read=True).first()
    kept = {} if current is None else {member.project.slug: member for member in _members(current)}
    if len(kept) < 2:
        kept = {}
    folder = views_of(domain)
    for entry in list(folder.iterdir()) if folder.is_dir() else []:
        if entry.name.partition(".")[0] not in kept:
            views.take_away(entry)
    SiblingView.objects.filter(member__domain=domain).exclude(member__in=kept.values()).delete()
    return kept


def _members(domain: Domain) -> list[DomainMember]:
    found = DomainMember.objects.filter(domain=domain).select_related("project__space")
    return list(found.order_by("project__slug"))
