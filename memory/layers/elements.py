"""Nodes and links on their way into the database: ids from the one sequence, rows by COPY."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connections

from spaces.databases.entering import current_alias


def new_ids(count: int) -> list[int]:
    """`count` ids for nodes or links, ascending."""
    if not count:
        return []
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("select nextval('element_id') from generate_series(1, %s)", [count])
        return [row[0] for row in cursor.fetchall()]


def copy_rows(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Add rows to one of our own tables, inside the caller's transaction."""
    statement = f"copy {table} ({', '.join(columns)}) from stdin"
    with connections[current_alias()].cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def run_sql(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement; none where it returns nothing."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []
