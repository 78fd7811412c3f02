"""How far the reading of a file has come, told in bytes of that file whatever is unpacked or read twice inside."""

from collections.abc import Callable


class Progress:
    """Tells `tell` the number of bytes done of a file: never less than before, in steps of a hundredth or more."""

    def __init__(self, tell: Callable[[int], None] | None, size: int) -> None:
        self._tell = tell
        self._size = size
        self._told = 0

    def whole(self) -> "Part":
        return Part(self, 0.0, 1.0)

    def reach(self, share: float) -> None:
        done = min(int(share * self._size), self._size)
        step = max(self._size // 100, 1)
        if self._tell is not None and (done >= self._told + step or self._told < done == self._size):
            self._told = done
            self._tell(done)


class Part:
    """A stretch of the way, as shares from 0 to 1 of the whole."""

    def __init__(self, progress: Progress, start: float, end: float) -> None:
        self._progress = progress
        self._start = start
        self._end = end

    def at(self, done: int, size: int) -> None:
        """Tell that `done` of the `size` of this part are behind."""
        share = min(done / size, 1.0) if size else 1.0
        self._progress.reach(self._start + (self._end - self._start) * share)

    def between(self, start: float, end: float) -> "Part":
        """Return the part from one share of this part to another."""
        length = self._end - self._start
        return Part(self._progress, self._start + length * start, self._start + length * end)
