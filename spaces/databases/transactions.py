"""The one way to change a Space's memory."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import IntegrityError

from audit.recording import Act, audited
from spaces.databases.entering import current_alias

_TRIES = 3
Result = TypeVar("Result")


@contextmanager
def memory_transaction() -> Iterator[Act]:
    """A transaction on the database of the Space one is in.

    `transaction.atomic()` without `using` would protect only the control database. What is recorded on the yielded act
    is written to the Space's audit chain at the end, in the same transaction; without it nothing is kept.
    """
    with audited(current_alias()) as act:
        yield act


def attempted(write: Callable[[Act], Result]) -> Result:
    """Run `write` in a memory transaction; when another writer came first, run it again so that its checks can say so.

    Raises what `write` raises, and IntegrityError when it meets one three times.
    """
    for _ in range(_TRIES - 1):
        try:
            with memory_transaction() as act:
                return write(act)
        except IntegrityError:
            continue
    with memory_transaction() as act:
        return write(act)
