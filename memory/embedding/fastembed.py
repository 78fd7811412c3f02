"""Models that fastembed runs on this machine: an optional library, and a model named or laid in a folder."""

import importlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embedding.embedder import MOST_DIMENSIONS, EmbedderUnavailable, unit_rows

_BATCH_TEXTS = 32
_LONGEST_TEXT = 8_000


class FastEmbedder:
    """`model` is a folder that holds one, or a name that fastembed knows and fetches into `cache` at its first use."""

    def __init__(self, model: str, cache: Path) -> None:
        self.name = f"fastembed:{model}"
        self._named = model
        self._cache = cache
        self._using = threading.Lock()
        self._loaded: tuple[Any, int] | None = None

    @property
    def dimensions(self) -> int:
        """The length of each vector. The first reading loads the model. Raises EmbedderUnavailable."""
        with self._using:
            return self._model()[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, of unit length; a blank text gives zeros. The first 8,000 characters of a text count.

        Raises EmbedderUnavailable.
        """
        spoken = [number for number, text in enumerate(texts) if text.strip()]
        sent = [texts[number][:_LONGEST_TEXT].encode("utf-8", "replace").decode() for number in spoken]
        with self._using:
            model, length = self._model()
            rows = np.zeros((len(texts), length), dtype=np.float32)
            if sent:
                rows[spoken] = list(model.embed(sent, batch_size=_BATCH_TEXTS))
        return unit_rows(rows)

    def _model(self) -> tuple[Any, int]:
        if self._loaded is None:
            library = _library()
            model = _of_folder(library, Path(self._named)) if _is_a_path(self._named) else self._of_name(library)
            length = next(iter(model.embed(["length"]))).shape[0]
            if length > MOST_DIMENSIONS:
                raise EmbedderUnavailable(
                    f"KNDL_EMBEDDER: {self._named} gives {length:,} numbers a text, "
                    f"and at most {MOST_DIMENSIONS:,} can be kept."
                )
            self._loaded = model, length
        return self._loaded

    def _of_name(self, library: Any) -> Any:
        if not _knows(library, self._named):
            raise EmbedderUnavailable(f"KNDL_EMBEDDER: fastembed knows no model called {self._named}.")
        options = {"cache_dir": str(self._cache), "providers": ["CPUExecutionProvider"]}
        try:
            return library.TextEmbedding(self._named, **options)
        except Exception:  # noqa: BLE001 - whatever its downloader raises, it comes to the same
            raise EmbedderUnavailable(
                f"KNDL_EMBEDDER: {self._named} is not in {self._cache} and cannot be fetched. "
                "Lay its files in a folder and name that: fastembed:/the/folder."
            ) from None


def _library() -> Any:
    try:
        library = importlib.import_module("fastembed")
    except ImportError:
        raise EmbedderUnavailable(
            "KNDL_EMBEDDER names fastembed, which is not installed: pip install fastembed."
        ) from None
    # It logs each of its downloader's tries by a library of its own; what came of them is said in one sentence here.
    importlib.import_module("loguru").logger.disable("fastembed")
    return library


def _knows(library: Any, model: str) -> bool:
    return any(known["model"].lower() == model.lower() for known in library.TextEmbedding.list_supported_models())


def _is_a_path(model: str) -> bool:
    return Path(model).is_absolute() or Path(model).is_dir()


def _of_folder(library: Any, folder: Path) -> Any:
    """The model in a folder: `model.onnx` there or under `onnx/`, its tokenizer's files, and `config.json`."""
    described = importlib.import_module("fastembed.common.model_description")
    file = next((file for file in ("model.onnx", "onnx/model.onnx") if (folder / file).is_file()), None)
    if file is None:
        raise EmbedderUnavailable(f"KNDL_EMBEDDER: there is no model.onnx in {folder}.")
    try:
        length = int(json.loads((folder / "config.json").read_text("utf-8"))["hidden_size"])
        if not _knows(library, str(folder)):
            library.TextEmbedding.add_custom_model(
                model=str(folder),
                pooling=described.PoolingType.CLS if _takes_first_token(folder) else described.PoolingType.MEAN,
                normalization=True,
                sources=described.ModelSource(url=folder.absolute().as_uri()),
                dim=length,
                model_file=file,
            )
        return library.TextEmbedding(str(folder), specific_model_path=str(folder), providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - three libraries read the files, each with errors of its own
        raise EmbedderUnavailable(
            f"KNDL_EMBEDDER: the model in {folder} cannot be read ({type(error).__name__})."
        ) from None


def _takes_first_token(folder: Path) -> bool:
    pooling = folder / "1_Pooling" / "config.json"
    return pooling.is_file() and bool(json.loads(pooling.read_text("utf-8")).get("pooling_mode_cls_token"))
