"""Ways in which a Space's database is lost, each with its way back. Done as superuser, as an accident would."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kndl_site.embedded import superuser_connection
from spaces.databases.aliases import alias_of
from spaces.databases.provisioning import create_space_database, drop_space_database

FORGET_MIGRATION = "delete from django_migrations where app = 'audit' and name = '0002_rows_never_change'"
REMEMBER_MIGRATION = (
    "insert into django_migrations (app, name, applied) values ('audit', '0002_rows_never_change', now())"
)


def as_superuser(data_dir: Path, database: str, *statements: str) -> None:
    """Run statements one by one, no trigger in the way; connections of others to a renamed database are ended."""
    with superuser_connection(data_dir, database) as connection:
        connection.execute("set session_replication_role = replica")
        for statement in statements:
            connection.execute(statement.encode())


def ended(name: str) -> str:
    """A statement that ends everybody's connections to the database `name`, and waits until they have."""
    clients = f"from pg_stat_activity where datname = '{name}' and backend_type = 'client backend'"
    return f"select pg_terminate_backend(pid, 5000) {clients}"  # autovacuum is the superuser's


@dataclass(frozen=True)
class Breaking:
    """What is done to the database of a Space, and how it is undone."""

    name: str
    broken: Callable[[Path, uuid.UUID], None]
    mended: Callable[[Path, uuid.UUID], None]


def _renamed(data_dir: Path, old: str, new: str) -> None:
    as_superuser(data_dir, "postgres", ended(old), f"alter database {old} rename to {new}")


def _allowing(data_dir: Path, space: uuid.UUID, *, allowed: bool) -> None:
    name = alias_of(space)
    as_superuser(data_dir, "postgres", f"alter database {name} allow_connections {allowed}", ended(name))


def _swapped(data_dir: Path, space: uuid.UUID) -> None:
    """Another Space's database stands in the place of this one's, under this one's name."""
    other = uuid.uuid4()
    create_space_database(other)
    _renamed(data_dir, alias_of(space), f"{alias_of(space)}_away")
    _renamed(data_dir, alias_of(other), alias_of(space))


def _swapped_back(data_dir: Path, space: uuid.UUID) -> None:
    drop_space_database(space)
    _renamed(data_dir, f"{alias_of(space)}_away", alias_of(space))


def _in_it(data_dir: Path, space: uuid.UUID, statement: str) -> None:
    as_superuser(data_dir, alias_of(space), statement)


BREAKINGS = [
    Breaking(
        "dropped", lambda data, space: drop_space_database(space), lambda data, space: create_space_database(space)
    ),
    Breaking(
        "renamed",
        lambda data, space: _renamed(data, alias_of(space), f"{alias_of(space)}_away"),
        lambda data, space: _renamed(data, f"{alias_of(space)}_away", alias_of(space)),
    ),
    Breaking(
        "refusing",
        lambda data, space: _allowing(data, space, allowed=False),
        lambda data, space: _allowing(data, space, allowed=True),
    ),
    Breaking("swapped", _swapped, _swapped_back),
    Breaking(
        "without its identity row",
        lambda data, space: _in_it(data, space, "delete from space_identity"),
        lambda data, space: _in_it(data, space, f"insert into space_identity values (true, '{space}', now())"),
    ),
    Breaking(
        "with another's identity row",
        lambda data, space: _in_it(data, space, "update space_identity set space_id = gen_random_uuid()"),
        lambda data, space: _in_it(data, space, f"update space_identity set space_id = '{space}'"),
    ),
    Breaking(
        "not migrated",
        lambda data, space: _in_it(data, space, FORGET_MIGRATION),
        lambda data, space: _in_it(data, space, REMEMBER_MIGRATION),
    ),
]
