"""Tables that only grow: what migrations do to a table so that the application cannot change its rows.

A trigger refuses every UPDATE, DELETE and TRUNCATE, and the application's role has no right to any of them; only the
role that owns the table could take the trigger away.
"""

from collections.abc import Callable

from django.db import connections
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.db.migrations.state import StateApps
from psycopg import sql

_FUNCTION = """
create or replace function kndl_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never changed or removed', tg_table_name using errcode = '23001';
end $$
"""


def append_only(table: str) -> RunPython:
    """The migration operation that makes `table` append-only."""
    return RunPython(_apply(table), RunPython.noop)


def _apply(table: str) -> Callable[[StateApps, BaseDatabaseSchemaEditor], None]:
    def apply(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
        name = sql.Identifier(table)
        application = str(connections.settings["default"]["USER"])
        with editor.connection.cursor() as cursor:
            cursor.execute(_FUNCTION)
            refuse = "execute function kndl_refuse_change()"
            statements = [
                f"create trigger refuse_change before update or delete on {{table}} for each row {refuse}",
                f"create trigger refuse_truncate before truncate on {{table}} for each statement {refuse}",
            ]
            # Where one role does both, later migrations need its rights; `check --deploy` says what that means.
            if application != editor.connection.settings_dict["USER"]:
                statements.append("revoke update, delete, truncate, trigger, references on {table} from {application}")
            for statement in statements:
                query = sql.SQL(statement).format(table=name, application=sql.Identifier(application))
                cursor.execute(query.as_string(cursor.connection))

    return apply
