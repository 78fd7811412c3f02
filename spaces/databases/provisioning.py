"""Making and upgrading databases, always as the role that owns their tables."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import NotSupportedError, OperationalError, ProgrammingError, connections
from psycopg import sql

from common.times import now
from spaces.databases import aliases
from spaces.databases.backend.base import close_idle
from spaces.databases.identity import SPACE_APPS
from spaces.databases.store import Connection

# CREATE DATABASE from one template and migrations of it take turns, over all processes.
_PROVISIONING_LOCK = 0x6B6E6470


class CannotProvision(Exception):
    """The server lacks something that only its operator can give; the message says what to do."""


def ensure_control() -> None:
    """Bring the control database up to date. Raises CannotProvision."""
    with _turn(), as_owner("default") as alias:
        _grant(alias)
        call_command("migrate", database=alias, verbosity=0, interactive=False)


def ensure_template() -> None:
    """Make the database that new Spaces are copied from, or bring it up to date. Raises CannotProvision."""
    name = template_name()
    with _turn():
        with _server_connection(owner=True) as connection:
            if not _exists(connection, name):
                _create_database(connection, sql.SQL("create database {}").format(sql.Identifier(name)))
            connection.execute(sql.SQL("alter database {} is_template true").format(sql.Identifier(name)))
        aliases.register(aliases.TEMPLATE, {**connections.settings["default"], "NAME": name})
        with as_owner(aliases.TEMPLATE) as alias:
            _migrate_space_apps(alias)


def create_space_database(space_id: uuid.UUID, database_url: str = "") -> None:
    """Copy the template into the Space's database and write its identity row. May be repeated.

    A Space with an address of its own gets its tables in the database there, which its operator has made.
    Raises CannotProvision when a database of that name already belongs to somebody else, or lacks something.
    """
    database = aliases.space_database(space_id, database_url)
    name = database["NAME"]
    if database_url:
        migrate_space(space_id, database_url)
    else:
        with _turn(), _server_connection(owner=False) as connection:
            _copy_template(connection, name)
    with _plain_connection(database) as connection:
        connection.execute(
            "insert into space_identity (single, space_id, made_at) values (true, %s, %s) on conflict do nothing",
            [space_id, now()],
        )
        row = connection.execute("select space_id from space_identity").fetchone()
    if row is None or row[0] != space_id:
        raise CannotProvision(f"The database {name} belongs to another Space.")


def migrate_space(space_id: uuid.UUID, database_url: str = "") -> None:
    """Bring one Space's database up to date. Restartable: each migration is a transaction of its own.

    Raises CannotProvision, and what the database says.
    """
    alias = aliases.register_space(space_id, database_url)
    with _turn(), as_owner(alias) as owner:
        _migrate_space_apps(owner)


def drop_space_database(space_id: uuid.UUID) -> None:
    """Remove a Space's database for good."""
    alias = aliases.alias_of(space_id)
    aliases.forget(alias)
    close_idle(older_than=0)
    with _server_connection(owner=False) as connection:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(alias)))


def template_name() -> str:
    """The template lies beside the control database and bears its name, so that two instances share a server."""
    return f"{connections.settings['default']['NAME']}_template"


def app_role() -> str:
    """The role of the running application."""
    return str(connections.settings["default"]["USER"])


@contextmanager
def as_owner(alias: str) -> Iterator[str]:
    """The alias of the same database under the role that owns its tables, for what the application may not do."""
    owner = aliases.register_owner(alias)
    try:
        yield owner
    finally:
        aliases.forget(owner)


@contextmanager
def _turn() -> Iterator[None]:
    with _server_connection(owner=False) as connection:
        connection.execute("select pg_advisory_lock(%s)", [_PROVISIONING_LOCK])
        yield


def _plain_connection(database: dict[str, Any], **changed: Any) -> Connection:
    values = {**database, **changed}
    return psycopg.connect(
        host=str(values["HOST"]),
        port=str(values["PORT"]),
        dbname=str(values["NAME"]),
        user=str(values["USER"]),
        password=str(values["PASSWORD"]),
        autocommit=True,
        **values["OPTIONS"],
    )


def _server_connection(*, owner: bool) -> Connection:
    """A connection to the control database for statements that run outside transactions."""
    changed = settings.KNDL_OWNER_CREDENTIALS() if owner else {}
    return _plain_connection(connections.settings["default"], **changed)


def _exists(connection: Connection, name: str) -> bool:
    return connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is not None


def _copy_template(connection: Connection, name: str) -> None:
    """The database `name`, made from the template unless it is there; the rights on it are given again if need be."""
    identifier = sql.Identifier(name)
    if not _exists(connection, name):
        template = sql.Identifier(template_name())
        _create_database(connection, sql.SQL("create database {} template {}").format(identifier, template))
    connection.execute(sql.SQL("revoke all on database {} from public").format(identifier))
    owner = sql.Identifier(settings.KNDL_OWNER_CREDENTIALS()["USER"])
    connection.execute(sql.SQL("grant connect on database {} to {}").format(identifier, owner))


def _create_database(connection: Connection, statement: sql.Composed) -> None:
    try:
        connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        role = connection.info.user
        raise CannotProvision(f"The role {role} may not make databases: ALTER ROLE {role} CREATEDB") from error


def _ensure_vector(alias: str) -> None:
    """pgvector in the database of `alias`; only a superuser may install it."""
    name = str(connections[alias].settings_dict["NAME"])
    with connections[alias].cursor() as cursor:
        cursor.execute("select 1 from pg_extension where extname = 'vector'")
        if cursor.fetchone():
            return
        if settings.KNDL.embedded:
            settings.KNDL_INSTALL_VECTOR(name)
            return
        try:
            cursor.execute("create extension vector")
        except (ProgrammingError, NotSupportedError, OperationalError) as error:
            reason = str(error).partition("\n")[0]
            raise CannotProvision(
                f"The database {name} needs pgvector ({reason}). As a superuser, in {name}: CREATE EXTENSION vector"
            ) from error


def _migrate_space_apps(alias: str) -> None:
    _ensure_vector(alias)
    _grant(alias)
    for label in SPACE_APPS:
        call_command("migrate", label, database=alias, verbosity=0, interactive=False)


def _grant(alias: str) -> None:
    """Let the application's role use what its owner is about to make; migrations take some of it back."""
    role = sql.Identifier(app_role())
    with connections[alias].cursor() as cursor:
        _own_schema(cursor, str(connections[alias].settings_dict["NAME"]))
        for statement in (
            "grant usage on schema public to {}",
            "alter default privileges in schema public grant select, insert, update, delete on tables to {}",
            "alter default privileges in schema public grant usage, select on sequences to {}",
        ):
            cursor.execute(sql.SQL(statement).format(role).as_string(cursor.connection))


def _own_schema(cursor: Any, database: str) -> None:
    try:
        cursor.execute("alter schema public owner to current_user")
    except ProgrammingError as error:
        owner = settings.KNDL_OWNER_CREDENTIALS()["USER"]
        raise CannotProvision(
            f"The role {owner} may not make tables in {database}."
            f" As a superuser, in {database}: ALTER SCHEMA public OWNER TO {owner}"
        ) from error
