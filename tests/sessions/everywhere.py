"""Every text that a Space's database holds."""

from typing import Any

from django.db import connections

from spaces.databases.entering import entered


def tables_with(space: Any, *words: str) -> set[str]:
    """The tables of a Space in which any of these words stands, whatever the column and its type."""
    found = set()
    with entered(space) as here, connections[here.alias].cursor() as cursor:
        cursor.execute("select tablename from pg_tables where schemaname = 'public'")
        for (table,) in cursor.fetchall():
            for word in words:
                escaped = word.encode().hex()
                cursor.execute(
                    f'select 1 from "{table}" t where strpos(lower(t::text), lower(%s)) > 0'
                    " or strpos(t::text, %s) > 0 limit 1",
                    [word, escaped],
                )
                if cursor.fetchone():
                    found.add(table)
    return found
