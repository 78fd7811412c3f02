"""What a seat stands in: a scope with its Assistant and owner, and a project. Found, or made where it is missing."""

import secrets
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.utils.text import slugify

from accounts.joining import checked_name
from accounts.models import User
from audit.recording import SYSTEM, Act
from common.errors import Invalid
from spaces.access import Caller
from spaces.making import SHARED_SCOPE
from spaces.members import add_member
from spaces.models import Assistant, Membership, Project, Scope, Space

ASSISTANT = "assistant"
PROJECT = "main"
_LONGEST_PART = 90


@dataclass(frozen=True)
class Surroundings:
    """Finds and makes, inside the transaction `act` that holds `space`."""

    act: Act
    caller: Caller
    space: Space

    def scope(self, assistant: str, owner: str, *, new: bool) -> Scope:
        """The scope of the pair, or a new one. Raises Invalid naming the field at fault."""
        person = self._person(owner) if owner else self._space_owner()
        fresh = f"{ASSISTANT}-{secrets.token_hex(3)}" if new and not assistant else ""
        if person is None:
            return self._shared_scope(assistant, fresh)
        robot = self._assistant(assistant or fresh or ASSISTANT)
        existing = Scope.objects.filter(assistant=robot, owner=person).first()
        if existing and new:
            raise Invalid(f"{robot.name} has a scope with {person.name} already: {existing.name}", field="new_scope")
        return existing or self._new_scope(self._free_name(robot, person), robot, person)

    def project(self, slug: str) -> Project:
        """The project with this slug. Raises Invalid for what is no slug."""
        project = Project(space=self.space, slug=slug or PROJECT, name=slug or PROJECT)
        try:
            project.clean_fields()
        except ValidationError as error:
            raise Invalid(error.message_dict["slug"][0], field="project") from error
        if existing := Project.objects.filter(space=self.space, slug=project.slug).first():
            return existing
        project.save(force_insert=True)
        self.act.record(self.caller.actor, "project.make", f"project:{project.pk}", space=self.space.slug)
        return project

    def _shared_scope(self, assistant: str, fresh: str) -> Scope:
        """Nobody was named and the Space has no owner yet: what is remembered belongs to all of it."""
        if assistant:
            raise Invalid("must be named beside an assistant, since the Space has no owner yet", field="owner")
        if fresh:
            return self._new_scope(fresh)
        shared = Scope.objects.filter(space=self.space, owner=None)
        first = shared.filter(name=SHARED_SCOPE).first() or shared.order_by("pk").first()
        return first or self._new_scope(SHARED_SCOPE)

    def _space_owner(self) -> User | None:
        owners = Membership.objects.filter(space=self.space, role=Membership.Role.OWNER)
        first = owners.select_related("user").order_by("since", "pk").first()
        return first.user if first else None

    def _person(self, owner: str) -> User:
        """The member with this e-mail or name; else somebody new, who does not sign in.

        Only Kndl itself, at the command line, may bring in somebody from another Space by their address.
        """
        if "\0" in owner:
            raise Invalid("must not hold a NUL", field="owner")
        members = User.objects.filter(memberships__space=self.space)
        found = list(members.filter(email__iexact=owner)) or list(members.filter(name=owner)[:2])
        if len(found) > 1:
            raise Invalid("names more than one member; give the e-mail address", field="owner")
        if found:
            return found[0]
        known = User.objects.filter(email__iexact=owner).first() if self.caller.actor == SYSTEM else None
        person = known or User.objects.create_user(None, _checked(owner, "owner"))
        add_member(self.act, self.caller, self.space, person, Membership.Role.MEMBER)
        return person

    def _assistant(self, name: str) -> Assistant:
        name = _checked(name, "assistant")
        robot = Assistant.objects.filter(space=self.space, name=name).first()
        if robot is None:
            robot = Assistant.objects.create(space=self.space, name=name)
            self.act.record(self.caller.actor, "assistant.make", f"assistant:{robot.pk}", space=self.space.slug)
        return robot

    def _new_scope(self, name: str, robot: Assistant | None = None, person: User | None = None) -> Scope:
        scope = Scope.objects.create(space=self.space, name=name, assistant=robot, owner=person)
        self.act.record(self.caller.actor, "scope.make", f"scope:{name}", scope=scope.pk, space=self.space.slug)
        return scope

    def _free_name(self, robot: Assistant, person: User) -> str:
        """`<assistant>.<owner>`, with a number behind it where another pair has that name."""
        base = f"{_slug(robot.name)}.{_slug(person.name)}"
        taken = set(Scope.objects.filter(space=self.space, name__startswith=base).values_list("name", flat=True))
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        return name


def _checked(name: str, field: str) -> str:
    try:
        return checked_name(name)
    except Invalid as error:
        raise Invalid(error.errors[0].detail, field=field) from error


def _slug(name: str) -> str:
    """The name in letters that every address and shell takes; a few random ones where none are left."""
    return slugify(name.partition("@")[0])[:_LONGEST_PART].strip("-_") or secrets.token_hex(3)
