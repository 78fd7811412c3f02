"""Literals and parameters as JSON values."""

import json
import re
from collections.abc import Iterable
from typing import Any

from memory.kip.language.errors import KipError

DEEPEST = 64
LEAST_INTEGER, GREATEST_INTEGER = -(2**63), 2**64 - 1

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_INTEGER = 20  # characters of an integer of 64 bits, its sign included


def string_of(written: str, at: int) -> str:
    """Return what a string literal says. Raises KIP_1001 for half of a surrogate pair: no text holds it."""
    value: str = json.loads(written) if "\\" in written else written[1:-1]
    return _checked_text(value, "The string", at)


def number_of(written: str, at: int) -> int | float:
    """Return the number a literal stands for. Raises KIP_1001 beyond 64 bits, or beyond what a float holds."""
    if written.lstrip("-").isdigit():
        return _checked_integer(int(written) if len(written) <= _LONGEST_INTEGER else None, at)
    return _checked_float(float(written), at)


def from_parameter(name: str, value: Any, at: int) -> Any:
    """Return a parameter's value after the checks that literals of a text meet. Raises KIP_1001 or KIP_4002."""
    what = f"The parameter :{name}"
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > DEEPEST:
            raise KipError("KIP_4002", f"{what} is nested more than {DEEPEST} deep.", at=at)
        waiting += [(part, depth + 1) for part in _parts(one, what, at)]
    return value


def _parts(value: Any, what: str, at: int) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, str):
        _checked_text(value, what, at)
    elif isinstance(value, int) and not isinstance(value, bool):
        _checked_integer(value, at)
    elif isinstance(value, float):
        _checked_float(value, at)
    return ()


def _checked_text(value: str, what: str, at: int) -> str:
    if not value.isascii() and _SURROGATE.search(value):
        raise KipError("KIP_1001", f"{what} holds half of a surrogate pair.", hint="Write the character itself.", at=at)
    return value


def _checked_integer(value: int | None, at: int) -> int:
    if value is None or not LEAST_INTEGER <= value <= GREATEST_INTEGER:
        raise KipError(
            "KIP_1001",
            "The integer does not fit 64 bits.",
            hint="Write it as a string, or as a number with an exponent.",
            at=at,
        )
    return value


def _checked_float(value: float, at: int) -> float:
    if value - value != 0:
        raise KipError("KIP_1001", "The number is too large.", hint="Numbers go up to about 1.7e308.", at=at)
    return value
