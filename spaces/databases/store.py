"""A bounded, process-wide store of open connections.

Under ASGI every request may run in a thread of its own, so a connection that belongs to a thread is never met again.
Here a connection is borrowed and given back instead, by whatever thread comes next. psycopg's own pool belongs to one
database; a process that serves a hundred Spaces needs one bound over all of them.
"""

import select
import threading
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass

import psycopg
from psycopg.pq import TransactionStatus

Connection = psycopg.Connection[tuple[object, ...]]


class StoreExhausted(psycopg.OperationalError):
    """Every connection of the store is in use and none came back in time."""


@dataclass(frozen=True)
class _Idle:
    key: Hashable
    connection: Connection
    since: float


class ConnectionStore:
    """Open connections by key (their parameters), at most `limit` in all; borrowers wait in a row, first come first.

    `idle_seconds`: an unused connection is closed after that time.
    `wait_seconds`: how long a borrower waits when all are in use, before StoreExhausted.
    """

    def __init__(
        self,
        limit: int,
        *,
        idle_seconds: float = 60.0,
        wait_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limit = limit
        self.idle_seconds = idle_seconds
        self.wait_seconds = wait_seconds
        self._clock = clock
        self._inherited: list[Connection] = []
        self._begin_empty()

    def borrow(
        self, key: Hashable, connect: Callable[[], Connection], check: Callable[[Connection], None] | None = None
    ) -> Connection:
        """An open connection for `key`: an idle one, or a new one made by `connect`.

        `check` looks at it before it is lent; an idle one that turns out to be broken is replaced.
        Raises StoreExhausted, and whatever `connect` and `check` raise.
        """
        while True:
            idle = self._turn(key)
            if idle is not None and not _is_alive(idle):
                self.discard(idle)
                continue
            connection = idle or self._connected(connect)
            try:
                if check is not None:
                    check(connection)
            except BaseException:
                broken = connection.broken
                self.discard(connection)
                if idle is not None and broken:
                    continue
                raise
            return connection

    def give_back(self, key: Hashable, connection: Connection) -> None:
        """Return a borrowed connection; one that is broken or cannot be rolled back is closed."""
        with suppress(psycopg.Error):
            if connection.info.transaction_status != TransactionStatus.IDLE:
                connection.rollback()
        if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
            self.discard(connection)
            return
        with self._changed:
            self._lent.discard(connection)
            self._idle[id(connection)] = _Idle(key, connection, self._clock())
            self._changed.notify_all()
        self.close_idle()

    def discard(self, connection: Connection) -> None:
        """Close a borrowed connection for good."""
        with suppress(psycopg.Error):
            connection.close()
        with self._changed:
            self._lent.discard(connection)
            self._changed.notify_all()

    def close_idle(self, *, older_than: float | None = None) -> int:
        """Close connections unused for `older_than` seconds (default: `idle_seconds`). Returns how many were closed."""
        limit = self._clock() - (self.idle_seconds if older_than is None else older_than)
        with self._changed:
            old = [number for number, idle in self._idle.items() if idle.since <= limit]
            closing = [self._idle.pop(number).connection for number in old]
            if closing:
                self._changed.notify_all()
        for connection in closing:
            with suppress(psycopg.Error):
                connection.close()
        return len(closing)

    def begin_after_fork(self) -> None:
        """Begin with nothing in a forked child: its parent goes on using the connections, which must not be closed."""
        self._inherited += [idle.connection for idle in self._idle.values()]
        self._begin_empty()

    @property
    def open_connections(self) -> int:
        """How many connections are open, idle or lent, or are being opened."""
        return len(self._idle) + len(self._lent) + self._connecting

    def _turn(self, key: Hashable) -> Connection | None:
        """Wait for one's turn: an idle connection of `key`, counted as lent, or None with room kept for a new one."""
        ticket = object()
        evicted: Connection | None = None
        with self._changed:
            self._waiting.append(ticket)
            try:
                if not self._changed.wait_for(lambda: self._is_next(ticket), self.wait_seconds):
                    raise StoreExhausted(f"all {self.limit} database connections are in use")
                found = self._take(key)
                if found is None:
                    if self.open_connections >= self.limit:
                        evicted = self._idle.popitem(last=False)[1].connection
                    self._connecting += 1
                else:
                    self._lent.add(found)
            finally:
                self._waiting.remove(ticket)
                self._changed.notify_all()
        if evicted is not None:
            with suppress(psycopg.Error):
                evicted.close()
        return found

    def _is_next(self, ticket: object) -> bool:
        return self._waiting[0] is ticket and (bool(self._idle) or self.open_connections < self.limit)

    def _take(self, key: Hashable) -> Connection | None:
        # The newest first: it is the one most likely to be alive, and the oldest can then grow old enough to close.
        for number in reversed(self._idle):
            if self._idle[number].key == key:
                return self._idle.pop(number).connection
        return None

    def _connected(self, connect: Callable[[], Connection]) -> Connection:
        connection: Connection | None = None
        try:
            connection = connect()
        finally:
            with self._changed:
                self._connecting -= 1
                if connection is not None:
                    self._lent.add(connection)
                self._changed.notify_all()
        return connection

    def _begin_empty(self) -> None:
        self._idle: OrderedDict[int, _Idle] = OrderedDict()
        # Weakly held: a thread that ended without giving its connection back must not take its place with it.
        self._lent: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._connecting = 0
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()


def _is_alive(connection: Connection) -> bool:
    """Whether the server still holds its end: a closed socket is readable at once, an idle healthy one is not."""
    if connection.closed:
        return False
    poll = select.poll()
    try:
        poll.register(connection.fileno(), select.POLLIN)
    except (OSError, psycopg.Error):
        return False
    return not poll.poll(0)
