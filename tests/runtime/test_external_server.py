"""A PostgreSQL of one's own: two roles or one, and clear words for what only its operator can give."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from kndl_site.embedded import Address, EmbeddedServer, superuser_connection
from tests.instances import ROOT

ROLES = """
create role their_owner login createdb password 'owner-secret';
create role their_app login createdb password 'app-secret';
create role their_only login createdb password 'only-secret';
create database theirs owner their_owner;
create database single owner their_only;
create database closed owner postgres;
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A server with roles and databases as an operator makes them; pgvector is there to be installed."""
    folder = tmp_path_factory.mktemp("server")
    with EmbeddedServer(folder, durable=False):
        tell(folder, "postgres", *filter(None, ROLES.strip().split("\n")))
        yield folder


def tell(server: Path, database: str, *statements: str) -> None:
    with superuser_connection(server, database) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def address(server: Path, role: str, database: str) -> str:
    host = quote(str(Address.of(server).socket_dir), safe="")
    return f"postgresql://their_{role}:{role}-secret@/{database}?host={host}"


def manage(folder: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("KNDL_", "DJANGO_"))}
    environ |= {"KNDL_DATA_DIR": str(folder / "data"), "KNDL_LOG_LEVEL": "warning"} | settings
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120, check=False)


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that failed said, which is one line and no traceback."""
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr
    return done.stderr.strip()


def test_two_roles_one_owns_the_tables_and_the_other_works_with_them(server: Path, tmp_path: Path) -> None:
    urls = {
        "KNDL_DATABASE_URL": address(server, "app", "theirs"),
        "KNDL_OWNER_DATABASE_URL": address(server, "owner", "theirs"),
    }
    said = refusal(manage(tmp_path, "migrate", **urls))
    assert "As a superuser, in theirs_template: CREATE EXTENSION vector" in said

    tell(server, "theirs_template", "create extension vector")
    migrated = manage(tmp_path, "migrate", **urls)
    assert migrated.returncode == 0, migrated.stderr
    assert migrated.stdout.splitlines() == ["control: up to date", "template of Spaces: up to date"]
    assert "go forward together" in refusal(manage(tmp_path, "migrate", "audit", "zero", **urls))

    made = manage(tmp_path, "seat_create", "--space", "demo", "--create", **urls)
    assert made.returncode == 0, made.stderr
    with superuser_connection(server) as connection:
        names = connection.execute("select datname from pg_database where datname like 'space\\_%'").fetchall()
    for database in ("theirs", *(str(row[0]) for row in names)):
        with superuser_connection(server, database) as connection:
            owners = connection.execute("select distinct tableowner from pg_tables where schemaname = 'public'")
            assert owners.fetchall() == [("their_owner",)], database
            assert connection.execute(
                "select has_table_privilege('their_app', 'audit_row', 'insert'),"
                " has_table_privilege('their_app', 'audit_row', 'update, delete, truncate')"
            ).fetchone() == (True, False)
    again = manage(tmp_path, "migrate", **urls)
    assert again.stdout.splitlines()[-1] == "demo: up to date"


def test_one_role_for_both_works_and_the_deployment_check_says_what_that_means(server: Path, tmp_path: Path) -> None:
    url = {"KNDL_DATABASE_URL": address(server, "only", "single")}
    tell(server, "postgres", "create database single_template owner their_only")
    tell(server, "single_template", "create extension vector")
    made = manage(tmp_path, "seat_create", "--space", "single", "--create", **url)
    assert made.returncode == 0, made.stderr
    checked = manage(tmp_path, "check", "--deploy", "--tag", "security", **url)
    assert "kndl.W001" in checked.stderr


def test_a_database_where_the_owner_may_not_make_tables_is_named(server: Path, tmp_path: Path) -> None:
    urls = {
        "KNDL_DATABASE_URL": address(server, "app", "closed"),
        "KNDL_OWNER_DATABASE_URL": address(server, "owner", "closed"),
    }
    said = refusal(manage(tmp_path, "migrate", **urls))
    assert "As a superuser, in closed: ALTER SCHEMA public OWNER TO their_owner" in said


def test_a_server_that_does_not_answer_is_said_in_one_line(tmp_path: Path) -> None:
    url = "postgresql://someone:secret@127.0.0.1:1/kndl"
    said = refusal(manage(tmp_path, "migrate", KNDL_DATABASE_URL=url))
    assert said.startswith("CommandError: The database cannot be used: connection failed:")
    assert "secret" not in said


def test_celery_processes_are_refused_on_the_broker_that_lives_in_one_process(tmp_path: Path) -> None:
    for what in ("worker", "beat"):
        command = [sys.executable, "-m", "celery", "-A", "kndl_site", what]
        environ = os.environ | {"KNDL_DATA_DIR": str(tmp_path / "data"), "KNDL_BROKER_URL": "memory://"}
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False)
        assert f"celery {what}: KNDL_BROKER_URL is memory://" in refusal(done)
