"""Being inside a Space: the only way to its memory."""

import contextlib
import uuid
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import psycopg
import structlog
from django.db import InterfaceError, OperationalError, connections

from common.errors import SpaceUnavailable
from common.times import now
from spaces.databases.aliases import register_space


class SpaceLike(Protocol):
    """What is needed of a Space to enter it."""

    @property
    def id(self) -> uuid.UUID: ...
    @property
    def slug(self) -> str: ...
    @property
    def database_url(self) -> str: ...


@dataclass(frozen=True)
class Entered:
    """The Space that this task, thread or request is in."""

    space_id: uuid.UUID
    slug: str
    alias: str


class NoSpaceEntered(RuntimeError):
    """Memory was touched without saying whose."""


_lost: dict[uuid.UUID, datetime] = {}
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
    it goes away while the block runs.
    """
    outer = _entered.get()
    if outer is not None:
        if outer.space_id != space.id:
            raise RuntimeError(f"already inside Space {outer.slug}; leave it before entering {space.slug}")
        yield outer
        return
    alias = register_space(space.id, space.database_url)
    here = Entered(space.id, space.slug, alias)
    connection = connections[alias]
    try:
        connection.ensure_connection()
    except (OperationalError, psycopg.OperationalError) as error:
        raise _unavailable(here, error) from error
    _lost.pop(space.id, None)
    token = _entered.set(here)
    with structlog.contextvars.bound_contextvars(space=space.slug):
        try:
            yield here
        except (OperationalError, InterfaceError) as error:
            if gone := unavailable(error):
                raise gone from error
            raise
        finally:
            _entered.reset(token)
            if not connection.in_atomic_block:
                connection.close()


def unavailable(error: Exception) -> SpaceUnavailable | None:
    """What `error` means when the Space's connection broke while one was inside; None when it still stands."""
    here = _entered.get()
    if here is None or not isinstance(error, OperationalError | InterfaceError):
        return None
    connection = connections[here.alias].connection
    return _unavailable(here, error) if connection is None or connection.closed else None


def lost_since(space_id: uuid.UUID) -> datetime | None:
    """Since when this process has found the Space out of reach; None while it can be reached, or was not tried."""
    return _lost.get(space_id)


def _unavailable(space: Entered, error: Exception) -> SpaceUnavailable:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    _lost.setdefault(space.space_id, now())
    structlog.get_logger().warning("space_unavailable", space=space.slug, reason=reason)
    return SpaceUnavailable(f"The database of Space “{space.slug}” is out of reach.", space=space.slug)
