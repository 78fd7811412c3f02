"""What the layers came to, as a table."""

from collections.abc import Iterator
from typing import Any

from bench.report import table, three


def layers_table(found: dict[str, Any]) -> str:
    """A row for each kind of work."""
    lines = [f"\nbeside {found['fragments']:,} live fragments"]
    loading = found["loading"]
    if loading["rows"]:
        lines.append(f"loaded {loading['rows']:,} rows at {loading['a_second']:,} a second (load {loading['load']})")
    rows = [_row(name, rate, unit, digits) for name, rate, unit, digits in _rates(found)]
    lines += ["", *table(["", "a second", "of what", "of", "in s", "own CPU, s", "load"], rows), ""]
    long = found["long session"]
    lines.append(f"reinforcing ten fragments: {three(found['reinforcement'])} ms (least / p50 / p95)")
    lines.append(f"the decay pass archived {found['decay']['archived']:,}")
    lines.append(
        f"peak of the long session's worker: {long['peak_mb']:.0f} MB, {long['before_mb']:.0f} before it began"
    )
    lines.append(f"distilled: {found['distillation']['outcome']}")
    return "\n".join(lines)


def _row(name: str, rate: dict[str, float], unit: str, digits: int) -> list[str]:
    seconds = [f"{rate[spent]:.1f}" for spent in ("seconds", "cpu")]
    return [name, f"{rate['a_second']:,.{digits}f}", unit, f"{rate['count']:,.{digits}f}", *seconds, str(rate["load"])]


def _rates(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, float], str, int]]:
    for where, rate in found["ingest"].items():
        yield f"ingest, {where}", rate, "lines", 0
    yield "extractive distillation", found["distillation"], "lines", 0
    yield "one long session", found["long session"], "lines", 0
    yield "decay pass", found["decay"], "memories", 0
    for name, rate in found["transcripts"].items():
        yield f"import, {name}", rate, "MB", 1
    for name, unit in (("near index", "vectors merged"), ("re-embedding", "memories")):
        if name in found:
            yield name, found[name], unit, 0
