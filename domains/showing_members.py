"""What the seats of each member mount of a domain, from one reading of its members."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from domains.models import Domain, DomainMember, SiblingView
from domains.places import folder_of
from domains.siblings import left_out_of, view_of
from spaces.models import Project


@dataclass(frozen=True)
class Mounted:
    """A directory that a seat is given: where it comes from, below the data folder, and where the seat has it."""

    source: str
    target: str
    project: Project | None = None


@dataclass(frozen=True)
class MemberMounts:
    """A member: its own mount, the siblings it reads, and what those are not shown of its folder."""

    member: DomainMember
    own: Mounted | None
    siblings: Sequence[Mounted]
    hidden: Sequence[str]
    view: SiblingView | None


def member_mounts(domain: Domain, members: Sequence[DomainMember]) -> list[MemberMounts]:
    """All members of a domain, each with what all its seats mount of it, whatever their kind."""
    return [_mounts(domain, member, members) for member in members]


def _mounts(domain: Domain, member: DomainMember, members: Sequence[DomainMember]) -> MemberMounts:
    view = getattr(member, "view", None)
    if domain.retired_at is not None:
        return MemberMounts(member, None, (), (), None)
    own = Mounted(_below(folder_of(domain)), f"/domains/{domain.slug}")
    siblings = [
        Mounted(_below(view_of(domain, other.project)), f"/siblings/{domain.slug}/{other.project.slug}", other.project)
        for other in members
        if domain.cross_read and other.pk != member.pk
    ]
    return MemberMounts(member, own, siblings, left_out_of(view), view)


def _below(folder: Path) -> str:
    """The way from the data folder, which is nobody's business."""
    return folder.relative_to(Path(settings.KNDL.data_dir)).as_posix()
