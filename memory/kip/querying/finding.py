"""FIND: solutions, each once over the projected variables, in order, a page at a time."""

import json
from collections.abc import Sequence

from memory.kip.answering import elements
from memory.kip.graph import Graph
from memory.kip.language.tree import Aggregated, Find, Json, Path
from memory.kip.querying.aggregates import answer_aggregates, answer_groups
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.groups import Group
from memory.kip.querying.kinds import Kind
from memory.kip.querying.ordering import Key, binding_key
from memory.kip.querying.pages import page_of
from memory.kip.querying.paths import value_at
from memory.kip.querying.rows import distinct_rows, not_projected, order_keys, rows_in, variables_of
from memory.kip.querying.solutions import where_group


def find(graph: Graph, statement: Find) -> tuple[Json, str | None]:
    """The columns of an answer, one of them by itself, and the cursor of the next page."""
    group = where_group(Compiling(graph), statement.where)
    aggregated = [isinstance(one, Aggregated) for one in statement.expressions]
    if all(aggregated):
        return answer_aggregates(group, statement), None
    columns, cursor = answer_groups(group, statement) if any(aggregated) else _rows(group, statement)
    return columns[0] if len(columns) == 1 else columns, cursor


def _rows(group: Group, statement: Find) -> tuple[list[list[Json]], str | None]:
    compiling = group.compiling
    paths = [one for one in statement.expressions if isinstance(one, Path)]
    names = variables_of(group, paths)
    for key in statement.order:
        if isinstance(key.expression, Aggregated):
            raise not_projected(key.expression)
    ordering = variables_of(group, [key.expression for key in statement.order])
    rows = distinct_rows(group, [*names, *(name for name in ordering if name not in names)], "r")
    keys = _keys(rows, statement, names)
    columns = [f"r.c{place}" for place in range(len(names))]
    selected = ", ".join([*columns, *(f"{key.sql} k{place}" for place, key in enumerate(keys))])
    every = rows.select(selected)
    if set(ordering) - set(names):
        every = _first_of_each(every, len(names), keys)
    page = rows_in(group, names, "page")
    shown = [_shown(page, path) for path in paths]
    found, cursor = page_of(
        compiling,
        every,
        keys,
        statement,
        limit=statement.limit,
        cursor=statement.cursor,
        shown=", ".join(sql for sql, _ in shown),
        joined="".join(f" {table}" for table in page.tables),
    )
    return [
        _column(compiling.graph, [row[place] for row in found], form, path)
        for place, ((_, form), path) in enumerate(zip(shown, paths, strict=True))
    ], cursor


def _keys(rows: Group, statement: Find, names: Sequence[str]) -> list[Key]:
    keys: list[Key] = []
    for key in statement.order:
        assert isinstance(key.expression, Path)
        keys += order_keys(rows, key.expression, is_descending=key.is_descending)
    return keys + [binding_key(rows.columns[name]) for name in names]


def _first_of_each(every: str, columns: int, keys: Sequence[Key]) -> str:
    """Of solutions that differ only in what they are ordered by, the first."""
    own = ", ".join(f"c{place}" for place in range(columns))
    named = [key.renamed(f"k{place}") for place, key in enumerate(keys)]
    order = ", ".join(key.order for key in named)
    return f"select distinct on ({own}) * from ({every}) each order by {own}, {order}"


def _shown(page: Group, path: Path) -> tuple[str, str]:
    """The SQL of what is shown of a row, and what form it has: an element's id, text, or JSON."""
    column = page.column(path.variable)
    if column.kind is not Kind.PREDICATE and path.fields in ((), ("metadata",)):
        return column.sql, "element"
    value = value_at(page, path)
    return (value.sql, "text") if value.is_text else (f"({value.sql})::text", "json")


def _column(graph: Graph, values: list[Json], form: str, path: Path) -> list[Json]:
    if form == "text":
        return values
    if form == "json":
        return [None if value is None else json.loads(value) for value in values]
    known = elements(graph, [value for value in values if value is not None])
    found = [known.get(value) for value in values]
    return [one and one["metadata"] for one in found] if path.fields else list(found)
