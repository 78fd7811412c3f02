"""wordllama: 256 dimensions from a table of word pieces that its package brings along. No network, no graphics card."""

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embedding.embedder import unit_rows

# Characters tokenised at once, and word pieces whose vectors (1 kB each) are in memory at once.
_BATCH_CHARACTERS = 32_768
_BATCH_PIECES = 8_192


class WordllamaEmbedder:
    """A text's vector is the mean of the vectors of its word pieces."""

    name = "wordllama"
    dimensions = 256

    def __init__(self) -> None:
        self._loaded: tuple[Any, NDArray[np.float32]] | None = None
        self._loading = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, of unit length; a text without a word gives zeros."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for batch in _batches(texts):
            self._add(rows, batch)
        return unit_rows(rows)

    def _add(self, rows: NDArray[np.float32], batch: list[tuple[int, str]]) -> None:
        """Add to each row what its part of the batch holds; the sum of the pieces points where their mean does."""
        tokenizer, table = self._model()
        encoded = tokenizer.encode_batch_fast([part for _, part in batch], add_special_tokens=False)
        pieces = [encoding.ids for encoding in encoded]
        owners = np.repeat(np.array([row for row, _ in batch], dtype=np.intp), [len(ids) for ids in pieces])
        flat = np.fromiter(chain.from_iterable(pieces), dtype=np.intp, count=len(owners))
        for start in range(0, len(flat), _BATCH_PIECES):
            part = owners[start : start + _BATCH_PIECES]
            firsts = np.flatnonzero(np.diff(part, prepend=-1))
            rows[part[firsts]] += np.add.reduceat(table[flat[start : start + _BATCH_PIECES]], firsts, axis=0)

    def _model(self) -> tuple[Any, NDArray[np.float32]]:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load()
            return self._loaded


def _batches(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Lists of (row, text) of at most so many characters; a longer text comes in parts, one with no word not at all."""
    batch: list[tuple[int, str]] = []
    characters = 0
    for row, text in enumerate(texts):
        if not text.strip():
            continue
        # The tokenizer refuses half a surrogate pair.
        sound = text.encode("utf-8", "replace").decode()
        for start in range(0, len(sound), _BATCH_CHARACTERS):
            part = sound[start : start + _BATCH_CHARACTERS]
            if characters + len(part) > _BATCH_CHARACTERS:
                yield batch
                batch, characters = [], 0
            batch.append((row, part))
            characters += len(part)
    if batch:
        yield batch


def _load() -> tuple[Any, NDArray[np.float32]]:
    # Workers fork, and threads of the tokenizer's own would not survive that.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    library = _library()
    model = library.WordLlama.load(cache_dir=Path(library.__file__).parent, disable_download=True)
    model.tokenizer.no_padding()
    return model.tokenizer, model.embedding


def _library() -> Any:
    """The library, imported without letting it set up logging for the whole process."""
    root, guard = logging.getLogger(), logging.NullHandler()
    root.addHandler(guard)
    try:
        import wordllama  # type: ignore[import-untyped]
    finally:
        root.removeHandler(guard)
    return wordllama
