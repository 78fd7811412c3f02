"""Django's names for databases: `default`, `space_<id>`, and each of them as its owner.

The application's role may read and write rows; the owner's role, used by migrations alone, owns the tables.
"""

import copy
import threading
import uuid
from typing import Any

from django.conf import settings
from django.db import connections

OWNER = "owner_"
SPACE = "space_"
TEMPLATE = "space_template"
_lock = threading.Lock()


def alias_of(space_id: uuid.UUID) -> str:
    """The alias of a Space's database, which is the database's name on the common server as well."""
    return f"{SPACE}{space_id.hex}"


def owner_of(alias: str) -> str:
    """The alias of the same database under the role that owns its tables."""
    return OWNER + alias


def is_space(alias: str) -> bool:
    return alias.removeprefix(OWNER).startswith(SPACE)


def register(alias: str, database: dict[str, Any]) -> None:
    """Make `alias` known to Django.

    `connections.settings` is replaced, never changed in place: other threads iterate over it, and
    `connections.databases` is `settings.DATABASES` itself.
    """
    with _lock:
        known = connections.settings
        if known.get(alias) == database:
            return
        connections.settings = {**known, alias: database}


def forget(alias: str) -> None:
    """Make `alias` unknown again, and close this thread's connection to it."""
    _drop(alias)
    with _lock:
        connections.settings = {name: value for name, value in connections.settings.items() if name != alias}


def space_database(space_id: uuid.UUID, database_url: str = "") -> dict[str, Any]:
    """The settings of a Space's database, for the application's role."""
    database: dict[str, Any] = copy.deepcopy(connections.settings["default"])
    database.update(settings.KNDL_DATABASE_OF_URL(database_url) if database_url else {"NAME": alias_of(space_id)})
    database["SPACE_ID"] = str(space_id)
    return database


def register_space(space_id: uuid.UUID, database_url: str = "") -> str:
    """Register a Space's database and return its alias."""
    alias = alias_of(space_id)
    register(alias, space_database(space_id, database_url))
    if connections[alias].settings_dict is not connections.settings[alias]:
        _drop(alias)  # this thread knew it under another address
    return alias


def register_owner(alias: str) -> str:
    """Register the owner's way into the database of `alias` and return that alias."""
    database = copy.deepcopy(connections.settings[alias])
    database.pop("SPACE_ID", None)
    database.update(settings.KNDL_OWNER_CREDENTIALS(), OWNER=True)
    register(owner_of(alias), database)
    return owner_of(alias)


def _drop(alias: str) -> None:
    """Forget this thread's connection of `alias`."""
    if alias in connections.settings:
        connections[alias].close()
        del connections[alias]
