"""Solutions, each once over some of their variables, as a subquery that values are read from."""

from collections.abc import Iterable, Sequence

from memory.kip.language.errors import KipError
from memory.kip.language.tree import Aggregated, Expression, Path
from memory.kip.querying.groups import Column, Group
from memory.kip.querying.kinds import Kind
from memory.kip.querying.ordering import Key, value_keys
from memory.kip.querying.paths import value_at


def path_of(expression: Expression) -> Path:
    """The path that an expression reads."""
    return expression.path if isinstance(expression, Aggregated) else expression


def variables_of(group: Group, expressions: Iterable[Expression]) -> list[str]:
    """The variables of expressions, each once. Raises KIP_3001 for one that nothing binds."""
    found: dict[str, None] = {}
    for expression in expressions:
        variable = path_of(expression).variable
        group.column(variable)
        found[variable.name] = None
    return list(found)


def distinct_rows(group: Group, names: Sequence[str], table: str) -> Group:
    """The solutions of a group, each once over these variables: `table` with the columns c0, c1, …"""
    columns = ", ".join(f"{group.columns[name].sql} c{place}" for place, name in enumerate(names))
    rows = rows_in(group, names, table)
    distinct = "" if group.tells_apart(group.columns[name].sql for name in names) else "distinct "
    rows.tables = [f"cross join ({group.select(distinct + columns)}) {table}"]
    return rows


def rows_in(group: Group, names: Sequence[str], table: str) -> Group:
    """A group whose variables are the columns of a table that is there already."""
    columns = {
        name: Column(f"{table}.c{place}", group.columns[name].kind, may_be_null=group.columns[name].may_be_null)
        for place, name in enumerate(names)
    }
    return Group(group.compiling, columns)


def order_keys(rows: Group, path: Path, *, is_descending: bool) -> list[Key]:
    """The keys of a path in ORDER BY; elements themselves stand in the order of their making."""
    column = rows.column(path.variable)
    if path.fields or column.kind is Kind.PREDICATE:
        return value_keys(value_at(rows, path), is_descending=is_descending)
    if not column.may_be_null:
        return [Key(column.sql, "bigint", is_descending)]
    absent = Key(f"(case when {column.sql} is null then 1 else 0 end)", "int")
    return [absent, Key(f"coalesce({column.sql}, 0)", "bigint", is_descending)]


def is_element(rows: Group, path: Path) -> bool:
    """Whether an expression is a whole element."""
    return not path.fields and rows.column(path.variable).kind is not Kind.PREDICATE


def is_same(one: Expression, other: Expression) -> bool:
    """Whether two expressions say the same, DISTINCT aside."""
    if isinstance(one, Aggregated) and isinstance(other, Aggregated):
        return one.function == other.function and is_same(one.path, other.path)
    if isinstance(one, Path) and isinstance(other, Path):
        return (one.variable.name, one.fields) == (other.variable.name, other.fields)
    return False


def not_projected(expression: Expression) -> KipError:
    """The error of an ORDER BY key that FIND would have to list."""
    at = expression.at if isinstance(expression, Aggregated) else expression.variable.at
    return KipError("KIP_1001", "What groups are ordered by must be listed in FIND too.", at=at)
