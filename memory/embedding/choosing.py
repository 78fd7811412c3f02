"""Which embedder a name stands for, one of each in a process."""

import threading
from dataclasses import replace

from django.conf import settings

from memory.embedding.embedder import Embedder, EmbedderUnavailable
from memory.embedding.endpoint import EndpointFault, endpoint_of
from memory.embedding.fastembed import FastEmbedder
from memory.embedding.openai import OpenAIEmbedder
from memory.embedding.wordllama import WordllamaEmbedder

_made: dict[str, Embedder] = {}
_making = threading.Lock()
# Somebody waits for the vector of a query.
_READ_SECONDS = 30


def embedder_named(spec: str) -> Embedder:
    """The embedder that KNDL_EMBEDDER would choose with this value, the same one at each call.

    Nothing is loaded yet. Raises EmbedderUnavailable for a name that stands for none.
    """
    with _making:
        if spec not in _made:
            _made[spec] = _new(spec)
        return _made[spec]


def default_embedder() -> Embedder:
    """The embedder that the configuration names."""
    return embedder_named(settings.KNDL.embedder)


def _new(spec: str) -> Embedder:
    kind, _, model = spec.partition(":")
    if spec == "wordllama":
        return WordllamaEmbedder()
    if kind == "fastembed" and model:
        return FastEmbedder(model, cache=settings.KNDL.data_dir / "models")
    if kind == "openai" and model:
        return _of_endpoint(model)
    raise EmbedderUnavailable(f"KNDL_EMBEDDER: there is no embedder called {spec}")


def _of_endpoint(model: str) -> OpenAIEmbedder:
    try:
        endpoint = endpoint_of(settings.KNDL)
    except EndpointFault as fault:
        raise EmbedderUnavailable(fault.reason) from None
    return OpenAIEmbedder(model, replace(endpoint, read_seconds=_READ_SECONDS))
