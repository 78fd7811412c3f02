"""Whether a concept is what its type's `instance_schema` says: required, type, enum. A null counts as absent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory.kip.rules.values import same


@dataclass(frozen=True)
class Violation:
    """What is wrong with one attribute, and the code a strict graph refuses it with."""

    attribute: str
    code: str
    message: str


def violations(schema: Any, attributes: Mapping[str, Any]) -> list[Violation]:
    """What is wrong with the attributes of a concept, in the schema's order; a schema of no known form says nothing."""
    if not isinstance(schema, Mapping):
        return []
    found = (_violation(name, rule, attributes.get(name)) for name, rule in schema.items() if isinstance(rule, Mapping))
    return [violation for violation in found if violation is not None]


def _violation(name: str, rule: Mapping[str, Any], value: Any) -> Violation | None:
    if value is None:
        required = rule.get("is_required") is True or rule.get("required") is True
        return Violation(name, "KIP_2002", f"{name} is required") if required else None
    told = rule.get("type")
    if not _is_of(told, value):
        return Violation(name, "KIP_2003", f"{name} must be of type {_named(told)}")
    allowed = rule.get("enum")
    if isinstance(allowed, list):
        values = value if isinstance(value, list) else [value]
        if not all(any(same(item, one) for one in allowed) for item in values):
            return Violation(name, "KIP_2002", f"{name} must be one of {', '.join(map(str, allowed))}")
    item_type = rule.get("item_type")
    if isinstance(value, list) and not all(_is_of(item_type, item) for item in value):
        return Violation(name, "KIP_2003", f"the items of {name} must be of type {_named(item_type)}")
    return None


def _is_of(told: Any, value: Any) -> bool:
    """Whether a value is of a type; a type that is not known takes anything."""
    if isinstance(told, list):
        return any(_is_of(one, value) for one in told)
    check = _TYPES.get(told.casefold()) if isinstance(told, str) else None
    return check is None or check(value)


def _named(told: Any) -> str:
    return " or ".join(map(str, told)) if isinstance(told, list) else str(told)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "float": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
}
