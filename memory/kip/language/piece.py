"""A token of a text."""

from typing import Any


class Piece:
    """A token for the parser: the grammar's name for it, what it means, how it is written, and its offset."""

    __slots__ = ("at", "terminal", "value", "written")

    def __init__(self, terminal: str, value: Any, written: str, at: int) -> None:
        self.terminal = terminal
        self.value = value
        self.written = written
        self.at = at
