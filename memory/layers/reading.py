"""The only way memories are read: judged at an instant, inside the scopes of one request, through the gate."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from common.errors import NotFound
from common.times import format_instant, now, parse_instant
from memory.layers.statements import Memory, fetched, judged_values, memories_by_id, memories_of, select_sql
from spaces.access import Binding

Sort = Literal["newest", "strongest", "weakest", "fading"]
Archived = Literal["no", "only", "any"]
Key = tuple[Any, ...]


@dataclass(frozen=True)
class MemoryQuery:
    """What is asked. `as_of`: memories formed by then, strength at then; instants bound from (≥) and until (<)."""

    layer: int | None = None
    type: str | None = None
    text: str | None = None
    min_strength: float | None = None
    max_strength: float | None = None
    formed_from: datetime | None = None
    formed_until: datetime | None = None
    fades_by: datetime | None = None
    session: UUID | None = None
    source: str | None = None
    archived: Archived = "no"
    pinned: bool | None = None
    classification: str | None = None
    as_of: datetime | None = None
    sort: Sort = "newest"
    limit: int = 50


@dataclass(frozen=True)
class MemoryPage:
    """One page, and the key of its last row when there are more."""

    at: datetime
    memories: list[Memory] = field(default_factory=list)
    next_key: Key | None = None


@dataclass(frozen=True)
class _Order:
    by: str
    beyond: str
    key: Callable[[dict[str, Any]], Key]
    where: str = "true"


ORDERS: dict[Sort, _Order] = {
    "newest": _Order("q.id desc", "q.id < %(k0)s", lambda row: (row["id"],)),
    "strongest": _Order(
        "q.effective desc, q.id desc",
        "(q.effective, q.id) < (%(k0)s::float8, %(k1)s)",
        lambda row: (row["effective"], row["id"]),
    ),
    "weakest": _Order(
        "q.effective, q.id",
        "(q.effective, q.id) > (%(k0)s::float8, %(k1)s)",
        lambda row: (row["effective"], row["id"]),
    ),
    "fading": _Order(
        "q.fades_at, q.id",
        "(q.fades_at, q.id) > (%(k0)s::timestamptz, %(k1)s)",
        lambda row: (format_instant(row["fades_at"]), row["id"]),
        "q.fades_at is not null",
    ),
}


def query_memories(
    binding: Binding, query: MemoryQuery, after: Key | None = None, *, at: datetime | None = None
) -> MemoryPage:
    """The memories of the bound scopes that a query finds, judged at `as_of`, or at `at`, or now.

    `after` is the `next_key` of the page before, and `at` is its instant, so that the pages are of one list.
    """
    judged_at = query.as_of or at or now()
    order = ORDERS[query.sort]
    values = judged_values(binding, judged_at) | {"limit": query.limit + 1}
    where, judged = _conditions(query, values)
    if after is not None:
        judged.append(order.beyond)
        values |= {f"k{place}": value for place, value in enumerate(after)}
    sql = (
        f"select q.* from ({select_sql(' and '.join(where), then=query.as_of is not None)}) q"
        f" where {' and '.join([order.where, *judged])} order by {order.by} limit %(limit)s"
    )
    rows = fetched(sql, values)
    shown = rows[: query.limit]
    return MemoryPage(judged_at, memories_of(binding, shown), order.key(shown[-1]) if len(rows) > query.limit else None)


def count_memories(
    binding: Binding, query: MemoryQuery, *, at: datetime | None = None, most: int | None = None
) -> dict[int, int]:
    """How many memories a query finds, by layer; with `most`, no layer is counted beyond one more than that."""
    judged_at = query.as_of or at or now()
    values = judged_values(binding, judged_at)
    where, judged = _conditions(query, values)
    found = (
        f"({select_sql(' and '.join(where), then=query.as_of is not None)}) q where {' and '.join(['true', *judged])}"
    )
    sql = f"select q.layer, count(*) n from {found} group by q.layer"
    if most is not None:
        sql = (
            "select l.layer, count(*) n from unnest(array[1, 2, 3]) l(layer) cross join lateral"
            f" (select 1 from {found} and q.layer = l.layer limit %(most)s) c group by l.layer"
        )
        values["most"] = most + 1
    return {row["layer"]: row["n"] for row in fetched(sql, values)}


def find_memory(binding: Binding, number: int, *, at: datetime | None = None, as_of: datetime | None = None) -> Memory:
    """One memory, archived or replaced as it may be. Raises NotFound, also for one that was not formed by `as_of`."""
    found = memories_by_id(binding, [number], as_of or at or now(), then=as_of is not None)
    if number not in found:
        raise NotFound("There is no such memory.")
    return found[number]


def checked_key(sort: Sort, value: object) -> Key:
    """The key that a cursor carried. Raises ValueError for anything else."""
    match sort, value:
        case "newest", [int(number)] if _is_id(number):
            return (number,)
        case (("strongest" | "weakest"), [float() | int() as strength, int(number)]) if _is_id(number):
            return strength, number
        case "fading", [str(fades_at), int(number)] if _is_id(number):
            return format_instant(parse_instant(fades_at)), number
    raise ValueError("not a key of this list")


def _is_id(number: int) -> bool:
    return not isinstance(number, bool) and 0 <= number < 2**63


_PLAIN = {
    "layer": "n.layer = %(layer)s",
    "type": "n.type = %(type)s",
    "formed_from": "n.formed_at >= %(formed_from)s",
    "formed_until": "n.formed_at < %(formed_until)s",
    "classification": "n.classification = %(classification)s",
    "session": "exists (select 1 from node_source r where r.node = n.id and r.session = %(session)s)",
    "source": (
        "exists (select 1 from node_source r join session q on q.id = r.session"
        " where r.node = n.id and (q.origin = %(source)s or q.opened_by = %(source)s))"
    ),
}
_JUDGED = {
    "min_strength": "q.effective >= %(min_strength)s",
    "max_strength": "q.effective <= %(max_strength)s",
    "fades_by": "q.fades_at <= %(fades_by)s",
    "pinned": "q.pinned = %(pinned)s",
}


def _conditions(query: MemoryQuery, values: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The conditions on a node, and those on what is judged of it; adds their values."""
    given = {name: getattr(query, name) for name in (*_PLAIN, *_JUDGED) if getattr(query, name) is not None}
    values |= given
    one = len(values["scopes"]) == 1
    where = ["n.scope = (%(scopes)s::int[])[1]" if one else "n.scope = any(%(scopes)s)", "n.layer between 1 and 3"]
    where += [_PLAIN[name] for name in given if name in _PLAIN]
    if query.archived != "any":
        where.append(_standing(query))
    for place, word in enumerate((query.text or "").split()[:20]):
        where.append(f"(n.text ilike %(word{place})s or n.name ilike %(word{place})s)")
        values[f"word{place}"] = f"%{_escaped(word)}%"
    return where, [_JUDGED[name] for name in given if name in _JUDGED]


def _standing(query: MemoryQuery) -> str:
    """Whether a memory is live, or the contrary; at an earlier instant, one that was archived later still was."""
    archived = "s.archived_at is not null" if query.as_of is None else "s.archived_at <= %(at)s"
    return archived if query.archived == "only" else f"({archived}) is not true"


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
