"""JSON values as the language writes them: keys without quotes where they are identifiers, short things on one line."""

import json
import re
from collections.abc import Iterable

from memory.kip.language.tree import Json
from memory.kip.language.words import CONSTANTS

_IDENTIFIER = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_LINE = 80  # characters of an object or array that stands on one line


def string(value: str) -> str:
    """Return a string literal."""
    return json.dumps(value, ensure_ascii=False)


def key(value: str) -> str:
    """Return a key of an object, in quotes unless it is an identifier that nobody takes for a value."""
    return value if _IDENTIFIER.fullmatch(value) and value not in CONSTANTS else string(value)


def keyed(name: str, written: str) -> str:
    """Return a member of an object, its value written already."""
    return f"{key(name)}: {written}"


def json_text(value: Json) -> str:
    """Return any JSON value."""
    if isinstance(value, dict):
        return object_text(value)
    if isinstance(value, list | tuple):
        return _wrapped("[", [json_text(one) for one in value], "]")
    return string(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def object_text(value: dict[str, Json]) -> str:
    """Return an object."""
    members = [keyed(name, json_text(one)) for name, one in value.items()]
    return _wrapped("{ ", members, " }") if members else "{}"


def _wrapped(opening: str, members: list[str], closing: str) -> str:
    inline = f"{opening}{', '.join(members)}{closing}"
    if len(inline) <= _LINE and "\n" not in inline:
        return inline
    return f"{opening.strip()}\n{indented(_rows(members))}\n{closing.strip()}"


def _rows(members: Iterable[str]) -> str:
    return ",\n".join(members)


def indented(written: str) -> str:
    """Return lines two spaces further in; no string literal holds a line break."""
    return "\n".join(f"  {line}" for line in written.split("\n"))
