"""Whose database is this, and is it up to date?"""

import functools
import uuid
from typing import cast

import psycopg
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from spaces.databases.store import Connection

# The Django apps whose tables live in a Space's database.
SPACE_APPS = ("space_identity", "audit", "memory")

_QUESTION = """
select array(select space_id from space_identity),
       array(select app || '.' || name from django_migrations where app = any(%s))
"""


class NotThisSpace(psycopg.OperationalError):
    """The database answers, but it is another Space's, nobody's, or not migrated."""


@functools.cache
def expected_migrations() -> frozenset[str]:
    """The migrations that a Space's database must have, as `app.name`."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    present = {label for label in SPACE_APPS if apps.is_installed(_package(label))}
    return frozenset(f"{app}.{name}" for app, name in loader.disk_migrations if app in present)


def check_identity(connection: Connection, space_id: str) -> None:
    """Raise NotThisSpace unless `connection` leads to the migrated database of that Space.

    One round trip: it is made each time that a connection is lent, since a pooler between us and the server may lead
    elsewhere than before, and a restored database may be an older one.
    """
    try:
        found = connection.execute(_QUESTION, [list(SPACE_APPS)]).fetchone()
    except psycopg.errors.UndefinedTable as error:
        raise NotThisSpace("the database has no identity row") from error
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:
        raise NotThisSpace(f"the database cannot be read: {error}") from error
    owners, applied = cast("tuple[list[uuid.UUID], list[str]]", found)
    if owners != [uuid.UUID(space_id)]:
        raise NotThisSpace("the database belongs to another Space" if owners else "the database has no identity row")
    missing = expected_migrations().difference(applied)
    if missing:
        raise NotThisSpace(f"the database is not migrated: {len(missing)} migrations are missing")


def _package(label: str) -> str:
    return "spaces.identity" if label == "space_identity" else label
