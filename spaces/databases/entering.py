"""Being inside a Space: the only way to its memory."""

import contextlib
import time
import uuid
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connections
from psycopg import errors

from common.errors import SpaceUnavailable, Unavailable
from common.times import now
from spaces.databases.aliases import register_space
from spaces.databases.store import StoreExhausted

# A Space whose server takes long to fail is left alone for a while: callers that wait for it would take the connections
# from those of other Spaces. Both in seconds.
SLOW = 0.5
PAUSE = 5.0

# What PostgreSQL says when it cannot read a database's files.
_DAMAGED = (errors.SystemError, errors.DataCorrupted, errors.IndexCorrupted, errors.UndefinedFile)


class SpaceLike(Protocol):
    """What is needed of a Space to enter it."""

    @property
    def id(self) -> uuid.UUID: ...
    @property
    def slug(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def database_url(self) -> str: ...


@dataclass(frozen=True)
class Entered:
    """The Space that this task, thread or request is in."""

    space_id: uuid.UUID
    slug: str
    name: str
    alias: str


@dataclass(frozen=True)
class _Lost:
    """That this process found a Space out of reach; `pause_until` is a time of `time.monotonic`."""

    since: datetime
    reason: str
    pause_until: float


class NoSpaceEntered(RuntimeError):
    """Memory was touched without saying whose."""


_lost: dict[uuid.UUID, _Lost] = {}
_entered: ContextVar[Entered | None] = ContextVar("kndl_entered_space", default=None)


def current() -> Entered:
    """The Space one is in. Raises NoSpaceEntered outside."""
    entered_space = _entered.get()
    if entered_space is None:
        raise NoSpaceEntered("no Space has been entered: wrap the call in entered(space)")
    return entered_space


def current_alias() -> str:
    """The database alias of the Space one is in. Raises NoSpaceEntered outside."""
    return current().alias


@contextlib.contextmanager
def entered(space: SpaceLike) -> Iterator[Entered]:
    """Enter `space`: memory models read and write its database until the block ends.

    Its connection is borrowed at the start, so a Space out of reach fails before anything is done, and given back at
    the end. Raises SpaceUnavailable when the database is gone, refuses, is another Space's or is not migrated, and when
    it goes away while the block runs; Unavailable when every connection is in use for too long.
    """
    outer = _entered.get()
    if outer is not None:
        if outer.space_id != space.id:
            raise RuntimeError(f"already inside Space {outer.slug}; leave it before entering {space.slug}")
        yield outer
        return
    here = Entered(space.id, space.slug, space.name, register_space(space.id, space.database_url))
    # The control database's connection first, always: see spaces/databases/backend/base.py.
    connections["default"].ensure_connection()
    _connect(here)
    connection = connections[here.alias]
    token = _entered.set(here)
    with structlog.contextvars.bound_contextvars(space=space.slug):
        try:
            with connection.wrap_database_errors:
                yield here
        except (DatabaseError, InterfaceError) as error:
            if gone := unavailable(error):
                raise gone from error
            raise
        finally:
            _entered.reset(token)
            if not connection.in_atomic_block:
                connection.close()


def unavailable(error: Exception) -> SpaceUnavailable | None:
    """What `error` means when the Space's connection broke, or its files did, while one was inside; else None."""
    here = _entered.get()
    if here is None or not isinstance(error, DatabaseError | InterfaceError):
        return None
    connection = connections[here.alias].connection
    gone = connection is None or connection.closed or isinstance(error.__cause__, _DAMAGED)
    return _unavailable(here, error) if gone else None


def lost_since(space_id: uuid.UUID) -> datetime | None:
    """Since when this process has found the Space out of reach; None while it can be reached, or was not tried."""
    lost = _lost.get(space_id)
    return lost.since if lost else None


def _connect(here: Entered) -> None:
    lost = _lost.get(here.space_id)
    started = time.monotonic()
    if lost and started < lost.pause_until:
        raise _answer(here)
    try:
        connections[here.alias].ensure_connection()
    except OperationalError as error:
        if isinstance(error.__cause__, StoreExhausted):
            raise Unavailable("Kndl has more to do than it can at the moment. Try again soon.", type="busy") from error
        raise _unavailable(here, error, took=time.monotonic() - started) from error
    _lost.pop(here.space_id, None)


def _unavailable(space: Entered, error: Exception, *, took: float = 0.0) -> SpaceUnavailable:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    before = _lost.get(space.space_id)
    pause_until = time.monotonic() + (PAUSE if took > SLOW else 0.0)
    _lost[space.space_id] = _Lost(before.since if before else now(), reason, pause_until)
    structlog.get_logger().warning("space_unavailable", space=space.slug, reason=reason)
    return _answer(space)


def _answer(space: Entered) -> SpaceUnavailable:
    return SpaceUnavailable(f"The database of Space “{space.name}” is out of reach.", space=space.slug)
