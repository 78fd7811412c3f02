"""What pages, API and prompts say of domains. Nothing here holds a value of KEYS."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import QuerySet

from common.actors import shown_names
from common.errors import NotFound
from common.mounts import Mount
from domains import rows
from domains.models import ContextRevision, Domain, DomainKey, DomainMember, Evidence, GitState, LogLine, Source
from domains.mounts import domains_of, mounts_of
from domains.places import CONTEXT
from domains.rights import Standing, visible_domains
from domains.rules import context as context_rules
from domains.rules import keys as key_rules
from domains.siblings import left_out_of
from spaces.access import Caller
from spaces.models import Membership, Project

SEAT_KINDS = ("engine", "chat", "scheduled")


@dataclass(frozen=True)
class MaskedKey:
    """A key as it is shown: never its value, nor how long that is."""

    name: str
    position: int
    changed_at: datetime
    masked: str = key_rules.MASK


@dataclass(frozen=True)
class LogQuery:
    """Which lines of LOG: of one project, of days between two (both included), after a number."""

    project: str = ""
    begin: date | None = None
    end: date | None = None
    after: int = 0


@dataclass(frozen=True)
class Access:
    """Who can read what: one row of the map. `how` says by what right."""

    who: str
    kind: str
    how: str
    context: str
    log: str
    keys: str
    folders: str


@dataclass(frozen=True)
class MemberRow:
    """A member, what its seats mount, and what its siblings are not shown of its folder."""

    member: DomainMember
    mounts: Sequence[Mount]
    hidden: Sequence[str]
    shown_files: int


def domains_for(caller: Caller, *, retired: bool = False) -> QuerySet[Domain]:
    """The domains a caller may know of, by name; those that are retired only when asked for."""
    found = visible_domains(caller).order_by("name", "slug")
    return found if retired else found.filter(retired_at=None)


def context_of(domain: Domain) -> ContextRevision:
    """CONTEXT as it is now."""
    return rows.current_revision(domain)


def revisions_of(domain: Domain, *, before: int | None = None) -> QuerySet[ContextRevision]:
    """The history of CONTEXT, the newest first, those below number `before` if that is given."""
    found = ContextRevision.objects.filter(domain=domain).order_by("-number")
    return found if before is None else found.filter(number__lt=before)


def find_revision(domain: Domain, number: int) -> ContextRevision:
    """One revision of CONTEXT. Raises NotFound."""
    found = ContextRevision.objects.filter(domain=domain, number=number).first()
    if found is None:
        raise NotFound("There is no such revision.")
    return found


def difference_of(revision: ContextRevision) -> str:
    """What a revision changed, as a unified diff; everything, for the first."""
    before = ContextRevision.objects.filter(domain=revision.domain_id, number=revision.number - 1).first()
    names = (f"{CONTEXT} {revision.number - 1}", f"{CONTEXT} {revision.number}")
    return context_rules.difference(before.text if before else "", revision.text, names)


def warnings_of(revision: ContextRevision) -> list[context_rules.Warning]:
    """What the record rules would have otherwise."""
    return context_rules.warnings(revision.text)


def log_of(domain: Domain, query: LogQuery | None = None) -> QuerySet[LogLine]:
    """The lines of LOG in their order; a timeline reads them backwards."""
    asked = query or LogQuery()
    found = LogLine.objects.filter(domain=domain, number__gt=asked.after).order_by("number")
    if asked.project:
        found = found.filter(project=asked.project)
    if asked.begin:
        found = found.filter(day__gte=asked.begin)
    if asked.end:
        found = found.filter(day__lte=asked.end)
    return found


def last_line_of(domain: Domain) -> int:
    """The number of the last line of LOG, 0 before the first."""
    return rows.last_line(domain)


def keys_of(domain: Domain) -> list[MaskedKey]:
    """The names of the keys in their order, masked."""
    found = DomainKey.objects.filter(domain=domain).exclude(name="").order_by("position")
    return [MaskedKey(*row) for row in found.values_list("name", "position", "changed_at")]


def evidence_of(domain: Domain) -> QuerySet[Evidence]:
    """What was found and not taken, the newest first, without its content."""
    return Evidence.objects.filter(domain=domain).order_by("-at", "pk").defer("content")


def git_of(domain: Domain) -> GitState | None:
    """What was last found of git; None before the first look."""
    return GitState.objects.filter(domain=domain).first()


def authors_of(found: Sequence[ContextRevision] | Sequence[LogLine]) -> dict[str, str]:
    """How the writers of revisions or lines are called, by `kind:id`; "on disk" where nobody can tell."""
    names = shown_names({_actor(row) for row in found if row.source != Source.DISK})
    return {_actor(row): "on disk" if row.source == Source.DISK else names[_actor(row)] for row in found}


def author_of(row: ContextRevision | LogLine) -> str:
    """How the writer of one is called."""
    return "on disk" if row.source == Source.DISK else shown_names({_actor(row)})[_actor(row)]


def members_with_mounts(domain: Domain) -> list[MemberRow]:
    """The members with what each one's seats are given of this domain, whatever their kind."""
    found = DomainMember.objects.filter(domain=domain).select_related("project__space", "view")
    return [_member_row(domain, member) for member in found.order_by("project__slug")]


