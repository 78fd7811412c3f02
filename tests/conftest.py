"""What every test stands on: a real PostgreSQL of its own, run as in production, roles and all."""

import os
import shutil
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client, SimpleTestCase
from pytest_django.plugin import DjangoDbBlocker

from kndl_site.embedded import EmbeddedServer, superuser_connection
from tests.actors import Trio, make_seat_token, make_trio
from tests.environment import FOLDER

_KEPT_TABLES = {"django_migrations", "django_content_type", "space_identity"}


def pytest_configure(config: pytest.Config) -> None:
    """Let Space databases, which are made while tests run, through Django's guard; pytest-django's own guard stays."""
    SimpleTestCase._add_databases_failures = classmethod(_guard_nothing)  # type: ignore[attr-defined]
    SimpleTestCase._remove_databases_failures = classmethod(lambda cls: None)  # type: ignore[attr-defined]


def _guard_nothing(cls: type[SimpleTestCase]) -> None:
    cls.databases = cls._validate_databases()  # type: ignore[attr-defined]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what the machine has no program for, unless KNDL_REQUIRE says that this is a failure."""
    required = set(filter(None, os.environ.get("KNDL_REQUIRE", "").split(",")))
    programs = {"redis": ("redis", "redis-server"), "browser": ("chromium", "chromium")}
    for mark, (name, program) in programs.items():
        if shutil.which(program) or (name == "chromium" and shutil.which("chromium-browser")):
            continue
        if name in required:
            raise pytest.UsageError(f"KNDL_REQUIRE asks for {name}, and {program} is not installed")
        for item in items:
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=f"{program} is not installed"))


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    """The data folder of this test process."""
    yield FOLDER / "data"
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def embedded_server(data_dir: Path) -> Iterator[EmbeddedServer]:
    """The running server, not durable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = EmbeddedServer(data_dir, durable=False).acquire()
    yield server
    server.release()


@pytest.fixture(scope="session")
def django_db_setup(embedded_server: EmbeddedServer, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The control database and the template of Spaces, made as `up` makes them."""
    from spaces.databases.backend.base import close_idle
    from spaces.databases.provisioning import ensure_control, ensure_template

    with django_db_blocker.unblock():
        ensure_control()
        ensure_template()
    yield
    connections.close_all()
    close_idle(older_than=-1)


@pytest.fixture(scope="session")
def space_databases(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Callable[[int], uuid.UUID]:
    """The id of the n-th Space database of this process, made on first use and kept for all tests."""
    from spaces.databases.provisioning import create_space_database

    made: dict[int, uuid.UUID] = {}

    def database(number: int) -> uuid.UUID:
        if number not in made:
            made[number] = uuid.uuid4()
            with django_db_blocker.unblock():
                create_space_database(made[number])
        return made[number]

    return database


@pytest.fixture
def committed_db(django_db_setup: None, data_dir: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The control database without a transaction around the test, for threads and other processes to see."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()
        empty(data_dir, "kndl")


@pytest.fixture
def new_space(
    request: pytest.FixtureRequest, space_databases: Callable[[int], uuid.UUID], data_dir: Path
) -> Iterator[Callable[..., Any]]:
    """Make a Space with a real, empty database: `new_space("north", owner=user)`."""
    from spaces.databases.aliases import alias_of
    from spaces.models import Membership, Scope, Space

    request.getfixturevalue("committed_db" if "committed_db" in request.fixturenames else "db")
    used = 0

    def make(slug: str = "north", *, owner: Any = None, name: str = "") -> Space:
        nonlocal used
        space_id = space_databases(used)
        used += 1
        empty(data_dir, alias_of(space_id))
        space = Space.objects.create(id=space_id, slug=slug, name=name or slug.title(), state=Space.State.READY)
        Scope.objects.create(space=space, name="shared")
        if owner is not None:
            Membership.objects.create(space=space, user=owner, role=Membership.Role.OWNER)
        return space

    yield make
    connections.close_all()


@pytest.fixture
def trio(request: pytest.FixtureRequest, new_space: Callable[..., Any]) -> Trio:
    """An owner, a teammate and a stranger, with the Spaces they are in."""
    return make_trio(new_space)


@pytest.fixture
def space(trio: Trio) -> Any:
    """The Space of the trio's owner and teammate."""
    return trio.space


@pytest.fixture
def token(trio: Trio) -> str:
    """The token of a seat in the Space with every verb but `cross_tenant`."""
    return make_seat_token(trio.space)


@pytest.fixture
def api(token: str) -> Client:
    """A REST client that speaks with that token."""
    return Client(headers={"Authorization": f"Bearer {token}"})


def empty(data_dir: Path, database: str) -> None:
    """Remove all rows of a database, as only the superuser can; quickly where most tables hold none."""
    with superuser_connection(data_dir, database) as connection:
        connection.execute(_EMPTY)


# Deleting a few rows is many times quicker than truncating every table, which makes new files for each.
_KEPT = ", ".join(f"'{table}'" for table in sorted(_KEPT_TABLES))
_EMPTY = f"""
set session_replication_role = replica;
do $$
declare held text; was_used boolean := false;
begin
  for held in execute (
    select string_agg(format('select %L where exists (select from %s)', oid::regclass, oid::regclass), ' union all ')
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ({_KEPT}))
  loop
    execute 'delete from ' || held;
    was_used := true;
  end loop;
  if was_used then
    perform setval(s.seqrelid::regclass, s.seqstart, false) from pg_sequence s
      join pg_depend d on d.objid = s.seqrelid and d.refobjsubid > 0 and d.deptype in ('a', 'i')
      join pg_class t on t.oid = d.refobjid and t.relname not in ({_KEPT})
      where d.classid = 'pg_class'::regclass and pg_sequence_last_value(s.seqrelid) is not null;
  end if;
end $$
"""
