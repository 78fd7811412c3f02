"""Reading memory without REST, where a rule has no route of its own: the binding of a seat, and of a person."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from audit.recording import Actor
from spaces.access import Binding, Caller, person_caller
from spaces.databases.entering import entered
from spaces.models import Scope


def of_seat(space: Any, purpose: str | None = None) -> Binding:
    """A seat that reads every scope of the Space."""
    caller = Caller(Actor("seat", "reader"), "reader", space_id=space.pk)
    return Binding(space, caller, tuple(Scope.objects.filter(space=space).order_by("pk")), purpose=purpose)


def of_person(space: Any, user: Any, purpose: str | None = None) -> Binding:
    """A person in the Space's first scope."""
    return Binding(space, person_caller(user), (Scope.objects.filter(space=space).order_by("pk")[0],), purpose=purpose)


@contextmanager
def reading(space: Any, purpose: str | None = None) -> Iterator[Binding]:
    """Inside the Space, as a seat."""
    with entered(space):
        yield of_seat(space, purpose)
