"""One-time links: into the instance as its owner, or into a Space as a member. Only a hash of the secret is kept."""

import hashlib
import secrets
import uuid
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse

from accounts.joining import checked_email, give_sign_in
from accounts.models import User
from audit.recording import Act, audited
from common.errors import Conflict, Invalid, NotFound
from common.times import now
from spaces.access import SYSTEM_CALLER, Caller, person_caller
from spaces.members import Role, add_member, checked_role, find_member, hold, require_governor
from spaces.models import Invitation, Membership, Space

OWNER_LINK_LASTS = timedelta(hours=24)
INVITATION_LASTS = timedelta(days=7)


class NotGood(NotFound):
    """The link is unknown, used, taken back or too old; nothing says which."""

    type = "invitation_not_good"
    title = "This link is not good any more"

    def __init__(self) -> None:
        super().__init__("It was used, taken back or is too old, or it was not copied whole. Ask for a new one.")


def open_invitations(space: Space | None = None) -> QuerySet[Invitation]:
    """Invitations that can still be accepted, the newest first; of one Space where it is given."""
    found = Invitation.objects.filter(used_at=None, revoked_at=None, expires_at__gt=now()).order_by("-made_at")
    return found if space is None else found.filter(space=space)


def invite(caller: Caller, space: Space, role: str, email: str = "") -> tuple[Invitation, str]:
    """Make an invitation to `space`; returns it with its link, which cannot be shown again.

    With `email` it is good for that address alone. Raises Forbidden, Invalid, and Conflict when the address is a
    member's.
    """
    require_governor(caller, space)
    checked_role(caller, space, role)
    email = checked_email(email) if email.strip() else ""
    if email and Membership.objects.filter(space=space, user__email=email).exists():
        raise Conflict("belongs to a member of this Space", field="email")
    return _invited(caller, space, role, email=email)


def invite_to_sign_in(caller: Caller, space: Space, person: User) -> tuple[Invitation, str]:
    """Make an invitation for a member who does not sign in yet: whoever accepts it becomes that person.

    Raises Forbidden, NotFound for somebody who is no member, and Conflict when they sign in already.
    """
    require_governor(caller, space)
    membership = find_member(space, person.pk)
    checked_role(caller, space, membership.role)
    if membership.user.email is not None:
        raise Conflict(f"{membership.user.name} signs in already.")
    return _invited(caller, space, membership.role, person=person)


def owner_link() -> str | None:
    """The secret of a link that makes whoever opens it first the owner of this instance; None when there is an owner.

    `link_of` is its address. Earlier owner links end.
    """
    if _has_owner():
        return None
    with audited("default") as act:
        for earlier in open_invitations().filter(instance_role=User.InstanceRole.OWNER).select_for_update():
            _revoke(act, SYSTEM_CALLER, earlier)
        invitation, secret = _made(OWNER_LINK_LASTS, SYSTEM_CALLER, instance_role=User.InstanceRole.OWNER)
        act.record(SYSTEM_CALLER.actor, "invitation.make", f"invitation:{invitation.pk}", role="instance owner")
    return secret


def link_of(secret: str, origin: str = "") -> str:
    """The address where an invitation is accepted; `origin` is where this instance is, when not as configured."""
    return f"{origin or settings.KNDL.origin}{reverse('join', args=[secret])}"


def revoke(caller: Caller, space: Space, invitation_id: uuid.UUID) -> None:
    """Take an open invitation to `space` back. Raises NotFound for none, Forbidden when the caller may not."""
    require_governor(caller, space)
    with audited("default") as act:
        invitation = open_invitations(space).select_for_update().filter(pk=invitation_id).first()
        if invitation is None:
            raise NotFound("There is no such open invitation.")
        checked_role(caller, space, invitation.role)
        _revoke(act, caller, invitation)


def find(secret: str) -> Invitation:
    """The invitation that `secret` opens. Raises NotGood, with the same words whatever the reason."""
    found = open_invitations().select_related("space", "made_by", "person").filter(secret_hash=_hash(secret)).first()
    if found is None or (found.instance_role == User.InstanceRole.OWNER and _has_owner()):
        raise NotGood
    if found.person and found.person.email is not None:
        raise NotGood
    return found


