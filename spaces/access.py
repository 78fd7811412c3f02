"""Who asks, and which scopes a request is bound to."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from accounts.models import User
from audit.recording import SYSTEM, Actor
from common.errors import Forbidden, Invalid, NotFound
from spaces.models import Membership, Scope, Space
from spaces.purposes import PURPOSES

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.request import Request

GOVERNING = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.AUDITOR})
EVERY_SCOPE = "*"
CROSS_TENANT = "cross_tenant"


class Hidden(NotFound):
    """A refusal that answers exactly like a missing thing, and is recorded as a refusal."""


@dataclass(frozen=True)
class Caller:
    """Who asks: a person, a seat, or the system.

    A seat is bound to one Space, one scope, its verbs and its purposes; a person has a role in each Space.
    """

    actor: Actor
    label: str
    person: User | None = None
    space_id: uuid.UUID | None = None
    scope_id: int | None = None
    reads_shared: bool = False
    verbs: frozenset[str] = frozenset()
    purposes: tuple[str, ...] = ()

    # What Django REST framework asks of a user.
    is_authenticated = True
    is_active = True

    @property
    def is_seat(self) -> bool:
        return self.actor.kind == "seat"

    def role_in(self, space: Space) -> str | None:
        """The person's role in `space`; None for a stranger, a seat and the system."""
        if self.person is None:
            return None
        return Membership.objects.filter(space=space, user=self.person).values_list("role", flat=True).first()


def person_caller(user: User) -> Caller:
    """The caller that a signed-in person is."""
    return Caller(Actor("person", str(user.pk)), user.name, person=user)


SYSTEM_CALLER = Caller(SYSTEM, "Kndl")


def caller_of(request: "HttpRequest | Request") -> Caller:
    """Who sent this request. Raises Forbidden when nobody is signed in."""
    user: object = request.user
    if isinstance(user, Caller):
        return user
    if isinstance(user, User) and user.is_active:
        return person_caller(user)
    raise Forbidden("Sign in first.")


def visible_spaces(caller: Caller) -> QuerySet[Space]:
    """The Spaces a caller may know of: a seat its own, a person those they are a member of."""
    if caller.is_seat:
        return Space.objects.filter(pk=caller.space_id) if caller.space_id else Space.objects.none()
    return Space.objects.filter(memberships__user=caller.person)


def visible_scopes(caller: Caller, space: Space) -> QuerySet[Scope]:
    """The scopes of `space` a caller may read.

    A seat: its own, the shared ones with `reads_shared`, all with `cross_tenant`. A member: their own and the shared
    ones. Owners, admins and auditors of the Space: all, and each look into another person's is recorded.
    """
    scopes = Scope.objects.filter(space=space)
    if caller.is_seat:
        if caller.space_id != space.pk:
            return scopes.none()
        if CROSS_TENANT in caller.verbs:
            return scopes
        mine = Q(pk=caller.scope_id)
        return scopes.filter(mine | Q(owner=None)) if caller.reads_shared else scopes.filter(mine)
    role = caller.role_in(space)
    if role in GOVERNING:
        return scopes
    return scopes.filter(Q(owner=caller.person) | Q(owner=None)) if role else scopes.none()


def find_space(caller: Caller, slug: str) -> Space:
    """The Space named `slug`. Raises Hidden when it is not there for this caller."""
    space = visible_spaces(caller).filter(slug=slug, state=Space.State.READY).first()
    if space is None:
        raise Hidden("There is no such Space.")
    return space


@dataclass(frozen=True)
class Binding:
    """The scopes one request reads, or the one it writes."""

    space: Space
    caller: Caller
    scopes: tuple[Scope, ...]
    every: bool = False
    crosses: bool = False
    purpose: str | None = None

    @property
    def scope_ids(self) -> list[int]:
        return [scope.pk for scope in self.scopes]

    @property
    def one(self) -> Scope:
        """The only scope. Raises Invalid when several are bound."""
        if len(self.scopes) != 1:
            raise Invalid("Name one scope.", field="scope")
        return self.scopes[0]

    @property
    def names(self) -> dict[int, str]:
        return {scope.pk: scope.name for scope in self.scopes}

    @cached_property
    def role(self) -> str | None:
        """The caller's role in the Space, asked once for a binding; None for a seat."""
        return self.caller.role_in(self.space)

    @property
    def sees_redactions(self) -> bool:
        """Whether the reader may know that something is withheld: owners, admins and auditors of the Space."""
        return self.role in GOVERNING

    @property
    def of_others(self) -> tuple[Scope, ...]:
        """Scopes that are another person's memory, seen by virtue of a governing role."""
        if self.caller.person is None:
            return ()
        return tuple(s for s in self.scopes if s.owner_id not in (None, self.caller.person.pk))


def purpose_of(caller: Caller, stated: str | None) -> str | None:
    """What the caller acts for, of what they stated.

    A seat acts for a purpose that its token holds; it may leave it out when it holds exactly one, and one it does not
    hold counts as none. A person acts for what they state. A purpose that the instance does not know counts as none.
    """
    acts_for = stated
    if caller.is_seat:
        alone = caller.purposes[0] if len(caller.purposes) == 1 else None
        acts_for = (stated if stated in caller.purposes else None) if stated else alone
    return acts_for if acts_for in PURPOSES else None


def bind(
    caller: Caller, space: Space, named: Sequence[str], *, writing: bool = False, purpose: str | None = None
) -> Binding:
    """Bind a request to scopes, and to the purpose that it states.

    `named` holds what the request said under `scope` and `tenant`. A seat that names nothing has its own scope; a
    person must name one. Raises Invalid for no name, an empty one or two different ones, and Hidden for a scope that is
    not there for this caller; `*` means every scope the caller may see, and is never a place to write.
    """
    acts_for = purpose_of(caller, purpose)
    names = set(named)
    if "" in names:
        raise Invalid(
            "An empty scope does not mean every scope. Name one, or * to read all you may see.", field="scope"
        )
    if len(names) > 1:
        raise Invalid("Two different scopes are named.", field="scope")
    name = names.pop() if names else None
    visible = visible_scopes(caller, space)
    if name is None:
        if not caller.is_seat:
            raise Invalid("Say which scope: ?scope=<name>, or * to read all you may see.", field="scope")
        own = visible.get(pk=caller.scope_id or 0)
        if writing or not caller.reads_shared:
            return Binding(space, caller, (own,), purpose=acts_for)
        shared = Scope.objects.filter(space=space, owner=None).exclude(pk=own.pk)
        return Binding(space, caller, (own, *shared), purpose=acts_for)
    if name == EVERY_SCOPE:
        if writing:
            raise Invalid("A write goes to one scope.", field="scope")
        scopes = tuple(visible.order_by("pk"))
        return Binding(space, caller, scopes, every=True, crosses=_crosses(caller, scopes), purpose=acts_for)
    scope = visible.filter(name=name).first()
    if scope is None or (writing and caller.is_seat and scope.pk != caller.scope_id and not _may_cross(caller)):
        raise Hidden("There is no such scope.")
    return Binding(space, caller, (scope,), crosses=_crosses(caller, (scope,)), purpose=acts_for)


def _may_cross(caller: Caller) -> bool:
    return CROSS_TENANT in caller.verbs


def _crosses(caller: Caller, scopes: Sequence[Scope]) -> bool:
    """Whether a seat reaches beyond its own scope and the shared ones by its `cross_tenant` verb."""
    if not caller.is_seat:
        return False
    return any(s.pk != caller.scope_id and not (s.shared and caller.reads_shared) for s in scopes)
