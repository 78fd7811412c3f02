"""JSON values on their way into an element: alike or not, merged, and what may not be written."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

Json = Any
_CLASSIFICATION = "classification"


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values are alike: numbers by value, true is not 1, objects without an order."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or _as_float(one) == _as_float(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def merged(*levels: Mapping[str, Json] | None) -> dict[str, Json]:
    """Objects laid over each other key by key, the later over the earlier; a null counts."""
    found: dict[str, Json] = {}
    for level in levels:
        found |= level or {}
    return found


def reserved_key(value: Json) -> str | None:
    """The first key at any depth that only the engine may write: one that begins with `_`."""
    for key, _ in _entries(value):
        if key.startswith("_"):
            return key
    return None


def says_phi(value: Json) -> bool:
    """Whether anything in it is classified as PHI, in any case."""
    return any(
        key.strip().casefold() == _CLASSIFICATION and any(_is_phi(item) for item in _flat(told))
        for key, told in _entries(value)
    )


def unstorable(value: Json) -> str | None:
    """Why a value cannot be kept, as the end of a sentence; None when it can."""
    if isinstance(value, Mapping):
        return next(filter(None, map(unstorable, (*value.keys(), *value.values()))), None)
    if isinstance(value, list | tuple):
        return next(filter(None, map(unstorable, value)), None)
    if isinstance(value, str):
        if "\0" in value:
            return "holds the character U+0000"
        if any("\ud800" <= character <= "\udfff" for character in value):
            return "holds half of a surrogate pair"
    if isinstance(value, float) and not math.isfinite(value):
        return "holds a number that is too large"
    return None


def _entries(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, Mapping):
        for key, told in value.items():
            yield key, told
            yield from _entries(told)
    elif isinstance(value, list):
        for item in value:
            yield from _entries(item)


def _flat(value: Json) -> Iterator[Json]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _is_phi(value: Json) -> bool:
    return isinstance(value, str) and value.strip().casefold() == "phi"


def _as_float(value: int | float) -> float:
    """A number as PostgreSQL's digits and Python's binary fraction agree on it."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
