"""Arrays as PostgreSQL reads them, written at once: psycopg takes several times as long to adapt a long list."""

from collections.abc import Iterable


def bigints(values: Iterable[int]) -> str:
    """The text of an array of whole numbers."""
    return "{" + ",".join(map(str, values)) + "}"


def floats(values: Iterable[float]) -> str:
    """The text of an array of numbers."""
    return "{" + ",".join(map(repr, values)) + "}"


def texts(values: Iterable[str]) -> str:
    """The text of an array of texts."""
    quoted = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return "{" + ",".join(f'"{value}"' for value in quoted) + "}"
