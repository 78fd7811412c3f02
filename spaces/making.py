"""Making a Space: a row here, a database there."""

import psycopg
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError

from accounts.models import User
from audit.models import AuditRow
from audit.recording import Actor, audited
from common.errors import Conflict, Invalid, Unavailable
from spaces import operations
from spaces.access import Caller
from spaces.databases.entering import entered
from spaces.databases.provisioning import CannotProvision, create_space_database
from spaces.databases.transactions import memory_transaction
from spaces.models import Membership, Operation, Scope, Space

SHARED_SCOPE = "shared"
# What stands where a Space's short name would in the addresses of other pages: /spaces/new.
TAKEN_SLUGS = frozenset({"new"})


def make_space(caller: Caller, slug: str, name: str, *, zone: str = "UTC", owner: User | None = None) -> Space:
    """Make a Space with its database, its owner and one shared scope; returns it ready.

    Raises Invalid for a bad slug, name or zone, and Conflict when the slug is taken. When the database cannot be made
    now, Unavailable is raised, and the tick goes on with it.
    """
    if slug in TAKEN_SLUGS:
        raise Invalid(f"{slug} is the name of a page. Choose another.", field="slug")
    space = Space(slug=slug, name=name.strip() or slug, zone=zone)
    try:
        space.clean_fields()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise Invalid(messages[0], field=field) from error
    try:
        with audited("default") as act:
            space.save(force_insert=True)
            Scope.objects.create(space=space, name=SHARED_SCOPE)
            if owner is not None:
                Membership.objects.create(space=space, user=owner, role=Membership.Role.OWNER)
            operation = operations.begin(act, MAKE_SPACE, str(space.pk), caller.actor, {"slug": slug})
            act.record(caller.actor, "space.make", f"space:{slug}", owner=str(owner.pk) if owner else "")
    except IntegrityError as error:
        raise Conflict(f"There is a Space named {slug} already.", field="slug") from error
    try:
        operations.run(operation)
    except (CannotProvision, DatabaseError, Unavailable, psycopg.Error) as error:
        said = f"The Space {slug} cannot get its database at the moment. It is tried again, and opens by itself."
        raise Unavailable(said, type="space_in_the_making") from error
    space.refresh_from_db()
    return space


def _make_database(operation: Operation) -> None:
    space = Space.objects.get(pk=operation.subject)
    create_space_database(space.pk, space.database_url)


def _say_so_there(operation: Operation) -> None:
    space = Space.objects.get(pk=operation.subject)
    with entered(space) as here:
        if AuditRow.objects.using(here.alias).exists():
            return  # the Space's first row is this one: the step was done and cut off before that was noted
        with memory_transaction() as act:
            act.record(Actor(operation.actor_kind, operation.actor_id), "space.make", f"space:{space.slug}")


def _open_it(operation: Operation) -> None:
    Space.objects.filter(pk=operation.subject).update(state=Space.State.READY)


MAKE_SPACE = operations.register(
    operations.Kind("make_space", (("database", _make_database), ("audit", _say_so_there), ("open", _open_it)))
)
