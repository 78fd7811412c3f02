"""The expressions of UPDATE, worked out from the state an element had before the statement."""

import math
from collections.abc import Mapping
from typing import Any

from memory.kip.language.tree import Arithmetics, Path

Number = int | float
_GREATEST = 2**63


def evaluate(expression: Arithmetics, state: Mapping[str, Any]) -> Number | None:
    """The value of an expression; None when an operand is no number, or no number can hold it.

    `state` has `attributes` and `metadata`. Whole numbers stay whole; of COALESCE the first operand that is a number.
    """
    if expression.function == "COALESCE":
        found = [_operand(operand, state) for operand in expression.operands]
        return next((value for value in found if value is not None), None)
    values: list[Number] = []
    for operand in expression.operands:
        value = _operand(operand, state)
        if value is None:
            return None
        values.append(value)
    return _held(_APPLY[expression.function](values))


def _operand(operand: Number | Path | Arithmetics, state: Mapping[str, Any]) -> Number | None:
    if isinstance(operand, Arithmetics):
        return evaluate(operand, state)
    value = at_path(state, operand.fields) if isinstance(operand, Path) else operand
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def at_path(state: Any, fields: tuple[str, ...]) -> Any:
    """What stands at a path of keys; None where there is nothing."""
    for field in fields:
        if not isinstance(state, Mapping):
            return None
        state = state.get(field)
    return state


def _held(value: Number) -> Number | None:
    """A result as JSON can hold it: a whole number of 64 bits, or a finite fraction."""
    if isinstance(value, int) and -_GREATEST <= value < _GREATEST:
        return value
    try:
        fraction = float(value)
    except OverflowError:
        return None
    return fraction if math.isfinite(fraction) else None


def _clamp(values: list[Number]) -> Number:
    value, least, most = values
    return max(least, min(value, most))


_APPLY = {"ADD": lambda v: v[0] + v[1], "MUL": lambda v: v[0] * v[1], "CLAMP": _clamp}
