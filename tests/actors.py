"""Who takes part in tests: an owner, a teammate and a stranger; and seats."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.hashers import make_password
from django.test import Client

from accounts.models import User
from seats.models import Seat, SeatToken
from seats.tokens import MORE_VERBS, VERBS, hash_of, hint_of, new_token
from spaces.models import Assistant, Membership, Project, Scope, Space
from spaces.purposes import PURPOSES

PASSWORD = "a long enough password"
_count = itertools.count(1)


@dataclass
class Trio:
    """The owner and the teammate share `space`; the stranger owns `elsewhere`."""

    owner: User
    teammate: User
    stranger: User
    space: Space
    elsewhere: Space

    def client(self, who: str) -> Client:
        """A browser in which `who` is signed in."""
        client = Client()
        client.force_login(getattr(self, who))
        return client


def make_user(name: str) -> User:
    """A person who can sign in with PASSWORD."""
    return User.objects.create(email=f"{name}@example.test", name=name.title(), password=_hashed())


@cache
def _hashed() -> str:
    """PASSWORD as it is kept; made once, since it is made to be slow."""
    return make_password(PASSWORD)


def make_trio(new_space: Callable[..., Space]) -> Trio:
    """The three and their Spaces."""
    owner, teammate, stranger = (make_user(name) for name in ("owner", "teammate", "stranger"))
    space, elsewhere = new_space("north", owner=owner), new_space("elsewhere", owner=stranger)
    Membership.objects.create(space=space, user=teammate, role=Membership.Role.MEMBER)
    return Trio(owner, teammate, stranger, space, elsewhere)


def make_scope(space: Space, name: str, owner: User | None = None) -> Scope:
    """A scope of an Assistant of its own, or a shared one without an owner."""
    assistant = Assistant.objects.create(space=space, name=f"assistant of {name}") if owner else None
    return Scope.objects.create(space=space, name=name, assistant=assistant, owner=owner)


def make_seat_token(
    space: Space, *, scope: Scope | None = None, verbs: tuple[str, ...] | None = None, **more: Any
) -> str:
    """The token of a new seat; without a scope it gets the Space's first shared one."""
    number = next(_count)
    scope = scope or Scope.objects.filter(space=space, owner=None).order_by("pk")[0]
    project, _ = Project.objects.get_or_create(space=space, slug="main", defaults={"name": "Main"})
    seat = Seat.objects.create(name=f"seat {number}", space=space, scope=scope, project=project)
    token = new_token()
    SeatToken.objects.create(
        seat=seat,
        secret_hash=hash_of(token),
        hint=hint_of(token),
        verbs=list(verbs if verbs is not None else (*VERBS, *MORE_VERBS)),
        purposes=more.pop("purposes", list(PURPOSES)),
        **more,
    )
    return token
