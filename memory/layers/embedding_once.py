"""An embedder for one batch, whose texts come several times: to the distiller, as a memory, beside another."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.embedding import Embedder


class Once:
    """Asks another embedder for each text once, and keeps what it gave. Not to be shared between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, as the other embedder gives it. Raises EmbedderUnavailable."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            self._known |= zip(new, self._embedder.embed(new), strict=True)
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._known[text] for text in texts])
