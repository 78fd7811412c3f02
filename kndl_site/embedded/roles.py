"""The roles of the embedded server, and what only its superuser may do.

`kndl_owner` owns the tables; `kndl_app` works with them and cannot alter them. Neither is a superuser.
"""

from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from kndl_site.embedded.addresses import DATABASE, USERS, Address, Role, connection_parameters
from kndl_site.embedded.errors import EmbeddedServerError
from kndl_site.secrets import kept_key

CONNECT_TIMEOUT = 10  # seconds
NAMES = {
    "database": sql.Identifier(DATABASE),
    "owner": sql.Identifier(USERS["owner"]),
    "app": sql.Identifier(USERS["app"]),
}


def superuser_connection(data_dir: Path, dbname: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
    """A new autocommit connection of the superuser; the caller closes it.

    Raises NeverStarted, or psycopg.OperationalError when the server does not run or refuses.
    """
    parameters = connection_parameters(data_dir, "superuser", dbname)
    return psycopg.connect(**parameters, autocommit=True, connect_timeout=CONNECT_TIMEOUT)


def install_vector(data_dir: Path, dbname: str) -> None:
    """Put pgvector into the database `dbname`, where it is not there yet. Raises as `superuser_connection`."""
    with superuser_connection(data_dir, dbname) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")


def application_can_connect(address: Address) -> bool:
    """Whether `prepare` has been through: the application's password is the last thing it sets."""
    if not all(address.password_file(role).exists() for role in USERS):
        return False
    try:
        psycopg.connect(**connection_parameters(address.data_dir, "app"), connect_timeout=CONNECT_TIMEOUT).close()
    except psycopg.OperationalError:
        return False
    return True


def prepare(address: Address) -> None:
    """Make roles and database what they should be, whatever is there; passwords are those of the secrets folder."""
    try:
        connection = superuser_connection(address.data_dir)
    except psycopg.OperationalError as error:
        raise EmbeddedServerError(
            f"The superuser cannot log in ({error}). If its password is not the one in "
            f"{address.password_file('superuser')}, stop the server, remove that file and start again."
        ) from error
    with connection:
        connection.execute("SET log_statement = 'none'")
        # Rounds slow down guessing, and nobody guesses 48 random bytes; 4,096 of them take 3 ms of each connect.
        connection.execute("SET scram_iterations = 1")
        roles: tuple[Role, ...] = ("owner", "app")
        for role in roles:
            _make_role(connection, USERS[role])
        _make_database(connection)
        with superuser_connection(address.data_dir, DATABASE) as inside:
            _share_schema(inside)
        for role in roles:
            _set_password(connection, USERS[role], kept_key(address.secrets, address.password_file(role).name))


def _make_role(connection: psycopg.Connection[tuple[Any, ...]], name: str) -> None:
    role = sql.Identifier(name)
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
        connection.execute(sql.SQL("CREATE ROLE {}").format(role))
    rights = sql.SQL("ALTER ROLE {} LOGIN CREATEDB NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS")
    connection.execute(rights.format(role))


def _make_database(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
        connection.execute(sql.SQL("CREATE DATABASE {database} OWNER {owner}").format(**NAMES))
    for statement in (
        "ALTER DATABASE {database} OWNER TO {owner}",
        "REVOKE CONNECT ON DATABASE {database} FROM PUBLIC",
        "GRANT CONNECT ON DATABASE {database} TO {app}",
    ):
        connection.execute(sql.SQL(statement).format(**NAMES))


def _share_schema(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    connection.execute(sql.SQL("ALTER SCHEMA public OWNER TO {owner}").format(**NAMES))
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {app}").format(**NAMES))


def _set_password(connection: psycopg.Connection[tuple[Any, ...]], name: str, password: str) -> None:
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}")
    connection.execute(statement.format(sql.Identifier(name), sql.Literal(password)))
