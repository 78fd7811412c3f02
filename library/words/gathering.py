"""Text as it comes together, up to its limit."""

from library.words.limits import MOST_CHARACTERS


class Full(Exception):
    """As much was gathered as is kept."""


class Gathered:
    """Pieces of text; the last one is cut where the limit is."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._pieces: list[str] = []
        self._left = most

    def add(self, piece: str) -> None:
        """Add a piece. Raises Full when no more goes in."""
        self._pieces.append(piece[: self._left])
        self._left -= len(self._pieces[-1])
        if not self._left:
            raise Full

    def text(self) -> str:
        """What was gathered, without the characters that no text has: NUL, and halves of surrogate pairs."""
        joined = "".join(self._pieces)
        return joined.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
