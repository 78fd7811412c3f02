"""Strict JSON: what comes in can be stored in PostgreSQL and written out again unchanged, or is refused by name."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from common.errors import FieldError, Invalid, TooLarge

MAX_DEPTH = 64
MAX_INTEGER_DIGITS = 4300

# A text without one of these escapes holds neither a NUL nor half a surrogate pair, and needs no closer look.
_DOUBTFUL_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")

_NOT_FINITE = "must be a finite number"
_NUL = "must not contain a NUL character"
_SURROGATE = "must not contain half a surrogate pair"
_TOO_DEEP = f"must not be nested more than {MAX_DEPTH} levels deep"
_TOO_LONG = f"must not have more than {MAX_INTEGER_DIGITS:,} digits"
_TWICE = "is given twice"
_NOT_JSON = "must be a JSON value"

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INTEGER_LIMIT = 10**MAX_INTEGER_DIGITS
_SHOWN_PATH = 8


class _Flaw:
    """Stands in a parsed document for a value that can't be taken, until the walk has found its path."""

    def __init__(self, detail: str) -> None:
        self.detail = detail


class _Flawed(Exception):
    """The quick parse met something that the careful one will name."""


def loads(text: bytes | str) -> Any:
    """Parse one JSON document.

    Raises Invalid, naming the field where there is one, for what JSON or PostgreSQL can't hold: NaN and infinities
    (written or by overflow), a key twice in an object, more than 64 levels, integers of more than 4,300 digits,
    lone surrogates, NUL, bytes that are not UTF-8, anything after the document.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode()
        else:
            text.encode()
    except UnicodeError:
        raise Invalid("The text is not valid UTF-8.") from None
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_float=_finite, parse_int=_integer, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        raise Invalid(f"Not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise Invalid(f"The document {_TOO_DEEP}.") from None
    except _Flawed:
        _refuse_first_flaw(_parsed_with_flaws(text))
        raise
    if _needs_a_walk(text):
        _refuse_first_flaw(value)
    return value


def dumps(value: Any) -> str:
    """Write a JSON value compactly, without escaping what need not be; NaN and infinities are a ValueError."""
    return _ENCODER.encode(value)


def require_storable(value: Any, *, limit: int | None = None) -> int:
    """Refuse a value in memory under the rules of `loads`, for input that arrived already parsed.

    Returns the length of the value in bytes when written. Raises Invalid naming the path, TooLarge above `limit`.
    """
    try:
        text = dumps(value)
        size = len(text.encode())
    except (ValueError, TypeError, RecursionError):
        _refuse_first_flaw(value)
        raise Invalid(f"The document {_NOT_JSON}.") from None
    if _needs_a_walk(text):
        _refuse_first_flaw(value)
    if limit is not None and size > limit:
        raise TooLarge(f"The document has {size:,} bytes, and {limit:,} are allowed.")
    return size


def _needs_a_walk(text: str) -> bool:
    return _DOUBTFUL_ESCAPE.search(text) is not None or text.count("[") + text.count("{") > MAX_DEPTH


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Flawed
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Flawed
    return number


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS and len(digits.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise _Flawed
    return int(digits)


def _constant(_name: str) -> float:
    raise _Flawed


def _parsed_with_flaws(text: str) -> Any:
    """Parse again, slowly, with each refused value replaced by its reason, so that its path can be told."""

    def integer(digits: str) -> int | _Flaw:
        try:
            return _integer(digits)
        except _Flawed:
            return _Flaw(_TOO_LONG)

    def finite(digits: str) -> float | _Flaw:
        try:
            return _finite(digits)
        except _Flawed:
            return _Flaw(_NOT_FINITE)

    def whole(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            found[key] = _Flaw(_TWICE) if key in found else value
        return found

    return json.loads(
        text,
        object_pairs_hook=whole,
        parse_float=finite,
        parse_int=integer,
        parse_constant=lambda _name: _Flaw(_NOT_FINITE),
    )


def _refuse_first_flaw(value: Any) -> None:
    """Walk a value without recursion and raise Invalid for the first part that may not be kept."""
    pending: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while pending:
        path, part = pending.pop()
        detail = _flaw_of(part, len(path))
        if detail is not None:
            field = ".".join(path[:_SHOWN_PATH]).encode(errors="replace").decode().replace("\0", "?")
            raise Invalid(errors=[FieldError(field, detail)]) if field else Invalid(f"The document {detail}.")
        pending.extend(reversed([((*path, key), child) for key, child in _children(part)]))


def _flaw_of(part: Any, depth: int) -> str | None:
    if isinstance(part, _Flaw):
        return part.detail
    if isinstance(part, str):
        return _flaw_of_text(part)
    if isinstance(part, bool) or part is None:
        return None
    if isinstance(part, int):
        return _TOO_LONG if abs(part) >= _INTEGER_LIMIT else None
    if isinstance(part, float):
        return None if math.isfinite(part) else _NOT_FINITE
    if isinstance(part, list | tuple):
        return _TOO_DEEP if depth >= MAX_DEPTH else None
    if isinstance(part, dict):
        if depth >= MAX_DEPTH:
            return _TOO_DEEP
        return next((flaw for key in part if (flaw := _flaw_of_key(key))), None)
    return _NOT_JSON


def _flaw_of_key(key: Any) -> str | None:
    return _flaw_of_text(key) if isinstance(key, str) else _NOT_JSON


def _flaw_of_text(text: str) -> str | None:
    if "\0" in text:
        return _NUL
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE
    return None


def _children(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, dict):
        yield from part.items()
    elif isinstance(part, list | tuple):
        yield from ((str(index), child) for index, child in enumerate(part))
