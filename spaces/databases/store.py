"""One bounded, process-wide store of open connections.

Under ASGI every request may run in a thread of its own, so a connection that belongs to a thread is never met again.
Here a connection is borrowed and given back instead, by whatever thread comes next. psycopg's own pool belongs to one
database; a process that serves a hundred Spaces needs one bound over all of them.
"""

import select
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field

import psycopg
from psycopg.pq import TransactionStatus

Connection = psycopg.Connection[tuple[object, ...]]


class StoreExhausted(psycopg.OperationalError):
    """Every connection of the store is in use and none came back in time."""


@dataclass
class _Idle:
    key: Hashable
    connection: Connection
    since: float


@dataclass
class ConnectionStore:
    """Open connections by key (their parameters), at most `limit` in all.

    `idle_seconds`: an unused connection is closed after that time.
    `wait_seconds`: how long a borrower waits when all are in use, before StoreExhausted.
    """

    limit: int
    idle_seconds: float = 60.0
    wait_seconds: float = 10.0
    clock: Callable[[], float] = time.monotonic
    _idle: "OrderedDict[int, _Idle]" = field(default_factory=OrderedDict)
    _open: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def borrow(self, key: Hashable, connect: Callable[[], Connection]) -> Connection:
        """An open connection for `key`: an idle one, or a new one made by `connect`.

        Raises StoreExhausted, and whatever `connect` raises.
        """
        deadline = self.clock() + self.wait_seconds
        while True:
            evicted: list[_Idle] = []
            with self._changed:
                found = self._take(key)
                if found is None:
                    if self._open >= self.limit and self._idle:
                        evicted.append(self._idle.popitem(last=False)[1])
                        self._open -= 1
                    if self._open >= self.limit:
                        if not self._changed.wait(max(0.0, deadline - self.clock())):
                            raise StoreExhausted(f"all {self.limit} database connections are in use")
                        continue
                    self._open += 1
            for idle in evicted:
                idle.connection.close()
            if found is None:
                return self._connect(connect)
            if _is_alive(found.connection):
                return found.connection
            self.discard(found.connection)

    def give_back(self, key: Hashable, connection: Connection) -> None:
        """Return a borrowed connection; one that is broken or cannot be rolled back is closed."""
        with suppress(psycopg.Error):
            if connection.info.transaction_status != TransactionStatus.IDLE:
                connection.rollback()
        if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
            self.discard(connection)
            return
        with self._changed:
            self._idle[id(connection)] = _Idle(key, connection, self.clock())
            self._changed.notify()
        self.close_idle()

    def discard(self, connection: Connection) -> None:
        """Close a borrowed connection for good."""
        with suppress(psycopg.Error):
            connection.close()
        with self._changed:
            self._open -= 1
            self._changed.notify()

    def close_idle(self, *, older_than: float | None = None, key: Hashable | None = None) -> int:
        """Close connections unused for `older_than` seconds (default: `idle_seconds`), of one key or of all.

        Returns how many were closed.
        """
        limit = self.clock() - (self.idle_seconds if older_than is None else older_than)
        with self._changed:
            old = [n for n, idle in self._idle.items() if idle.since <= limit and key in (None, idle.key)]
            closing = [self._idle.pop(n).connection for n in old]
            self._open -= len(closing)
            self._changed.notify_all()
        for connection in closing:
            with suppress(psycopg.Error):
                connection.close()
        return len(closing)

    @property
    def open_connections(self) -> int:
        """How many connections are open, idle or lent."""
        return self._open

    def _connect(self, connect: Callable[[], Connection]) -> Connection:
        try:
            return connect()
        except BaseException:
            with self._changed:
                self._open -= 1
                self._changed.notify()
            raise

    def _take(self, key: Hashable) -> _Idle | None:
        # The newest first: it is the one most likely to be alive, and the oldest can then grow old enough to close.
        for number in reversed(self._idle):
            if self._idle[number].key == key:
                return self._idle.pop(number)
        return None


def _is_alive(connection: Connection) -> bool:
    """Whether the server still holds its end: a closed socket is readable at once, an idle healthy one is not."""
    if connection.closed:
        return False
    try:
        readable, _, _ = select.select([connection.fileno()], [], [], 0)
    except (OSError, ValueError, psycopg.Error):
        return False
    return not readable
