"""What every embedder is, and how its vectors are brought to unit length."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from common.errors import Unavailable

MOST_DIMENSIONS = 1024


class Embedder(Protocol):
    """A plug-in that turns texts into vectors. It may be used by several threads at once, and loads when first used."""

    @property
    def name(self) -> str:
        """What is stored beside the vectors, such as `openai:text-embedding-3-small`."""

    @property
    def dimensions(self) -> int:
        """The length of each vector, at most 1,024. Raises EmbedderUnavailable when only the model can tell."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, of unit length; a text without a word gives zeros. Raises EmbedderUnavailable."""


class EmbedderUnavailable(Unavailable):
    """The embedder cannot work now; the message says why, in words for a person, without any of the texts."""

    type = "embedder_unavailable"
    title = "The embedder is not available at the moment"


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows divided by their lengths; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit
