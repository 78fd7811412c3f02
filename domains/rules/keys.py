"""KEYS.md: `NAME=value`, one a line; whatever else stands there is kept as it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

LARGEST = 64 * 1024  # bytes of the file
LONGEST_NAME = 100
LONGEST_VALUE = 8_192
MASK = "•" * 8
"""What is shown in place of every value, whatever its length."""

_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_.\-]{{0,{LONGEST_NAME - 1}}}")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class BadKey(ValueError):
    """A name or value that is not taken; `part` is `name` or `value`. The message holds neither."""

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part = part


@dataclass(frozen=True, repr=False)
class Row:
    """One line of the file: a key, or with an empty name a text that is none."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}={self.text}" if self.name else self.text


@dataclass(frozen=True)
class Odd:
    """A line that is neither a key nor a comment, by its number from 1."""

    line: int
    why: str


def is_name(name: str) -> bool:
    """Whether a key may be called so."""
    return _NAME.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """`name` if a key may be called so. Raises BadKey."""
    if not is_name(name):
        raise BadKey(
            "name", f"must be letters, digits, “_”, “.” or “-”, {LONGEST_NAME} at most, and begin with a letter"
        )
    return name


def checked_value(value: str) -> str:
    """`value` if it fits a line. Raises BadKey."""
    if not 1 <= len(value) <= LONGEST_VALUE:
        raise BadKey("value", f"must have 1 to {LONGEST_VALUE:,} characters")
    if _CONTROL.search(value) or value != value.strip():
        raise BadKey("value", "must be one line without control characters, and no space at its ends")
    return value


def parsed(content: str) -> tuple[list[Row], list[Odd]]:
    """The lines of a file, and those among them that are odd. Of keys with one name the last counts."""
    rows: list[Row] = []
    odd: list[Odd] = []
    last: dict[str, int] = {}
    for number, line in enumerate(_lines(content), 1):
        row, why = _row(line)
        if row.name in last and row.name:
            before = last[row.name]
            rows[before - 1] = Row("", str(rows[before - 1]))
            odd.append(Odd(before, "a later line has the same name"))
        if row.name:
            last[row.name] = number
        if why:
            odd.append(Odd(number, why))
        rows.append(row)
    return rows, sorted(odd, key=lambda found: found.line)


def written(rows: Sequence[Row]) -> str:
    """The file of these lines."""
    return "".join(f"{row}\n" for row in rows)


def _lines(content: str) -> list[str]:
    text = content.replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _row(line: str) -> tuple[Row, str]:
    bare = line.strip()
    if not bare or bare.startswith("#"):
        return Row("", line), ""
    name, sign, value = bare.partition("=")
    name, value = name.strip(), value.strip()
    if not sign:
        return Row("", line), "is not written NAME=value"
    try:
        return Row(checked_name(name), checked_value(value)), ""
    except BadKey as error:
        return Row("", line), f"has a {error.part} that {error}"
