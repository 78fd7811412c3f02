"""Word lists of our own, one text file each: entries between commas or line breaks, `#` begins a comment."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def entries(name: str) -> frozenset[str]:
    """Return the entries of the list `name`, as they are spelt there."""
    return frozenset(entry for row in _rows(name) for entry in _parts(row))


@cache
def lower_entries(name: str) -> frozenset[str]:
    """Return the entries of the list `name` in small letters."""
    return frozenset(entry.lower() for entry in entries(name))


@cache
def headings_by_entry(name: str) -> dict[str, str]:
    """Return each entry of a list in groups ("Heading: entry, …", rows indented below go on) with its heading."""
    found: dict[str, str] = {}
    heading = ""
    for row in _rows(name):
        if not row.startswith(" "):
            heading, _, row = row.partition(":")
        found |= dict.fromkeys(_parts(row), heading)
    return found


def _rows(name: str) -> list[str]:
    rows = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [row.partition(" #")[0] for row in rows if not row.startswith("#")]


def _parts(row: str) -> list[str]:
    return [part.strip() for part in row.split(",") if part.strip()]
