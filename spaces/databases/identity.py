"""Whose database is this, and is it up to date?"""

import functools
import uuid

import psycopg
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from spaces.databases.store import Connection

# The Django apps whose tables live in a Space's database.
SPACE_APPS = ("space_identity", "audit", "memory")


class NotThisSpace(psycopg.OperationalError):
    """The database answers, but it is another Space's, nobody's, or not migrated."""


@functools.cache
def expected_migrations() -> frozenset[tuple[str, str]]:
    """The migrations that a Space's database must have, as (app, name)."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    present = {label for label in SPACE_APPS if apps.is_installed(_package(label))}
    return frozenset(key for key in loader.disk_migrations if key[0] in present)


def check_identity(connection: Connection, space_id: str) -> None:
    """Raise NotThisSpace unless `connection` leads to the migrated database of that Space."""
    try:
        rows = connection.execute("select space_id from space_identity").fetchall()
        applied = connection.execute(
            "select app, name from django_migrations where app = any(%s)", [list(SPACE_APPS)]
        ).fetchall()
    except psycopg.errors.UndefinedTable as error:
        raise NotThisSpace("the database has no identity row") from error
    if [row[0] for row in rows] != [uuid.UUID(space_id)]:
        raise NotThisSpace("the database belongs to another Space" if rows else "the database has no identity row")
    missing = expected_migrations() - {(str(app), str(name)) for app, name in applied}
    if missing:
        raise NotThisSpace(f"the database is not migrated: {len(missing)} migrations are missing")


def _package(label: str) -> str:
    return "spaces.identity" if label == "space_identity" else label
