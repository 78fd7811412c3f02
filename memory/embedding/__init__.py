"""Vectors of texts, by an embedder that is a plug-in: one small file each."""

from memory.embedding.choosing import default_embedder, embedder_named
from memory.embedding.embedder import MOST_DIMENSIONS, Embedder, EmbedderUnavailable
from memory.embedding.words import word_vectors

__all__ = [
    "MOST_DIMENSIONS",
    "Embedder",
    "EmbedderUnavailable",
    "default_embedder",
    "embedder_named",
    "word_vectors",
]
