"""What the benches of memory are told: how much memory, and where it is kept between two runs."""

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from bench.layers.sizes import A_SCOPE

KEPT = Path("artifacts/bench")


def add_store_arguments(parser: ArgumentParser) -> None:
    """How large the store is, and where."""
    parser.add_argument(
        "--fragments", type=int, default=1_000_000, help=f"live fragments (1,000,000), a multiple of {A_SCOPE:,}"
    )
    parser.add_argument(
        "--data-dir",
        type=Path,
        help="the store's folder; it is kept, and filled only once (BENCH_DIR or artifacts/bench, one for each size)",
    )


def store_folder(options: Namespace) -> Path:
    """The folder of the store, made where it is missing. Raises RuntimeError for a size that no store has."""
    if options.fragments < A_SCOPE or options.fragments % A_SCOPE:
        raise RuntimeError(f"--fragments is a multiple of {A_SCOPE:,}")
    kept = Path(os.environ.get("BENCH_DIR") or KEPT)
    folder: Path = (options.data_dir or kept / f"memories-{options.fragments}").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder
