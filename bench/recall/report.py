"""The times of recall as tables."""

from typing import Any

from bench.report import table, three


def recall_table(found: dict[str, Any]) -> str:
    """A row for each way of asking and each part, a column for each kind of question."""
    kinds = found["questions"]
    names = [*next(iter(kinds.values()))["times"]]
    rows = [[name, *(three(kind["times"][name]) for kind in kinds.values())] for name in names]
    rows.append(["found what it is about", *(f"{kind['found']:.0%}" for kind in kinds.values())])
    rows.append(["load", *(str(kind["load"]) for kind in kinds.values())])
    loading = found["loading"]
    lines = [f"\n{found['fragments']:,} live fragments in {found['scopes']} scopes"]
    if loading["rows"]:
        lines.append(f"loaded {loading['rows']:,} rows at {loading['a_second']:,} a second (load {loading['load']})")
    return "\n".join([*lines, "", *table(["least / p50 / p95, ms", *kinds], rows)])
