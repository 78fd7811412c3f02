"""`python -m bench facts`: how fast facts are taken in and found, and whether that depends on how many there are."""

import shutil
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import django

from bench import limits
from bench.report import step_table
from bench.sample import BLOCK
from bench.service import running

STEPS = (10_000, 100_000, 1_000_000)


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of this bench."""
    parser.add_argument("--facts", type=int, default=STEPS[-1], help="how many (1,000,000), a multiple of 10,000")
    parser.add_argument("--growth", action="store_true", help="measure at 10,000 and 100,000 facts on the way as well")
    parser.add_argument("--data-dir", type=Path, help="keep the store there, and go on from what it holds already")
    parser.add_argument("--rounds", type=int, default=300, help="how often each question is asked (300)")


def measured(options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Load, ask, and return what was measured as JSON values. Raises RuntimeError when an answer is a wrong one."""
    if options.facts < BLOCK or options.facts % BLOCK:
        raise RuntimeError(f"--facts is a multiple of {BLOCK:,}")
    steps = [step for step in STEPS if options.growth and step < options.facts] + [options.facts]
    with ExitStack() as stack:
        data_dir = options.data_dir or stack.enter_context(_temporary())
        data_dir.mkdir(parents=True, exist_ok=True)
        service = stack.enter_context(running(data_dir))
        django.setup()
        from bench.store import opened  # it imports models, which only now can be

        store = stack.enter_context(opened(service))
        found = []
        for count in steps:
            if count >= store.count():
                found.append(store.measured(count, options.rounds, say))
                say(step_table(found[-1]))
        return {"steps": found}


def verdicts(found: dict[str, Any]) -> list[limits.Verdict]:
    """What was measured where the store is largest against its limits, and against the smallest store."""
    first, last = found["steps"][0], found["steps"][-1]
    rates = last["import"] or {}
    judged = [limits.of_import(where, rates[where]["a_second"]) for where in ("function", "rest") if where in rates]
    for name, times in last["reads"].items():
        judged.extend(limits.of_times(name, times["database"]["p95"], times["rest"]["p95"]))
        if first is not last and name in limits.MOST:
            judged.append(limits.of_growth(name, first["reads"][name]["database"]["least"], times["database"]["least"]))
    return judged


@contextmanager
def _temporary() -> Iterator[Path]:
    folder = tempfile.mkdtemp(prefix="kndl-bench-")
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
