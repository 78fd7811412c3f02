"""Where shared domains lie on the disk."""

from pathlib import Path

from django.conf import settings

from domains.models import Domain
from spaces.models import Project

CONTEXT = "CONTEXT.md"
LOG = "LOG.md"
KEYS = "KEYS.md"
IGNORE = ".gitignore"
FILES = (CONTEXT, LOG, KEYS)


def domains_folder() -> Path:
    """The folder of all domains; names in it that begin with a dot are no domain's."""
    return Path(settings.KNDL.data_dir) / "domains"


def folder_of(domain: Domain) -> Path:
    """The directory that the members share."""
    return domains_folder() / domain.slug


def archive_of(domain: Domain) -> Path:
    """Where a retired domain is kept to be read."""
    return domains_folder() / ".archive" / domain.slug


def aside_folder() -> Path:
    """Where folders go that stood in the place of a file."""
    return domains_folder() / ".aside"


def views_of(domain: Domain) -> Path:
    """The folder of what the members see of each other, one folder a member."""
    return domains_folder() / ".views" / domain.slug


def project_folder(project: Project) -> Path:
    """The project's own folder, whether it is there or not."""
    if project.folder:
        return Path(project.folder)
    return Path(settings.KNDL.data_dir) / "projects" / project.space.slug / project.slug