def access_map(domain: Domain) -> list[Access]:
    """Who can read what: the seats of each member, the people of each Space by role, and who governs the instance."""
    members = [member.project for member in DomainMember.objects.filter(domain=domain).select_related("project__space")]
    retired = domain.retired_at is not None
    found = [_seats(domain, project, members, retired=retired) for project in members]
    spaces = {project.space_id: project.space for project in members}
    for space in sorted(spaces.values(), key=lambda one: one.slug):
        held = Membership.objects.filter(space=space).select_related("user").order_by("role", "user__name")
        found += [_person(membership, retired=retired) for membership in held]
    governing = "none" if retired else "reveals and changes"
    found.append(Access("The instance’s owner", "person", "governs domains", "reads", "reads", governing, "none"))
    found.append(
        Access(
            "Admins of the instance", "person", "governs", "reads", "reads", "none" if retired else "names only", "none"
        )
    )
    return found


def for_prompt(project: Project) -> list[tuple[Domain, ContextRevision]]:
    """The domains in force that a project shares, each with its CONTEXT."""
    return [(domain, rows.current_revision(domain)) for domain in domains_of(project)]


def standing_of(caller: Caller, domain: Domain) -> Standing:
    """What a caller may do with a domain that they see; pages ask it which buttons to show."""
    return Standing(caller, domain)


def _member_row(domain: Domain, member: DomainMember) -> MemberRow:
    view = getattr(member, "view", None)
    sources = ("/domains/" + domain.slug, f"/siblings/{domain.slug}/")
    mounts = [
        mount
        for mount in mounts_of(member.project)
        if mount.target == sources[0] or mount.target.startswith(sources[1])
    ]
    return MemberRow(member, mounts, left_out_of(view), view.files if view else 0)


def _seats(domain: Domain, project: Project, members: list[Project], *, retired: bool) -> Access:
    who = f"Seats of {project.space.slug}/{project.slug}"
    if retired:
        return Access(who, "seat", "was a member", "reads", "reads", "none", "none")
    others = sorted(other.slug for other in members if other.pk != project.pk)
    folders = ", ".join(others) if domain.cross_read and others else "none"
    return Access(who, "seat", "member, mounted to read and write", "writes", "writes", "reads and changes", folders)


def _person(membership: Membership, *, retired: bool) -> Access:
    role = membership.role
    writes = role != Membership.Role.AUDITOR and not retired
    keeps = role in {Membership.Role.OWNER, Membership.Role.ADMIN}
    keys = "reveals and changes" if keeps else "reveals" if role == Membership.Role.MEMBER else "names only"
    text = "writes" if writes else "reads"
    how = f"{role} of {membership.space.slug}"
    return Access(membership.user.name, "person", how, text, text, "none" if retired else keys, "none")


def _actor(row: ContextRevision | LogLine) -> str:
    return f"{row.actor_kind}:{row.actor_id}"
