"""The database backend of every alias.

`get_new_connection` borrows, `close` gives back, so `close_old_connections` at the end of a request keeps the
connection warm for the next one. A new connection to a Space is shown to be that Space's before anything else uses it.
"""

from collections.abc import Hashable
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base, psycopg_any

from spaces.databases.identity import check_identity
from spaces.databases.store import Connection, ConnectionStore

store = ConnectionStore(limit=settings.KNDL.pool_size)


class DatabaseWrapper(base.DatabaseWrapper):
    """A Django connection whose psycopg connection is lent by `store`."""

    def _key(self) -> Hashable:
        params = self.get_connection_params()
        return tuple((name, str(params.get(name, ""))) for name in ("host", "port", "dbname", "user", "password"))

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        self.isolation_level = psycopg_any.IsolationLevel.READ_COMMITTED

        def connect() -> Connection:
            connection: Connection = self.Database.connect(**conn_params)
            try:
                # Django sets it again for itself; until then nothing may open a transaction by reading.
                connection.autocommit = True
                space_id = self.settings_dict.get("SPACE_ID")
                if space_id:
                    check_identity(connection, space_id)
            except BaseException:
                connection.close()
                raise
            return connection

        return store.borrow(self._key(), connect)

    def _close(self) -> None:
        if self.connection is not None:
            with self.wrap_database_errors:
                store.give_back(self._key(), self.connection)
                self.connection = None
