"""Facts and audit rows never change: not through REST, and not for the role that the application has."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import ProgrammingError, connections

from audit.models import AuditRow
from kndl_site.embedded import superuser_connection
from spaces.databases.aliases import alias_of, space_database
from spaces.databases.entering import entered
from tests.rest.client import Rest, live

TABLES = ["fact", "fact_parent", "audit_row"]
CHANGES = [
    "update {} set {} = {}",
    "delete from {}",
    "truncate {} cascade",
    "alter table {} disable trigger all",
    "alter table {} disable trigger refuse_change",
    "alter table {} add column more text",
    "drop trigger refuse_change on {}",
    "drop table {} cascade",
    "alter table {} owner to current_user",
    "alter table {} rename to gone",
    "create trigger mine before insert on {} for each row execute function kndl_refuse_change()",
    "create rule mine as on insert to {} do instead nothing",
]


@pytest.fixture
def application(rest: Rest, north: Any) -> Any:
    """A connection of the application's role to a Space in which a fact has been written."""
    parent = rest.written()["@id"]
    rest.written(derivedFrom=[parent])
    database = space_database(north.pk)
    with psycopg.connect(
        host=database["HOST"], port=database["PORT"], dbname=database["NAME"], user=database["USER"],
        password=database["PASSWORD"], autocommit=True,
    ) as connection:  # fmt: skip
        yield connection


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("change", CHANGES)
def test_the_application_cannot_change_rows_or_what_guards_them(application: Any, table: str, change: str):
    column = "scope"
    before = application.execute(f"select * from {table} order by 1").fetchall()
    assert before

    with pytest.raises(psycopg.Error) as refusal:
        application.execute(change.format(table, column, column))
    # Not a slip in the statement: the right is missing, or the trigger refused.
    assert refusal.value.sqlstate in {"42501", "23001"}, refusal.value
    assert application.execute(f"select * from {table} order by 1").fetchall() == before


@pytest.mark.parametrize(
    "change",
    [
        "set session_replication_role = replica",
        "create or replace function kndl_refuse_change() returns trigger language plpgsql as 'begin return new; end'",
        "drop function kndl_refuse_change() cascade",
        "create table public.fact_of_mine ()",
    ],
)
def test_the_application_cannot_go_around_the_guard(application: Any, change: str):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(change)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("change", CHANGES[:3])
def test_the_trigger_refuses_even_a_role_with_every_right(
    application: Any, data_dir: Any, north: Any, table: str, change: str
):
    refused = pytest.raises(psycopg.errors.RestrictViolation, match="never changed or removed")
    with superuser_connection(data_dir, alias_of(north.pk)) as connection, refused:
        connection.execute(change.format(table, "scope", "scope"))


@pytest.mark.parametrize("change", [CHANGES[0].format("audit_row", "act", "act"), CHANGES[1].format("audit_row")])
def test_the_audit_of_the_control_database_is_guarded_as_well(db: None, change: str):
    with connections["default"].cursor() as cursor, pytest.raises(ProgrammingError, match="permission denied"):
        cursor.execute(change)


@pytest.mark.parametrize("method", ["patch", "put", "delete"])
@pytest.mark.parametrize("path", ["facts/{}", "facts"])
def test_rest_has_no_way_to_change_a_fact_and_records_who_tried(rest: Rest, north: Any, method: str, path: str):
    made = rest.written(validFrom="2026-01-01T00:00:00Z")
    send: Callable[..., Any] = getattr(rest.client, method)
    answer = send(rest.address(path.format(made["@id"])), live(confidence=0.1), content_type="application/json")

    assert answer.status_code == 405
    assert answer.json()["code"] == "method_not_allowed"
    assert method.upper() not in answer["Allow"]
    assert rest.get(f"facts/{made['@id']}").json() == made
    with entered(north) as here:
        last = AuditRow.objects.using(here.alias).latest("sequence")
    assert (last.outcome, last.stated["status"]) == ("refused", 405)
    assert last.act.startswith(method)
    assert last.object == (made["@id"] if "{}" in path else "north")
