"""Embeddings of any OpenAI-compatible endpoint."""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np
import openai
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.embedding.embedder import MOST_DIMENSIONS, EmbedderUnavailable, unit_rows
from memory.embedding.endpoint import Endpoint, EndpointFault, answer_of

# Texts and characters of one request, and the beginning of a text that counts: models take 8,192 tokens or less.
_BATCH_TEXTS = 128
_BATCH_CHARACTERS = 100_000
_LONGEST_TEXT = 8_000
# Seconds to wait before the second and the third try.
_WAITS = (0.25, 1.0)


class _Row(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    index: int
    embedding: list[float] = Field(min_length=1)


class _Rows(BaseModel):
    model_config = ConfigDict(strict=True)

    data: list[_Row]


class OpenAIEmbedder:
    """Its vectors' length comes from the endpoint; a model of more than 1,024 dimensions is asked for 1,024."""

    def __init__(self, model: str, endpoint: Endpoint, waits: Sequence[float] = _WAITS) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._client = endpoint.client()
        self._waits = waits
        self._finding = threading.Lock()
        self._length: int | None = None
        self._shortened = False

    @property
    def dimensions(self) -> int:
        """The length of each vector. The first reading asks the endpoint. Raises EmbedderUnavailable."""
        with self._finding:
            if self._length is None:
                self._length = self._find_length()
            return self._length

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, of unit length; a blank text gives zeros. The first 8,000 characters of a text count.

        Each request is tried three times at most. Raises EmbedderUnavailable.
        """
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for numbers in _batches(texts):
            found = self._asked([texts[number] for number in numbers], shortened=self._shortened)
            if found.shape[1] != rows.shape[1]:
                self._refuse(f"vectors had {rows.shape[1]:,} numbers before and have {found.shape[1]:,} now.")
            rows[numbers] = found
        return unit_rows(rows)

    def close(self) -> None:
        """Close its connections; it cannot be used afterwards."""
        self._client.close()

    def _find_length(self) -> int:
        length: int = self._asked(["length"], shortened=False).shape[1]
        if length > MOST_DIMENSIONS:
            shorter: int = self._asked(["length"], shortened=True).shape[1]
            if shorter != MOST_DIMENSIONS:
                self._refuse(
                    f"the model gives {length:,} numbers a text, at most {MOST_DIMENSIONS:,} can be kept, and asked "
                    f"for that many it gave {shorter:,}. Choose another model in KNDL_EMBEDDER."
                )
            self._shortened = True
            return shorter
        return length

    def _asked(self, texts: list[str], *, shortened: bool) -> NDArray[np.float32]:
        for wait in (*self._waits, None):
            try:
                return self._asked_once(texts, MOST_DIMENSIONS if shortened else openai.omit)
            except EndpointFault as fault:
                if not fault.retry or wait is None:
                    self._refuse(fault.reason)
                time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _asked_once(self, texts: list[str], dimensions: int | openai.Omit) -> NDArray[np.float32]:
        sent = [text[:_LONGEST_TEXT].encode("utf-8", "replace").decode() for text in texts]
        create = self._client.embeddings.with_raw_response.create
        document = answer_of(
            lambda: create(input=sent, model=self._model, encoding_format="float", dimensions=dimensions)
        )
        try:
            rows = _Rows.model_validate(document).data
        except ValidationError:
            raise EndpointFault("The model's endpoint answered with something else than embeddings.") from None
        rows.sort(key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise EndpointFault("The model's endpoint did not give one vector for each text.")
        if len({len(row.embedding) for row in rows}) > 1:
            raise EndpointFault("The model's endpoint gave vectors of different lengths.")
        found = np.array([row.embedding for row in rows], dtype=np.float64)
        if np.abs(found).max() > np.finfo(np.float32).max / found.shape[1]:
            raise EndpointFault("The model's endpoint gave numbers that are too large.")
        return found.astype(np.float32)

    def _refuse(self, reason: str) -> NoReturn:
        raise EmbedderUnavailable(f"{self.name}: {reason}") from None


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """The places of the texts that are not blank, as many at once as one request takes."""
    batch: list[int] = []
    characters = 0
    for number, text in enumerate(texts):
        if not text.strip():
            continue
        size = min(len(text), _LONGEST_TEXT)
        if batch and (len(batch) == _BATCH_TEXTS or characters + size > _BATCH_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(number)
        characters += size
    if batch:
        yield batch
