"""Weighted words as a tsvector that PostgreSQL reads back as numbers.

A lexeme is prefixed with its scope ("17:hike"), so that one GIN index serves every scope; its single position is ten
times its weighted frequency, so that a rank needs no count.
"""

from collections.abc import Mapping

_MOST = 16_383  # the greatest position that a tsvector holds


def tsvector_literal(scope: int, frequencies: Mapping[str, float]) -> str:
    """The text form of a tsvector of `frequencies` (lexeme → weighted frequency, 0 or more)."""
    return " ".join(
        f"{quoted(prefixed(scope, lexeme))}:{min(_MOST, max(1, round(10 * frequency)))}"
        for lexeme, frequency in frequencies.items()
    )


def prefixed(scope: int, lexeme: str) -> str:
    """The lexeme as it is indexed in a scope."""
    return f"{scope}:{lexeme}"


def quoted(lexeme: str) -> str:
    """A lexeme as tsvector and tsquery read it."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def tsvector_bytes(scope: int, frequencies: Mapping[str, float]) -> bytes:
    """The same as `tsvector_literal`, in the binary form that PostgreSQL receives."""
    parts = [len(frequencies).to_bytes(4, "big")]
    for lexeme, frequency in frequencies.items():
        position = min(_MOST, max(1, round(10 * frequency)))
        parts.append(prefixed(scope, lexeme).encode() + b"\0\0\1" + position.to_bytes(2, "big"))
    return b"".join(parts)
