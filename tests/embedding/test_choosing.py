"""Which embedder a setting stands for, and what is said when it cannot be had."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kndl_site.configuration import load
from memory.embedding import Embedder, EmbedderUnavailable, default_embedder, embedder_named, word_vectors
from memory.embedding.fastembed import FastEmbedder


def test_without_a_setting_it_is_wordllama(settings: Any) -> None:
    assert default_embedder() is embedder_named("wordllama")
    settings.KNDL = load({"KNDL_EMBEDDER": "fastembed:some-model"})
    assert default_embedder().name == "fastembed:some-model"


@pytest.mark.parametrize("spec", ["", "word2vec", "openai:", "fastembed", "wordllama:large"])
def test_a_name_that_stands_for_none_is_refused_by_the_setting(spec: str) -> None:
    with pytest.raises(EmbedderUnavailable, match="KNDL_EMBEDDER: there is no embedder"):
        embedder_named(spec)


def test_an_endpoint_that_is_not_set_is_named() -> None:
    with pytest.raises(EmbedderUnavailable, match="KNDL_LLM_BASE_URL is not set"):
        embedder_named("openai:small")


def test_a_library_that_is_not_installed_is_named_with_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    embedder: Embedder = FastEmbedder("some-model", tmp_path)
    for use in (lambda: embedder.embed(["a"]), lambda: embedder.dimensions):
        with pytest.raises(EmbedderUnavailable, match=r"KNDL_EMBEDDER names fastembed.*pip install fastembed"):
            use()


def test_a_model_that_fastembed_does_not_know_or_a_folder_without_one_is_named(tmp_path: Path) -> None:
    pytest.importorskip("fastembed", reason="fastembed is optional")
    with pytest.raises(EmbedderUnavailable, match="knows no model called no-such-model"):
        FastEmbedder("no-such-model", tmp_path).embed(["a"])
    with pytest.raises(EmbedderUnavailable, match=r"there is no model\.onnx in"):
        FastEmbedder(str(tmp_path), tmp_path).embed(["a"])
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable, match="cannot be read"):
            FastEmbedder(str(tmp_path), tmp_path).embed(["a"])


def test_single_words_have_vectors_of_unit_length() -> None:
    found = word_vectors(["harbour", "boat", "harbour"])
    assert found.shape == (3, 256)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=2e-3)
    assert np.array_equal(found[0], found[2])
