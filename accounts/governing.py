"""Who governs, and so needs a second factor. Rooms above say what governing means there."""

from collections.abc import Callable
from functools import reduce
from operator import or_

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User

Condition = Callable[[], Exists]

_conditions: list[Condition] = []


def register(condition: Condition) -> None:
    """Add what makes somebody govern: an `Exists` over `OuterRef("pk")` of a person."""
    _conditions.append(condition)


def governing() -> QuerySet[User]:
    """The people whose role governs: in the instance, or wherever a room said so."""
    in_rooms = [Q(condition()) for condition in _conditions]
    return User.objects.filter(reduce(or_, in_rooms, ~Q(instance_role=User.InstanceRole.NONE)))


def governing_without_second_factor() -> QuerySet[User]:
    """Those of them who have neither an authenticator app nor a passkey; recovery codes alone are none."""
    kinds = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return governing().exclude(Exists(Authenticator.objects.filter(user=OuterRef("pk"), type__in=kinds)))
