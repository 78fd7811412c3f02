"""A total order over JSON values, and going on behind a row: both as SQL.

Numbers stand before strings, then booleans, arrays and objects; what is absent is last in both directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.kip.querying.compiling import Compiling
from memory.kip.querying.groups import Column
from memory.kip.querying.kinds import Kind
from memory.kip.querying.paths import Value

_ABSENT = 9
_GREATEST = 2**63 - 1


@dataclass(frozen=True)
class Key:
    """One expression that is never null, with its type and direction."""

    sql: str
    type: str
    is_descending: bool = False

    @property
    def order(self) -> str:
        """As it stands in ORDER BY."""
        return f"{self.sql} desc" if self.is_descending else self.sql

    def renamed(self, column: str) -> "Key":
        """The same key where it is a column of a subquery."""
        return Key(f'{column} collate "C"' if self.type == "text" else column, self.type, self.is_descending)


def value_keys(value: Value, *, is_descending: bool = False) -> list[Key]:
    """The keys by which a value is ordered."""
    if value.is_text:
        absent = Key(f"(case when {value.sql} is null then 1 else 0 end)", "int")
        return [absent, Key(f"coalesce({value.sql}, '') collate \"C\"", "text", is_descending)]
    kind = f"jsonb_typeof({value.sql})"
    rank = (
        f"(case {kind} when 'number' then 1 when 'string' then 2 when 'boolean' then 3 when 'array' then 4"
        f" when 'object' then 5 else {-_ABSENT if is_descending else _ABSENT} end)"
    )
    number = f"(case when {kind} = 'number' then {value.text}::numeric else 0 end)"
    text = f"(case when {kind} = 'number' or {value.sql} is null then '' else {value.text} end) collate \"C\""
    return [
        Key(rank, "int", is_descending),
        Key(number, "numeric", is_descending),
        Key(text, "text", is_descending),
    ]


def binding_key(column: Column) -> Key:
    """The key that tells two solutions apart by what a variable stands for."""
    if column.kind is Kind.PREDICATE:
        return Key(f"coalesce({column.sql}, '') collate \"C\"", "text")
    return Key(f"coalesce({column.sql}, {_GREATEST})" if column.may_be_null else column.sql, "bigint")


def behind(compiling: Compiling, keys: Sequence[Key], values: Sequence[str | int]) -> str:
    """The condition that a row comes after the one with these values of its keys."""
    condition = ""
    for key, value in reversed(list(zip(keys, values, strict=True))):
        given = f"{compiling.value(value)}::{key.type}"
        after = f"{key.sql} {'<' if key.is_descending else '>'} {given}"
        condition = f"({after} or {key.sql} = {given} and {condition})" if condition else f"({after})"
    return condition