def accept(secret: str, *, name: str, email: str, password: str) -> User:
    """Join as somebody new; returns the person, who can sign in from now on.

    Raises NotGood, Invalid naming the fields at fault, and Conflict for an address that is taken.
    """
    with audited("default") as act:
        invitation = _claimed(secret)
        if invitation.email and checked_email(email) != invitation.email:
            raise Invalid("must be the address that was invited", field="email")
        person = invitation.person or User()
        give_sign_in(person, name=name, email=email, password=password)
        _join(act, invitation, person)
    return person


def accept_as(secret: str, user: User) -> None:
    """Join as somebody who is signed in.

    Raises NotGood, Invalid when another address was invited, and Conflict when they are a member already.
    """
    with audited("default") as act:
        invitation = _claimed(secret)
        if invitation.person is not None or (invitation.email and invitation.email != user.email):
            raise Invalid("This link is for somebody else. Sign out to use it.")
        _join(act, invitation, user)


def _claimed(secret: str) -> Invitation:
    """The invitation, locked: of two who accept at once the second one finds it used."""
    locked = Invitation.objects.select_for_update().filter(secret_hash=_hash(secret)).values_list("pk", flat=True)
    list(locked)
    return find(secret)


def _join(act: Act, invitation: Invitation, person: User) -> None:
    caller = person_caller(person)
    invitation.used_at, invitation.used_by = now(), person
    invitation.save(update_fields=["used_at", "used_by"])
    slug = invitation.space.slug if invitation.space else ""
    act.record(caller.actor, "invitation.accept", f"invitation:{invitation.pk}", space=slug, role=invitation.role)
    if invitation.instance_role:
        _become_instance_owner(act, caller, person, invitation.instance_role)
    if invitation.space and not invitation.person:
        add_member(act, caller, invitation.space, person, invitation.role)


def _become_instance_owner(act: Act, caller: Caller, person: User, role: str) -> None:
    """Also gives them the Spaces that were made before there was an owner."""
    person.instance_role = role
    try:
        with transaction.atomic(using="default"):
            person.save(update_fields=["instance_role"])
    except IntegrityError as error:
        raise NotGood from error
    act.record(caller.actor, "instance.role", f"person:{person.pk}", role=role)
    for space in Space.objects.exclude(memberships__role=Role.OWNER).order_by("slug"):
        hold(space)
        Membership.objects.update_or_create(space=space, user=person, defaults={"role": Role.OWNER})
        act.record(caller.actor, "member.add", f"person:{person.pk}", space=space.slug, role=str(Role.OWNER))


def _invited(
    caller: Caller, space: Space, role: str, *, email: str = "", person: User | None = None
) -> tuple[Invitation, str]:
    with audited("default") as act:
        invitation, secret = _made(INVITATION_LASTS, caller, space=space, role=role, email=email, person=person)
        whom = str(person.pk) if person else ""
        act.record(
            caller.actor, "invitation.make", f"invitation:{invitation.pk}", space=space.slug, role=role, person=whom
        )
    return invitation, link_of(secret)


def _made(lasts: timedelta, caller: Caller, **values: object) -> tuple[Invitation, str]:
    secret = secrets.token_urlsafe(32)
    invitation = Invitation(secret_hash=_hash(secret), made_by=caller.person, expires_at=now() + lasts, **values)
    invitation.save(force_insert=True)
    return invitation, secret


def _revoke(act: Act, caller: Caller, invitation: Invitation) -> None:
    invitation.revoked_at = now()
    invitation.save(update_fields=["revoked_at"])
    act.record(caller.actor, "invitation.revoke", f"invitation:{invitation.pk}")


def _has_owner() -> bool:
    return User.objects.filter(instance_role=User.InstanceRole.OWNER).exists()


def _hash(secret: str) -> bytes:
    """What is kept of a secret: SHA-256. With 256 random bits there is nothing for a slow hash to protect."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
