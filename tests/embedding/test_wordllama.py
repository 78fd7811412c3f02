"""wordllama: what its vectors are, whatever the texts, the threads and the order of imports."""

import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import wordllama  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.embedding import embedder_named
from memory.embedding.words import WordVectors
from tests.instances import ROOT

EMBEDDER = embedder_named("wordllama")
TEXTS = [
    "The cat sleeps on the warm roof.",
    "A kitten naps up there.",
    "Interest rates rose again.",
    "猫は屋根で寝る。",
    "x",
]


def test_vectors_are_those_of_the_library_at_unit_length() -> None:
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    expected = model.embed(TEXTS, norm=True)
    found = EMBEDDER.embed(TEXTS)
    assert found.dtype == np.float32
    assert found.shape == (len(TEXTS), EMBEDDER.dimensions)
    assert np.allclose(found, expected, atol=1e-6)


def test_texts_of_like_meaning_are_nearer_than_others() -> None:
    cat, kitten, rates, *_ = EMBEDDER.embed(TEXTS)
    assert cat @ kitten > cat @ rates + 0.2


@given(st.lists(st.text(max_size=60), max_size=12))
@settings(max_examples=60, deadline=None)
def test_each_text_gives_the_same_whatever_stands_beside_it(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    assert together.shape == (len(texts), 256)
    for row, text in zip(together, texts, strict=True):
        assert np.allclose(row, EMBEDDER.embed([text])[0], atol=1e-5)
        assert np.linalg.norm(row) == pytest.approx(1 if text.strip() else 0, abs=1e-4)


@pytest.mark.parametrize("text", ["\ud800", "\0", "a\0b", "\u200b", "🙂" * 50, "\udcff word"])
def test_odd_characters_are_texts_too(text: str) -> None:
    assert np.isfinite(EMBEDDER.embed([text])).all()


def test_a_very_long_text_takes_no_more_memory_than_its_batches() -> None:
    long = "the harbour master counts the boats that leave before dawn " * 20_000
    short = "the harbour master counts the boats that leave before dawn "
    tracemalloc.start()
    try:
        found = EMBEDDER.embed([long, "short", *[short] * 2_000])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000
    assert found[0] @ found[2] > 0.99


def test_threads_share_one_embedder() -> None:
    expected = EMBEDDER.embed(TEXTS)
    with ThreadPoolExecutor(8) as threads:
        for found in threads.map(lambda _: EMBEDDER.embed(TEXTS), range(64)):
            assert np.allclose(found, expected, atol=1e-6)


def test_threads_that_ask_first_load_it_once() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert len({id(embedder) for embedder in threads.map(embedder_named, ["wordllama"] * 64)}) == 1


def test_loading_it_sets_up_no_logging_and_forks_in_silence() -> None:
    script = """
import logging, os
from memory.embedding.wordllama import WordllamaEmbedder
embedder = WordllamaEmbedder()
embedder.embed(["one", "two"])
assert logging.getLogger().handlers == [], logging.getLogger().handlers
child = os.fork()
if child == 0:
    os._exit(0 if embedder.embed(["three"]).any() else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_words_come_from_memory_and_are_near_the_embedder_s_own() -> None:
    vectors = WordVectors(EMBEDDER)
    words = ["harbour", "boat", "harbour", "tax"]
    first = vectors.of(words)
    assert len(vectors) == 3
    assert first.dtype == np.float32
    assert np.allclose(first, EMBEDDER.embed(words), atol=2e-3)
    assert np.array_equal(vectors.of(words[::-1]), first[::-1])
    assert vectors.of([]).shape == (0, 256)


def test_the_memory_of_words_grows_and_begins_anew_at_its_cap() -> None:
    vectors = WordVectors(EMBEDDER, most=10)
    numbered = [f"word{number}" for number in range(25)]
    for start in range(0, 20, 4):
        assert np.allclose(
            vectors.of(numbered[start : start + 4]), EMBEDDER.embed(numbered[start : start + 4]), atol=2e-3
        )
        assert len(vectors) <= 10
    assert np.allclose(vectors.of(numbered), EMBEDDER.embed(numbered), atol=2e-3)
    assert len(vectors) <= 10


def test_threads_share_the_memory_of_words() -> None:
    vectors = WordVectors(EMBEDDER, most=50)
    numbered = [f"word{number}" for number in range(90)]
    expected = EMBEDDER.embed(numbered)

    def asked(start: int) -> bool:
        return np.allclose(vectors.of(numbered[start : start + 30]), expected[start : start + 30], atol=2e-3)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(asked, [number % 60 for number in range(0, 600, 7)]))
