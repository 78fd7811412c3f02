"""Who belongs to a Space, in which role. A Space that has an owner never loses its last one."""

import uuid

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When

from accounts.models import User
from audit.recording import SYSTEM, Act, audited
from common.errors import Conflict, Forbidden, Invalid, NotFound
from common.times import now
from spaces.access import GOVERNING, Caller
from spaces.models import Invitation, Membership, Space
from spaces.rules import require

Role = Membership.Role
_INVITING = frozenset({Role.OWNER, Role.ADMIN})


def governs_a_space() -> Exists:
    """What makes a person govern, for the room that asks governing people for a second factor."""
    return Exists(Membership.objects.filter(user=OuterRef("pk"), role__in=GOVERNING))


def require_governor(caller: Caller, space: Space) -> None:
    """Raise Forbidden unless `caller` is an owner or admin of `space`, or Kndl itself."""
    if caller.actor != SYSTEM:
        require("space:govern", caller, space)


def members_of(space: Space) -> QuerySet[Membership]:
    """The members of `space`, those who govern first, then by name."""
    order = {Role.OWNER: 0, Role.ADMIN: 1, Role.AUDITOR: 2, Role.MEMBER: 3}
    return (
        Membership.objects.filter(space=space)
        .select_related("user")
        .alias(rank=_rank(order))
        .order_by("rank", "user__name", "pk")
    )


def find_member(space: Space, user_id: uuid.UUID) -> Membership:
    """The membership of a person in `space`. Raises NotFound."""
    found = Membership.objects.select_related("user").filter(space=space, user_id=user_id).first()
    if found is None:
        raise NotFound("There is no such member in this Space.")
    return found


def checked_role(caller: Caller, space: Space, role: str) -> str:
    """`role` if `caller` may give it. Raises Invalid for no role at all; Forbidden where only an owner may."""
    if role not in Role.values:
        raise Invalid(f"must be one of {', '.join(Role.values)}", field="role")
    if role == Role.OWNER:
        _require_owner(caller, space)
    return role


def add_member(act: Act, caller: Caller, space: Space, user: User, role: str) -> Membership:
    """Make `user` a member, in the transaction `act`. Raises Conflict when they are one already."""
    membership, made = Membership.objects.get_or_create(space=space, user=user, defaults={"role": role})
    if not made:
        raise Conflict(f"{user.name} is a member of this Space already.")
    act.record(caller.actor, "member.add", f"person:{user.pk}", space=space.slug, role=role)
    return membership


def set_role(caller: Caller, space: Space, user: User, role: str) -> Membership:
    """Give a member another role.

    Raises Forbidden when the caller may not, NotFound for somebody who is no member, and Conflict for the last owner.
    """
    require_governor(caller, space)
    checked_role(caller, space, role)
    with audited("default") as act:
        membership = _held(caller, space, user)
        before = membership.role
        if role != Role.OWNER:
            _keep_an_owner(membership)
        membership.role = role
        membership.save(update_fields=["role"])
        act.record(caller.actor, "member.role", f"person:{user.pk}", space=space.slug, role=role, before=before)
        if role not in _INVITING:
            _take_back_invitations(act, caller, space, Q(made_by=user))
    return membership


def remove_member(caller: Caller, space: Space, user: User) -> None:
    """Take a member out of the Space; what they wrote and their scopes stay.

    Raises Forbidden when the caller may not, NotFound for somebody who is no member, and Conflict for the last owner.
    """
    require_governor(caller, space)
    with audited("default") as act:
        membership = _held(caller, space, user)
        _keep_an_owner(membership)
        membership.delete()
        act.record(caller.actor, "member.remove", f"person:{user.pk}", space=space.slug, role=membership.role)
        _take_back_invitations(act, caller, space, Q(made_by=user) | Q(person=user))


def hold(space: Space) -> None:
    """Let changes of the same Space's people and seats take turns, until the transaction ends."""
    Space.objects.select_for_update(no_key=True).get(pk=space.pk)


def _held(caller: Caller, space: Space, user: User) -> Membership:
    hold(space)
    membership = find_member(space, user.pk)
    if membership.role == Role.OWNER:
        _require_owner(caller, space)
    return membership


def _keep_an_owner(leaving: Membership) -> None:
    others = Membership.objects.filter(space=leaving.space_id, role=Role.OWNER).exclude(pk=leaving.pk)
    if leaving.role == Role.OWNER and not others.exists():
        raise Conflict("A Space always has an owner. Make somebody else an owner first.", type="last_owner")


def _require_owner(caller: Caller, space: Space) -> None:
    if caller.actor != SYSTEM and caller.role_in(space) != Role.OWNER:
        raise Forbidden("Only an owner of the Space makes and unmakes its owners.")


def _take_back_invitations(act: Act, caller: Caller, space: Space, which: Q) -> None:
    """Open invitations do not outlive the right to invite, nor the membership that they would open."""
    for invitation in Invitation.objects.filter(which, space=space, used_at=None, revoked_at=None):
        invitation.revoked_at = now()
        invitation.save(update_fields=["revoked_at"])
        act.record(caller.actor, "invitation.revoke", f"invitation:{invitation.pk}", space=space.slug)


def _rank(order: dict[Role, int]) -> Case:
    return Case(*(When(role=role, then=Value(rank)) for role, rank in order.items()), output_field=IntegerField())
