"""Conditions of FILTER as SQL. NULL counts as false, so what is negated is made true or false first."""

from collections.abc import Callable

from memory.kip.language.tree import (
    And,
    Comparison,
    Condition,
    Function,
    Json,
    Membership,
    Not,
    NullTest,
    Operand,
    Or,
    Path,
    TextTest,
)
from memory.kip.querying.groups import Group
from memory.kip.querying.kinds import Kind
from memory.kip.querying.paths import Value, value_at
from memory.kip.querying.regexes import as_postgresql

_SCALARS = (str, int, float, bool)


def condition_sql(group: Group, condition: Condition) -> str:
    """The condition as SQL, null where it is neither. Raises KIP_3001 for a variable that nothing binds."""
    if isinstance(condition, Not):
        return f"(not coalesce({condition_sql(group, condition.condition)}, false))"
    if isinstance(condition, And | Or):
        word = " and " if isinstance(condition, And) else " or "
        return f"({word.join(condition_sql(group, part) for part in condition.conditions)})"
    if isinstance(condition, NullTest):
        value = value_at(group, condition.path)
        return f"({value.sql} is {'' if condition.is_null else 'not '}null)"
    if isinstance(condition, Membership):
        return _membership(group, condition)
    return _text_test(group, condition) if isinstance(condition, TextTest) else _comparison(group, condition)


def _comparison(group: Group, test: Comparison) -> str:
    left, right = _operand(group, test.left), _operand(group, test.right)
    if test.operator in ("==", "!="):
        same = _same_element(group, test.left, test.right) or _equal(group, left, right)
        return same if test.operator == "==" else f"(not coalesce({same}, false))"
    return _ordered(group, test.operator, left, right)


class _Null:
    """The operand null."""


_Side = Value | _Null | str | int | float | bool | list[Json] | dict[str, Json]


def _operand(group: Group, operand: Operand) -> _Side:
    if isinstance(operand, Path):
        return value_at(group, operand)
    value: _Side = _Null() if operand.value is None else operand.value
    return value


def _same_element(group: Group, left: Operand, right: Operand) -> str | None:
    """Two variables are the same when they stand for the same element; ids need not be written out for that."""
    if not (isinstance(left, Path) and isinstance(right, Path)) or left.fields or right.fields:
        return None
    one, other = group.column(left.variable), group.column(right.variable)
    if Kind.PREDICATE in (one.kind, other.kind):
        return None
    return f"({one.sql} is not distinct from {other.sql})"


def _equal(group: Group, left: _Side, right: _Side) -> str:
    if not isinstance(left, Value):
        left, right = right, left
    if not isinstance(left, Value):
        return _true(_same_constants(left, right))
    if isinstance(right, _Null):
        return f"({left.sql} is null)"
    if isinstance(right, Value):
        if left.is_text and right.is_text:
            return f"({left.sql} is not distinct from {right.sql})"
        return (
            f"({left.json} is not distinct from {right.json}"
            f" and coalesce(jsonb_typeof({left.json}) not in ('object', 'array'), true))"
        )
    if isinstance(right, list | dict):
        return "false"
    if left.is_text:
        return f"({left.sql} = {group.compiling.value(right)})" if isinstance(right, str) else "false"
    return f"({left.sql} = {group.compiling.json(right)})"


def _same_constants(left: _Side, right: _Side) -> bool:
    if isinstance(left, _Null) or isinstance(right, _Null):
        return isinstance(left, _Null) and isinstance(right, _Null)
    if not (isinstance(left, _SCALARS) and isinstance(right, _SCALARS)):
        return False
    return _type(left) is _type(right) and left == right


def _type(constant: _Side) -> type:
    return float if isinstance(constant, int) and not isinstance(constant, bool) else type(constant)


_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def _ordered(group: Group, operator: str, left: _Side, right: _Side) -> str:
    """Numbers by value, strings by code point; anything else is not ordered."""
    if not isinstance(left, Value):
        if not isinstance(right, Value):
            return _true(_ordered_constants(operator, left, right))
        return _ordered(group, _MIRRORED[operator], right, left)
    if isinstance(right, Value):
        return _ordered_values(operator, left, right)
    if isinstance(right, str):
        text = f'{left.text} collate "C" {operator} {group.compiling.value(right)}'
        return f"({text})" if left.is_text else f"(jsonb_typeof({left.sql}) = 'string' and {text})"
    if isinstance(right, int | float) and not isinstance(right, bool) and not left.is_text:
        return f"(jsonb_typeof({left.sql}) = 'number' and {left.sql} {operator} {group.compiling.json(right)})"
    return "false"


def _ordered_constants(operator: str, left: _Side, right: _Side) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return bool(_COMPARE[operator](left, right))  # type: ignore[arg-type]
    if _type(left) is float and _type(right) is float:
        return _COMPARE[operator](left, right)  # type: ignore[arg-type]
    return False


def _ordered_values(operator: str, left: Value, right: Value) -> str:
    texts = f'{left.text} collate "C" {operator} {right.text}'
    if left.is_text and right.is_text:
        return f"({texts})"
    return (
        f"(case when jsonb_typeof({left.json}) is distinct from jsonb_typeof({right.json}) then false"
        f" else case jsonb_typeof({left.json}) when 'number' then {left.json} {operator} {right.json}"
        f" when 'string' then {texts} else false end end)"
    )


def _membership(group: Group, test: Membership) -> str:
    operand = _operand(group, test.operand)
    scalars = [value for value in test.values if isinstance(value, _SCALARS)]
    has_null = any(value is None for value in test.values)
    if not isinstance(operand, Value):
        return _true(
            has_null if isinstance(operand, _Null) else any(_same_constants(operand, value) for value in scalars)
        )
    found = []
    if operand.is_text:
        texts = [value for value in scalars if isinstance(value, str)]
        if texts:
            for text in texts:
                group.compiling.value(text)
            found.append(f"{operand.sql} = any({group.compiling.value(texts)}::text[])")
    elif scalars:
        found.append(f"{operand.sql} in ({', '.join(group.compiling.json(value) for value in scalars)})")
    if has_null:
        found.append(f"{operand.sql} is null")
    return f"({' or '.join(found)})" if found else "false"


def _text_test(group: Group, test: TextTest) -> str:
    left, right = _operand(group, test.left), _operand(group, test.right)
    if test.function == "REGEX" and isinstance(right, str):
        right = as_postgresql(right, test.at)
    conditions = []
    for side in (left, right):
        if isinstance(side, Value):
            if not side.is_text:
                conditions.append(f"jsonb_typeof({side.json}) = 'string'")
        elif not isinstance(side, str):
            return "false"
    conditions.append(_test_sql(test.function, _text(group, left), _text(group, right)))
    # The order of evaluation is ours: what is no string is never taken for a pattern.
    if len(conditions) == 1:
        return f"({conditions[0]})"
    return f"(case when {' and '.join(conditions[:-1])} then {conditions[-1]} else false end)"


def _test_sql(function: Function, left: str, right: str) -> str:
    match function:
        case "CONTAINS":
            return f"strpos({left}, {right}) > 0"
        case "STARTS_WITH":
            return f"starts_with({left}, {right})"
        case "ENDS_WITH":
            return f"right({left}, length({right})) = {right}"
        case "REGEX":
            return f"{left} ~ {right}"


def _text(group: Group, side: _Side) -> str:
    return side.text if isinstance(side, Value) else f"{group.compiling.value(side)}::text"


def _true(given: bool) -> str:
    return "true" if given else "false"
