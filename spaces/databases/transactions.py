"""The one way to change a Space's memory, and the like for the control database."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TypeVar

from django.db import IntegrityError, OperationalError, connections, transaction
from psycopg.errors import DeadlockDetected, SerializationFailure

from audit.recording import Act, audited
from spaces.databases.entering import current_alias

_TRIES = 3
Result = TypeVar("Result")


@contextmanager
def memory_transaction() -> Iterator[Act]:
    """A transaction on the database of the Space one is in.

    `transaction.atomic()` without `using` would protect only the control database. What is recorded on the yielded act
    is written to the Space's audit chain at the end, in the same transaction; without it nothing is kept.
    What psycopg raises by itself, as COPY does, is raised as Django's error of the same name.
    """
    using = current_alias()
    with audited(using) as act, connections[using].wrap_database_errors:
        yield act


def attempted(write: Callable[[Act], Result]) -> Result:
    """Run `write` in a memory transaction; when another writer came first, run it again so that its checks can say so.

    A deadlock ends one of its two sides, which is run again as well. Raises what `write` raises, and the error itself
    when it is met three times.
    """
    return _attempted(memory_transaction, write)


def attempted_here(write: Callable[[Act], Result]) -> Result:
    """The same in a transaction of the control database."""
    return _attempted(partial(audited, "default"), write)


def _attempted(opened: Callable[[], AbstractContextManager[Act]], write: Callable[[Act], Result]) -> Result:
    for _ in range(_TRIES - 1):
        try:
            with opened() as act:
                return write(act)
        except IntegrityError:
            continue
        except OperationalError as error:
            if not isinstance(error.__cause__, DeadlockDetected | SerializationFailure):
                raise
    with opened() as act:
        return write(act)


@contextmanager
def usage_transaction() -> Iterator[str]:
    """A transaction on the Space's database for what is counted, not audited: a seat's use of its own memory.

    Yields the alias. It does not wait for the disk at its end: what is lost with a crash is a count.
    """
    using = current_alias()
    with transaction.atomic(using=using), connections[using].wrap_database_errors:
        with connections[using].cursor() as cursor:
            cursor.execute("set local synchronous_commit = off")
        yield using
