"""Django's database settings, from the configuration."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict

from kndl_site.configuration import Configuration
from kndl_site.embedded.addresses import DATABASE, PORT, USERS, Address, Role
from kndl_site.secrets import kept_key

BACKEND = "spaces.databases.backend"
# Seconds. A server that does not answer at all must not hold up whoever asks for longer.
OPTIONS = {"connect_timeout": "5"}


def of_url(url: str) -> dict[str, Any]:
    """Host, port, user, password, name and options of a postgresql:// address, in Django's words."""
    given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    words = {"HOST": "host", "PORT": "port", "USER": "user", "PASSWORD": "password", "NAME": "dbname"}
    found: dict[str, Any] = {word: given.pop(name, "") for word, name in words.items()}
    found["OPTIONS"] = {**OPTIONS, **given}
    return found


def control_database(configuration: Configuration) -> dict[str, Any]:
    """The control database under the application's role."""
    address = of_url(configuration.database_url) if configuration.database_url else _embedded(configuration, "app")
    return {
        "ENGINE": BACKEND,
        "ATOMIC_REQUESTS": False,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "OPTIONS": OPTIONS,
        **address,
    }


def owner_credentials(configuration: Configuration) -> dict[str, Any]:
    """User and password of the role that owns the tables; the application's own where there is only one."""
    if configuration.embedded:
        address = _embedded(configuration, "owner")
    else:
        address = of_url(configuration.owner_database_url or configuration.database_url or "")
    return {name: address[name] for name in ("USER", "PASSWORD")}


def _embedded(configuration: Configuration, role: Role) -> dict[str, Any]:
    """How `role` logs in to the embedded server. Its password is made here when it never ran: `up` then sets it."""
    address = Address.of(configuration.data_dir)
    password = address.password_file(role)
    return {
        "HOST": str(address.socket_dir),
        "PORT": str(PORT),
        "USER": USERS[role],
        "PASSWORD": kept_key(password.parent, password.name),
        "NAME": DATABASE,
    }
