"""FIND with aggregates: one row for each group of what else is listed, or one value for each where nothing is."""

import json
from collections.abc import Sequence

from memory.kip.answering import elements
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Aggregated, Expression, Find, Json, Path
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.groups import Column, Group
from memory.kip.querying.ordering import Key, binding_key, value_keys
from memory.kip.querying.pages import page_of
from memory.kip.querying.paths import Value, value_at
from memory.kip.querying.rows import (
    distinct_rows,
    is_element,
    is_same,
    not_projected,
    order_keys,
    path_of,
    variables_of,
)
from memory.layers.elements import run_sql


def answer_aggregates(group: Group, statement: Find) -> Json:
    """One value for each aggregate; the value itself where there is one."""
    if statement.cursor is not None:
        raise KipError("KIP_1001", "An answer without rows has no pages.", at=statement.at)
    aggregated = [one for one in statement.expressions if isinstance(one, Aggregated)]
    for key in statement.order:
        _place_of(key.expression, statement.expressions)
    rows = distinct_rows(group, variables_of(group, aggregated), "r")
    columns = ", ".join(f"({aggregate_sql(rows, one)})::text" for one in aggregated)
    compiling = group.compiling
    found = run_sql(compiling.beginning + rows.select(columns), compiling.values)[0]
    values = [None if value is None else json.loads(value) for value in found]
    return values[0] if len(values) == 1 else values


def answer_groups(group: Group, statement: Find) -> tuple[list[list[Json]], str | None]:
    """A column for each expression, and the cursor of the next page."""
    compiling, expressions = group.compiling, statement.expressions
    rows = distinct_rows(group, variables_of(group, expressions), "r")
    plain = {place: one for place, one in enumerate(expressions) if isinstance(one, Path)}
    columns, grouped, outside = [], [], Group(compiling, tables=["cross join t"])
    values: list[Value | None] = []
    for place, one in enumerate(expressions):
        if isinstance(one, Aggregated):
            columns.append(f"{aggregate_sql(rows, one)} g{place}")
            values.append(Value(f"t.g{place}", is_text=False))
            continue
        kind = rows.column(one.variable).kind
        if is_element(rows, one):
            columns.append(f"{rows.column(one.variable).sql} g{place}")
            outside.columns.setdefault(one.variable.name, Column(f"t.g{place}", kind, may_be_null=True))
            values.append(None)
        else:
            value = value_at(rows, one)
            columns.append(f"{value.sql} g{place}")
            values.append(Value(f"t.g{place}", is_text=value.is_text))
        grouped.append(str(place + 1))
    hidden = _hidden(rows, statement)
    columns += [f"{sql} g{len(expressions) + place}" for place, (_, sql) in enumerate(hidden)]
    inner = f"{rows.select(', '.join(columns))} group by {', '.join(grouped)}"
    outside.tables = [f"cross join ({inner}) t"]
    keys = _keys(outside, statement, values, [path for path, _ in hidden])
    for place, one in plain.items():
        shown_value = values[place]
        keys += [binding_key(outside.column(one.variable))] if shown_value is None else value_keys(shown_value)
    shown = ", ".join(f"t.g{place}" for place in range(len(columns)))
    every = outside.select(", ".join([shown, *(f"{key.sql} k{place}" for place, key in enumerate(keys))]))
    texts = ", ".join(
        f"page.g{place}" if value is None or value.is_text else f"page.g{place}::text"
        for place, value in enumerate(values)
    )
    found, cursor = page_of(
        compiling, every, keys, statement, limit=statement.limit, cursor=statement.cursor, shown=texts
    )
    return [_column(compiling, [row[place] for row in found], value) for place, value in enumerate(values)], cursor


def aggregate_sql(rows: Group, aggregated: Aggregated) -> str:
    """An aggregate over rows, as jsonb. What is absent counts in none; what is no number neither in SUM nor in AVG."""
    distinct = "distinct " if aggregated.is_distinct else ""
    if aggregated.function == "COUNT" and is_element(rows, aggregated.path):
        return f"to_jsonb(count({distinct}{rows.column(aggregated.path.variable).sql}))"
    value = value_at(rows, aggregated.path)
    number = "null::numeric"
    if not value.is_text:
        number = f"(case when jsonb_typeof({value.sql}) = 'number' then {value.text}::numeric end)"
    match aggregated.function:
        case "COUNT":
            return f"to_jsonb(count({distinct}{value.sql}))"
        case "SUM":
            return f"to_jsonb(coalesce(sum({distinct}{number}), 0))"
        case "AVG":
            return f"to_jsonb(avg({distinct}{number})::float8)"
        case "MIN" | "MAX":
            order = ", ".join(key.order for key in value_keys(value, is_descending=aggregated.function == "MAX"))
            return f"(array_agg({value.json} order by {order}) filter (where {value.sql} is not null))[1]"


def _hidden(rows: Group, statement: Find) -> list[tuple[Path, str]]:
    """What groups are ordered by although it is not listed: of a variable that is, the value that comes first."""
    found = []
    for key in statement.order:
        path = key.expression
        is_listed = any(
            is_same(one, path) or is_same(one, Path(path_of(path).variable, ())) for one in _plain(statement)
        )
        if isinstance(path, Path) and not is_listed and path.variable.name in rows.columns:
            value = value_at(rows, path)
            order = ", ".join(one.order for one in value_keys(value, is_descending=key.is_descending))
            found.append((path, f"(array_agg({value.json} order by {order}))[1]"))
    return found


def _plain(statement: Find) -> list[Path]:
    return [one for one in statement.expressions if isinstance(one, Path)]


def _keys(outside: Group, statement: Find, values: Sequence[Value | None], hidden: Sequence[Path]) -> list[Key]:
    keys: list[Key] = []
    for one in statement.order:
        place = _place_of(one.expression, statement.expressions, is_strict=False)
        value = None if place is None else values[place]
        if value is not None:
            keys += value_keys(value, is_descending=one.is_descending)
        elif isinstance(one.expression, Path) and one.expression.variable.name in outside.columns:
            keys += order_keys(outside, one.expression, is_descending=one.is_descending)
        elif (other := _place_of(one.expression, hidden, is_strict=False)) is not None:
            value = Value(f"t.g{len(values) + other}", is_text=False)
            keys += value_keys(value, is_descending=one.is_descending)
        else:
            raise not_projected(one.expression)
    return keys


def _place_of(expression: Expression, expressions: Sequence[Expression], *, is_strict: bool = True) -> int | None:
    found = [place for place, one in enumerate(expressions) if is_same(one, expression)]
    if not found and is_strict:
        raise not_projected(expression)
    exact = [place for place in found if expressions[place] == expression]
    return next(iter(exact or found), None)


def _column(compiling: Compiling, values: list[Json], value: Value | None) -> list[Json]:
    if value is None:
        known = elements(compiling.graph, [one for one in values if one is not None])
        return [known.get(one) for one in values]
    return values if value.is_text else [None if one is None else json.loads(one) for one in values]
