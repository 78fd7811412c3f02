"""The numbers as a table that a person reads."""

from collections.abc import Iterator, Sequence
from typing import Any

from bench.limits import Verdict

COLUMNS = ("database", "function", "rest", "bare")


def limits_table(judged: Sequence[Verdict]) -> str:
    """Every limit and whether it was kept."""
    return "\n".join(map(_verdict, judged))


def step_table(step: dict[str, Any]) -> str:
    """The times of one size of the store, p50 / p95 in milliseconds, and the load of the machine beside each."""
    return "\n".join(_step(step))


def _step(step: dict[str, Any]) -> Iterator[str]:
    yield f"\n{step['facts']:,} facts"
    for where, rate in (step["import"] or {}).items():
        yield f"  import, {where:<10} {rate['a_second']:>7,} facts/s of {rate['facts']:,}, load {rate['load']}"
    yield f"  {'p50 / p95, ms':<42}" + "".join(f"{name:>16}" for name in COLUMNS) + "  load"
    for name, times in step["reads"].items():
        cells = (f"{times[column]['p50']:.2f} / {times[column]['p95']:.2f}" for column in COLUMNS)
        yield f"  {name:<42}" + "".join(f"{cell:>16}" for cell in cells) + f"  {times['load']}"


def _verdict(verdict: Verdict) -> str:
    said = "kept  " if verdict.kept else "MISSED"
    return f"{said} {verdict.what}: {verdict.measured:,.2f} {verdict.unit}, limit {verdict.limit:,} {verdict.unit}"
