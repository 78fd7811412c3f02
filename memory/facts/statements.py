"""The SQL of reading facts: what is selected, in what order, and how rows become views.

Nothing outside this module selects from `fact` for a reader, so the gate and the record of who read PHI stand here.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import structlog
from django.db import connections

from common.crypto import NotOpened
from common.times import format_instant, parse_instant
from memory.facts.rows import RECORD_COLUMNS
from memory.facts.rules.confidence import UNCERTAIN, USABLE, effective_sql
from memory.facts.views import FactView, view_of
from memory.keys.keeping import KeyDestroyed
from memory.phi.gate import consented_sql, gate_values, released_sql
from memory.phi.sealing import unsealed
from spaces.access import Binding
from spaces.databases.entering import current_alias
from spaces.databases.transactions import memory_transaction

log = structlog.get_logger()

Order = Literal["confidence", "recorded", "subject"]
Key = tuple[Any, ...]

_INSTANTS = ("leaves_usable_at", "leaves_uncertain_at")
_COLUMNS = ", ".join(
    f"f.{name}"
    for name in ("number", "scope", *RECORD_COLUMNS, "imported", "file", "recorded_by", "claim", "sealed", *_INSTANTS)
)
_FROM = (
    " from fact f"
    " left join lateral (select x.id, x.recorded_at, {released} released from fact x"
    "  where x.scope = f.scope and x.supersedes = f.id and x.recorded_at <= %(as_of)s offset 0) s on true"
    " left join lateral (select array_agg(p.parent order by p.position) parents from fact_parent p"
    "  where p.fact = f.number) d on true"
    " left join data_key k on k.number = f.key"
    " left join consent kc on f.sealed is not null and kc.scope = f.scope and kc.id = f.consent"
)


def select_sql(where: str, *, gated: bool = True) -> str:
    """The SELECT of facts with what is judged of them, at `as_of` and `valid_at`, through the gate.

    Not gated are only the checks of a writer against rows of the scope it writes to.
    """
    gate = f" and {released_sql()}" if gated else ""
    return (
        f"select {_COLUMNS}, f.object is not null has_object, d.parents derived_from,"
        f" {effective_sql('%(valid_at)s::timestamptz')} effective,"
        " case when s.released then s.id end superseded_by, case when s.released then s.recorded_at end superseded_at,"
        " k.name key_name, k.wrapped key_wrapped, k.wrapped_by key_wrapped_by, kc.subject consent_subject,"
        f" f.sealed is null or {consented_sql()} consented"
        f"{_FROM.format(released=released_sql('x'))} where {where}{gate}"
    )


# Whether a fact stands at `as_of`. OFFSET 0 keeps it a probe of an index for each fact: as a join of all facts with all
# that superseded one it would grow with the store.
STANDS = (
    "not exists (select 1 from fact x where x.scope = f.scope and x.supersedes = f.id"
    " and x.recorded_at <= %(as_of)s offset 0)"
)


def keys_sql(where: str, source: str = "fact") -> str:
    """The SELECT of what facts are chosen and put in order by, through the gate: little, for there may be many.

    `source` is `fact` or a part of it.
    """
    return (
        "select f.number, f.scope, f.id, f.recorded_at, f.subject, f.predicate,"
        f" {effective_sql('%(valid_at)s::timestamptz')} effective from {source} f where {where} and {released_sql()}"
    )


def fetch(sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows as dictionaries. Django's cursors leave jsonb as text, for model fields to decode; here it is read."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(sql, values)
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in rows:
        if isinstance(row.get("type"), str):
            row["type"] = json.loads(row["type"])
    return rows


def released_views(binding: Binding, rows: Sequence[dict[str, Any]], valid_at: datetime) -> list[FactView]:
    """Rows that came through the gate, opened; that PHI was read, by whom and for what is on record before it is."""
    views, damaged = [], []
    for row in rows:
        try:
            views.append(view_of(unsealed(row), row, valid_at))
        except NotOpened:
            damaged.append(row)
        except KeyDestroyed:
            continue  # it was erased
    if damaged:
        _record_damage(binding, damaged)
    _record_reading(binding, [view for view in views if view.is_phi])
    return views


def _record_reading(binding: Binding, views: Sequence[FactView]) -> None:
    """One audit row for each subject and consent whose PHI is about to be shown, and for what was opened in need."""
    if not views:
        return
    read: dict[tuple[int, str, str, bool], list[str]] = defaultdict(list)
    for view in views:
        read[view.scope, view.subject_hash or "", view.record.consent or "", view.consented].append(view.record.id)
    with memory_transaction() as act:
        for (scope, subject, consent, consented), ids in read.items():
            act.record(
                binding.caller.actor,
                "phi.read",
                f"subject:{subject}",
                scope=scope,
                purpose=binding.purpose or "",
                consent=consent,
                facts=ids[:100],
                count=len(ids),
                **({} if consented else {"break_glass": True}),
            )


def _record_damage(binding: Binding, rows: Sequence[dict[str, Any]]) -> None:
    """Rows whose sealed part is not what was written there are left out, and somebody must hear of it."""
    log.error("phi_does_not_open", facts=[row["id"] for row in rows][:100])
    with memory_transaction() as act:
        for row in rows:
            act.record(binding.caller.actor, "phi.does_not_open", row["id"], scope=row["scope"])


def judged_values(binding: Binding, as_of: datetime, valid_at: datetime) -> dict[str, Any]:
    """The values that `select_sql` takes."""
    return {"as_of": as_of, "valid_at": valid_at, **gate_values(binding)}


@dataclass(frozen=True)
class Keyset:
    """An order that a page can continue: ORDER BY, what lies beyond a key, and a bound that an index can use."""

    by: str
    beyond: str
    bound: str
    fields: tuple[str, ...]

    def key(self, row: Mapping[str, Any]) -> Key:
        """The key of a row as it lies in the database: of PHI it holds hashes."""
        values = {**row, "subject": row["subject"] or "", "predicate": row["predicate"] or ""}
        return tuple(
            format_instant(value) if isinstance(value := values[name], datetime) else value for name in self.fields
        )

    def checked(self, values: Any) -> Key:
        """The key that a cursor carried. Raises ValueError for another number or kind of values."""
        if not isinstance(values, list) or len(values) != len(self.fields):
            raise ValueError("another number of values")
        for name, value in zip(self.fields, values, strict=True):
            if not isinstance(value, _KINDS[name]) or isinstance(value, bool):
                raise ValueError(f"{name} of another kind")
            if isinstance(value, int | float) and not 0 <= value <= _MOST[name]:
                raise ValueError(f"{name} out of range")
            if name == "recorded_at":
                parse_instant(str(value))
        return tuple(values)


ORDERS: dict[Order, Keyset] = {
    "recorded": Keyset(
        "q.recorded_at desc, q.id, q.scope",
        "(q.recorded_at < %(k0)s::timestamptz or (q.recorded_at = %(k0)s::timestamptz"
        " and (q.id, q.scope) > (%(k1)s, %(k2)s)))",
        "f.recorded_at <= %(k0)s::timestamptz",
        ("recorded_at", "id", "scope"),
    ),
    "confidence": Keyset(
        "q.effective desc, q.recorded_at desc, q.id, q.scope",
        "(q.effective < %(k0)s or (q.effective = %(k0)s and (q.recorded_at < %(k1)s::timestamptz"
        " or (q.recorded_at = %(k1)s::timestamptz and (q.id, q.scope) > (%(k2)s, %(k3)s)))))",
        "",
        ("effective", "recorded_at", "id", "scope"),
    ),
    # By the columns: facts that are PHI stand together under their hashes, and say nothing by their place.
    "subject": Keyset(
        "coalesce(q.subject, ''), coalesce(q.predicate, ''), q.id, q.scope",
        "(coalesce(q.subject, ''), coalesce(q.predicate, ''), q.id, q.scope) > (%(k0)s, %(k1)s, %(k2)s, %(k3)s)",
        "",
        ("subject", "predicate", "id", "scope"),
    ),
}

BANDS: dict[str, str] = {
    "usable": f"q.effective >= {USABLE}",
    "uncertain": f"q.effective >= {UNCERTAIN} and q.effective < {USABLE}",
    "stale": f"q.effective < {UNCERTAIN}",
}

# Beyond these PostgreSQL cannot compare.
_MOST = {"effective": 1, "scope": 2**31 - 1}

_KINDS: dict[str, type | tuple[type, ...]] = {
    "effective": (int, float),
    "recorded_at": str,
    "subject": str,
    "predicate": str,
    "id": str,
    "scope": int,
}
