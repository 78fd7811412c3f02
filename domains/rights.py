"""Who may do what with a domain.

Whoever is in a Space of a member project reads it, and so do the seats of member projects and those who govern the
instance; for everybody else it is not there. The instance's owner alone makes, changes and retires domains.
"""

import uuid
from dataclasses import dataclass
from functools import cached_property

import rules
from django.db.models import QuerySet

from common.errors import Conflict, Forbidden, Invalid
from domains import rows
from domains.models import Domain
from domains.projects import members_of
from spaces.access import Caller, Hidden
from spaces.models import Membership, Project
from spaces.rules import ADMIN, MEMBER, OWNER, governs_instance, owns_instance, require_here

WRITE = "domains:write"
GOVERN = "domains:govern"
_WRITING = frozenset({OWNER, ADMIN, MEMBER})
_KEEPING = frozenset({OWNER, ADMIN})

rules.add_rule("domains:look", rules.always_allow)
rules.add_rule(GOVERN, owns_instance)


@dataclass(frozen=True)
class Standing:
    """What a caller is to a domain that they may see."""

    caller: Caller
    domain: Domain

    @cached_property
    def members(self) -> list[Project]:
        """The projects that share the domain."""
        return members_of(self.domain)

    @cached_property
    def roles(self) -> dict[uuid.UUID, str]:
        """The person's role in each Space of a member project."""
        if self.caller.person is None:
            return {}
        spaces = {project.space_id for project in self.members}
        held = Membership.objects.filter(user=self.caller.person, space__in=spaces)
        return dict(held.values_list("space_id", "role"))

    @cached_property
    def own(self) -> Project | None:
        """The project of a seat."""
        project = project_of(self.caller)
        return next((member for member in self.members if project and member.pk == project.pk), None)

    @property
    def writes(self) -> bool:
        """Whether they rewrite CONTEXT and add to LOG."""
        if self.caller.is_seat:
            return self.own is not None and WRITE in self.caller.verbs
        return not _WRITING.isdisjoint(self.roles.values())

    @property
    def reveals(self) -> bool:
        """Whether they may see a value of KEYS: those who work with it, not those who only look."""
        return self.writes or self.governs

    @property
    def keeps_keys(self) -> bool:
        """Whether they change KEYS here; a seat does so in its own mount."""
        return self.governs or not _KEEPING.isdisjoint(self.roles.values())

    @property
    def keeps_evidence(self) -> bool:
        """Whether they may look at what was found and not taken."""
        return self.keeps_keys

    @property
    def governs(self) -> bool:
        """Whether they change and retire the domain."""
        return bool(owns_instance(self.caller))

    def require_writing(self) -> None:
        """Raise Forbidden unless they may write."""
        _require(self.writes, WRITE)

    def require_revealing(self) -> None:
        """Raise Forbidden unless they may see values of KEYS."""
        _require(self.reveals, WRITE if self.caller.is_seat else "domains:reveal")

    def require_keeping(self) -> None:
        """Raise Forbidden unless they may change KEYS."""
        _require(self.keeps_keys, "domains:keys")

    def require_evidence(self) -> None:
        """Raise Forbidden unless they may look at evidence."""
        _require(self.keeps_evidence, "domains:evidence")

    def project_to_write(self, slug: str) -> Project:
        """The project a line of LOG is for: a seat's own, else the one named, or the only one that is theirs.

        Raises Forbidden for a seat that names another, and Invalid naming `project`.
        """
        if self.own is not None:
            if slug not in {"", self.own.slug}:
                raise Forbidden("A seat writes for its own project.", missing=WRITE)
            return self.own
        theirs = [member for member in self.members if self.roles.get(member.space_id) in _WRITING]
        if not slug:
            if len(theirs) != 1:
                raise Invalid("must name the project that changed", field="project")
            return theirs[0]
        for member in theirs:
            if member.slug == slug:
                return member
        raise Invalid("must be a member of the domain, in a Space of yours", field="project")


def project_of(caller: Caller) -> Project | None:
    """The project that a seat runs for; None for a person."""
    if not caller.is_seat:
        return None
    return Project.objects.filter(seats=uuid.UUID(caller.actor.id)).select_related("space").first()


def visible_domains(caller: Caller) -> QuerySet[Domain]:
    """The domains a caller may know of."""
    if caller.is_seat:
        return Domain.objects.filter(members__project__seats=uuid.UUID(caller.actor.id)).distinct()
    if governs_instance(caller):
        return Domain.objects.all()
    if caller.person is None:
        return Domain.objects.none()
    return Domain.objects.filter(members__project__space__memberships__user=caller.person).distinct()


def find_domain(caller: Caller, slug: str) -> Standing:
    """The domain with this short name. Raises Hidden when it is not there for this caller."""
    domain = visible_domains(caller).filter(slug=slug).first()
    if domain is None:
        raise Hidden("There is no such domain.")
    return Standing(caller, domain)


def require_governing(caller: Caller) -> None:
    """Raise Forbidden unless the caller makes, changes and retires domains."""
    require_here(GOVERN, caller)


def held_live(domain: Domain) -> Domain:
    """The domain's row, locked until the transaction ends. Raises Conflict for a retired domain."""
    row = rows.hold(domain)
    if row.retired_at is not None:
        raise Conflict("The domain is retired: it can be read, and changes no more.", type="retired")
    return row


def _require(held: bool, what: str) -> None:
    if not held:
        raise Forbidden("You may not do this in this domain.", missing=what)
