"""Characters that are no part of a readable line."""

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_turning(letter: str) -> bool:
    """Whether a character turns the direction of the text around it, so that it reads otherwise than it is stored."""
    return letter in _TURNING
