"""What a literal or a parameter gives where the grammar asks for a string, a number or an object."""

from collections.abc import Iterable
from typing import Any

from memory.kip.language.faults import syntax
from memory.kip.language.piece import Piece
from memory.kip.language.tree import Json, Variable


def variable_of(piece: Piece) -> Variable:
    """Return the variable that a piece names."""
    return Variable(piece.value, piece.at)


def string_given(piece: Piece) -> str:
    """Return the string given. Raises KIP_1001 for a parameter of another kind."""
    if not isinstance(piece.value, str):
        raise _of_wrong_kind(piece, "a string")
    return piece.value


def number_given(piece: Piece) -> int | float:
    """Return the number given. Raises KIP_1001 for a parameter of another kind."""
    if isinstance(piece.value, bool) or not isinstance(piece.value, int | float):
        raise _of_wrong_kind(piece, "a number")
    return piece.value


def integer_given(piece: Piece, least: int, what: str) -> int:
    """Return the integer given. Raises KIP_1001 for anything else, or for less than `least`."""
    value = number_given(piece)
    if isinstance(value, float) or value < least:
        shown = f"`{piece.written}`" if piece.terminal == "NUMBER" else f"{piece.written} = {value}"
        raise syntax(f"{what} takes a whole number from {least} on, not {shown}.", None, piece.at)
    return value


def object_given(given: "dict[str, Any] | Piece") -> dict[str, Any]:
    """Return the object given. Raises KIP_1001 for a parameter of another kind."""
    if isinstance(given, dict):
        return given
    if not isinstance(given.value, dict):
        raise _of_wrong_kind(given, "an object")
    return given.value


def scalar_given(piece: Piece) -> Json:
    """Return the string, number, boolean or null given. Raises KIP_1001 for a parameter that holds more than one."""
    if isinstance(piece.value, dict | list | tuple):
        raise _of_wrong_kind(piece, "a string, a number, true, false or null")
    return piece.value


def scalars_given(piece: Piece) -> tuple[Json, ...]:
    """Return the values of a parameter in place of a list. Raises KIP_1001 for anything but an array of scalars."""
    if not isinstance(piece.value, list | tuple):
        raise _of_wrong_kind(piece, "an array")
    if any(isinstance(one, dict | list | tuple) for one in piece.value):
        raise _of_wrong_kind(piece, "an array of strings, numbers, true, false or null")
    return tuple(piece.value)


def unique(members: Iterable[tuple[Piece, Any]]) -> dict[str, Any]:
    """Return the members of an object. Raises KIP_1001 for a key said twice."""
    found: dict[str, Any] = {}
    for key, value in members:
        if key.value in found:
            raise syntax(f"The key `{key.value}` is there twice.", "Say each key once.", key.at)
        found[key.value] = value
    return found


def _of_wrong_kind(piece: Piece, wanted: str) -> Exception:
    kinds = {dict: "an object", list: "an array", tuple: "an array", str: "a string", bool: "a boolean"}
    kind = "null" if piece.value is None else kinds.get(type(piece.value), "a number")
    return syntax(
        f"{wanted[0].upper()}{wanted[1:]} is expected here, and {piece.written} is {kind}.",
        "Parameters are checked as if their values stood in the text.",
        piece.at,
    )
