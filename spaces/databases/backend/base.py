"""The database backend of every alias.

`get_new_connection` borrows, `close` gives back, so `close_old_connections` at the end of a request keeps the
connection warm for the next one. A connection to a Space is shown to be that Space's each time it is lent.

A request holds a connection to the control database when it enters a Space, never the other way round, and the two
kinds have a store each: whoever waits for a Space's connection waits for somebody who waits for nobody.
"""

import os
from collections.abc import Hashable
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base, psycopg_any

from spaces.databases.identity import check_identity
from spaces.databases.store import Connection, ConnectionStore

control_store = ConnectionStore(settings.KNDL.pool_size)
space_store = ConnectionStore(settings.KNDL.pool_size)
for _store in (control_store, space_store):
    os.register_at_fork(after_in_child=_store.begin_after_fork)
# Of a connection's parameters; the rest tells which idle connection will do.
_SAME_FOR_ALL = frozenset({"context", "cursor_factory"})


def close_idle(*, older_than: float | None = None) -> None:
    """Close the connections that nobody used for `older_than` seconds, or for the stores' own time."""
    for store in (control_store, space_store):
        store.close_idle(older_than=older_than)


class DatabaseWrapper(base.DatabaseWrapper):
    """A Django connection whose psycopg connection is lent by a store. An owner's, used by migrations, is its own."""

    _lender: tuple[ConnectionStore, Hashable] | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        self.isolation_level = psycopg_any.IsolationLevel.READ_COMMITTED
        space_id = self.settings_dict.get("SPACE_ID")

        def connect() -> Connection:
            connection: Connection = self.Database.connect(**conn_params)
            # Django sets it again for itself; until then nothing may open a transaction by reading.
            connection.autocommit = True
            return connection

        if self.settings_dict.get("OWNER"):
            return connect()
        store = space_store if space_id else control_store
        parameters = sorted((name, str(value)) for name, value in conn_params.items() if name not in _SAME_FOR_ALL)
        key = (space_id, *parameters)
        connection = store.borrow(key, connect, (lambda lent: check_identity(lent, space_id)) if space_id else None)
        self._lender = (store, key)
        return connection

    def _close(self) -> None:
        if self.connection is None:
            return
        lender, self._lender = self._lender, None
        with self.wrap_database_errors:
            if lender is None:
                self.connection.close()
            else:
                lender[0].give_back(lender[1], self.connection)
        self.connection = None
