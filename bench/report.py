"""The numbers as tables: plain enough for a terminal, and Markdown for `docs/benchmarks.md`."""

from collections.abc import Iterator, Sequence
from typing import Any

from bench.limits import Verdict

COLUMNS = {"database": "database", "function": "with Python", "rest": "REST", "bare": "bare SQL"}


def limits_table(judged: Sequence[Verdict]) -> str:
    """Every limit and whether it was kept."""
    rows = ([verdict.what, _said(verdict.measured), _said(verdict.limit), verdict.unit] for verdict in judged)
    kept = ("kept" if verdict.kept else "MISSED" for verdict in judged)
    head = ["limit", "measured", "allowed", "unit", "verdict"]
    return "\n".join(table(head, [[*row, word] for row, word in zip(rows, kept, strict=True)]))


def step_table(step: dict[str, Any]) -> str:
    """The times of one size of the store, and the load of the machine beside each."""
    lines = [f"\n{step['facts']:,} facts\n"]
    if step["import"]:
        rates = [
            [f"import, {where}", f"{rate['a_second']:,}", f"{rate['facts']:,}", str(rate["load"])]
            for where, rate in step["import"].items()
        ]
        lines += [*table(["", "facts/s", "of", "load"], rates), ""]
    rows = [
        [name, *(three(times[column]) for column in COLUMNS), str(times["load"])]
        for name, times in step["reads"].items()
    ]
    return "\n".join([*lines, *table(["least / p50 / p95, ms", *COLUMNS.values(), "load"], rows)])


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, all but its first column set to the right."""
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"| {' | '.join([row[0].ljust(widths[0]), *cells[1:]])} |"


def three(times: dict[str, float]) -> str:
    """The spread of times, in milliseconds."""
    return " / ".join(f"{times[name]:.1f}" for name in ("least", "p50", "p95"))


def _said(number: float) -> str:
    return f"{number:,.1f}" if number % 1 else f"{number:,.0f}"
