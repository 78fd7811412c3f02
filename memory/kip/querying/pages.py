"""A page of an ordered SELECT: the rows behind a cursor, and the cursor of the next page."""

from collections.abc import Sequence
from typing import Any

from memory.kip.querying.compiling import Compiling
from memory.kip.querying.cursors import cursor_of, place_of
from memory.kip.querying.ordering import Key, behind
from memory.layers.elements import run_sql

DEFAULT = 1_000
MOST = 10_000
Row = tuple[Any, ...]


def page_of(
    compiling: Compiling,
    rows: str,
    keys: Sequence[Key],
    statement: Any,
    *,
    limit: int | None,
    cursor: str | None,
    shown: str = "page.*",
    joined: str = "",
) -> tuple[list[Row], str | None]:
    """A page of `rows`, a SELECT with the columns k0, k1, … of these keys, in their order.

    `shown` and `joined` are what is read beside them, of the page alone. Rows have what is shown, and then the keys.
    """
    most = min(limit or DEFAULT, MOST)
    named = [key.renamed(f"k{place}") for place, key in enumerate(keys)]
    order = ", ".join(key.order for key in named)
    after = ""
    if cursor is not None:
        after = f" where {behind(compiling, named, place_of(cursor, statement, compiling.graph.scope, len(keys)))}"
    names = ", ".join(f"page.k{place}" for place in range(len(keys)))
    outer = ", ".join(key.renamed(f"page.k{place}").order for place, key in enumerate(keys))
    found = run_sql(
        f"{compiling.beginning}select {shown}, {names} from"
        f" (select * from ({rows}) every{after} order by {order} limit {most + 1}) page{joined} order by {outer}",
        compiling.values,
    )
    if len(found) <= most:
        return [row[: -len(keys)] for row in found], None
    last = found[most - 1][-len(keys) :]
    place = [int(value) if key.type in ("int", "bigint") else str(value) for key, value in zip(keys, last, strict=True)]
    return [row[: -len(keys)] for row in found[:most]], cursor_of(statement, compiling.graph.scope, place)
