"""The only way facts are read: one statement, judged at two instants, inside the scopes of one request."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.db import connections

from common.errors import Invalid, NotFound, Unprocessable
from common.times import format_instant, now, parse_instant
from memory.facts.confidence import UNCERTAIN, USABLE, Band, band, effective_sql
from memory.facts.record import FactRecord, as_document
from memory.facts.rows import RECORD_COLUMNS, record_of, words_query
from spaces.access import Binding
from spaces.databases.entering import current_alias

Order = Literal["confidence", "recorded", "subject"]
ValidityState = Literal["current", "not_yet_valid", "expired"]
Key = tuple[Any, ...]

# A list over a whole scope can be sorted by what changes with time only when so many facts are left.
MOST_SORTED = 20_000
ADVICE = "reverify"

_COLUMNS = ", ".join(f"f.{name}" for name in ("number", "scope", *RECORD_COLUMNS, "imported", "file", "recorded_by"))
_SUPERSEDER = (
    "left join lateral (select x.id, x.recorded_at from fact x where x.scope = f.scope and x.supersedes = f.id"
    " and x.recorded_at <= %(as_of)s offset 0) s on true"
)
_PARENTS = (
    "left join lateral (select array_agg(p.parent order by p.position) parents from fact_parent p"
    " where p.fact = f.number) d on true"
)


@dataclass(frozen=True)
class FactQuery:
    """What is asked. `as_of`: when it was known; `valid_at`: when it was true. Both default to now, as one instant."""

    subject: str | None = None
    predicate: str | None = None
    text: str | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    min_confidence: float | None = None
    band: Band | None = None
    classification: str | None = None
    include_superseded: bool = False
    include_expired: bool = False
    order: Order | None = None
    limit: int = 50

    def at_instants(self) -> tuple[datetime, datetime]:
        """(as_of, valid_at), with their defaults."""
        as_of = self.as_of or now()
        return as_of, self.valid_at or as_of

    def chosen_order(self) -> Order:
        return self.order or ("confidence" if self.subject is not None else "recorded")


@dataclass(frozen=True)
class FactView:
    """A fact as it stands at the instants that were asked about."""

    number: int
    scope: int
    record: FactRecord
    effective_confidence: float
    validity_state: ValidityState
    superseded_by: str | None
    superseded_at: datetime | None
    imported: bool
    file: str | None
    recorded_by: str

    @property
    def band(self) -> Band:
        return band(self.effective_confidence)

    def document(self, **more: Any) -> dict[str, Any]:
        """The fact's JSON-LD with what was judged of it."""
        found = as_document(self.record) | {
            "effective_confidence": self.effective_confidence,
            "band": self.band,
            "validity_state": self.validity_state,
            "superseded_by": self.superseded_by,
        }
        if self.band == "uncertain":
            found["advice"] = ADVICE
        return found | more


@dataclass(frozen=True)
class FactPage:
    """One page, and the key of its last row when there are more."""

    as_of: datetime
    valid_at: datetime
    facts: list[FactView] = field(default_factory=list)
    next_key: Key | None = None


def query_facts(binding: Binding, query: FactQuery, after: Key | None = None) -> FactPage:
    """The facts that were known at `as_of`, judged at `valid_at`, in the bound scopes.

    With a subject the surest come first, then the newest; a list over whole scopes begins with the newest. `after` is
    the `next_key` of the page before. Raises Unprocessable (`narrow_first`) when another order is asked of more than
    20,000 facts.
    """
    as_of, valid_at = query.at_instants()
    statement = _Statement(binding, query, as_of, valid_at)
    order = query.chosen_order()
    if order != "recorded" and query.subject is None:
        statement.refuse_too_many()
    rows = statement.page(order, after, query.limit + 1)
    found = [_view(row, valid_at) for row in rows[: query.limit]]
    more = len(rows) > query.limit
    return FactPage(as_of, valid_at, found, _ORDERS[order].key(found[-1]) if more else None)


def query_key(order: Order, values: object) -> Key:
    """The key that a cursor carried, its values checked. Raises ValueError."""
    kinds = _ORDERS[order].fields
    if not isinstance(values, list) or len(values) != len(kinds):
        raise ValueError("another number of values")
    for name, value in zip(kinds, values, strict=True):
        if not isinstance(value, _KINDS[name]) or isinstance(value, bool):
            raise ValueError(f"{name} of another kind")
        if name == "recorded_at":
            parse_instant(str(value))
    return tuple(values)


def count_facts(binding: Binding, query: FactQuery, *, most: int) -> int:
    """How many facts the query finds, counted up to `most`."""
    as_of, valid_at = query.at_instants()
    return _Statement(binding, query, as_of, valid_at).count(most)


def find_fact(
    binding: Binding, fact_id: str, *, as_of: datetime | None = None, valid_at: datetime | None = None
) -> FactView:
    """One fact, superseded or expired as it may be. Raises NotFound, also for one that was not known at `as_of`."""
    as_of = as_of or now()
    valid_at = valid_at or as_of
    sql = f"{_select()} where f.scope = any(%(scopes)s) and f.id = %(id)s and f.recorded_at <= %(as_of)s limit 2"  # noqa: S608
    values = {"scopes": binding.scope_ids, "id": fact_id, "as_of": as_of, "valid_at": valid_at}
    rows = _rows(sql, values)
    if not rows:
        raise NotFound("There is no such fact.")
    if len(rows) > 1:
        raise Invalid("Several scopes have a fact of this id: name one.", field="scope")
    return _view(rows[0], valid_at)


def history(binding: Binding, view: FactView, *, most: int = 100) -> list[FactView]:
    """What stood in this fact's place before and after, oldest first, the fact itself among them."""
    sql = (
        "with recursive older(id, step) as (select %(id)s::text collate \"C\", 0 union all"
        "  select f.supersedes, older.step - 1 from older join fact f on f.scope = %(scope)s and f.id = older.id"
        "  where f.supersedes is not null and older.step > -%(most)s),"
        " newer(id, step) as (select %(id)s::text collate \"C\", 0 union all"
        "  select f.id, newer.step + 1 from newer join fact f on f.scope = %(scope)s and f.supersedes = newer.id"
        "  where newer.step < %(most)s),"
        " line as (select id, min(step) step from (select * from older union all select * from newer) z group by id)"
        f" select q.* from line join ({_select()} where f.scope = %(scope)s and f.recorded_at <= %(as_of)s) q"  # noqa: S608
        " on q.id = line.id order by line.step"
    )
    at = now()
    values = {"scope": view.scope, "id": view.record.id, "most": most, "as_of": at, "valid_at": at}
    return [_view(row, at) for row in _rows(sql, values)]


def records_by_id(scope: int, ids: Iterable[str]) -> dict[str, FactRecord]:
    """The records of those ids that are in the scope."""
    at = now()
    sql = f"{_select()} where f.scope = %(scope)s and f.id = any(%(ids)s)"  # noqa: S608
    rows = _rows(sql, {"scope": scope, "ids": list(ids), "as_of": at, "valid_at": at})
    return {row["id"]: record_of(row) for row in rows}


def all_facts(binding: Binding, *, chunk: int = 2_000) -> Iterator[tuple[FactRecord, str | None]]:
    """Every fact of the bound scope with its file, in the order they were written; for export."""
    scope, last, at = binding.one.pk, 0, now()
    sql = f"{_select()} where f.scope = %(scope)s and f.number > %(last)s order by f.number limit %(chunk)s"  # noqa: S608
    while rows := _rows(sql, {"scope": scope, "last": last, "chunk": chunk, "as_of": at, "valid_at": at}):
        for row in rows:
            yield record_of(row), row["file"]
        last = rows[-1]["number"]


class _Statement:
    """The WHERE of a query, once, for its page and its count."""

    def __init__(self, binding: Binding, query: FactQuery, as_of: datetime, valid_at: datetime) -> None:
        scopes = binding.scope_ids
        self.values: dict[str, Any] = {"as_of": as_of, "valid_at": valid_at, "scopes": scopes}
        if len(scopes) == 1:
            self.values["scope"] = scopes[0]
        self.where = [
            "f.scope = %(scope)s" if len(scopes) == 1 else "f.scope = any(%(scopes)s)",
            "f.recorded_at <= %(as_of)s",
        ]
        for name in ("subject", "predicate", "classification"):
            if getattr(query, name) is not None:
                self.where.append(f"f.{name} = %({name})s")
                self.values[name] = getattr(query, name)
        if query.text is not None:
            words = words_query(scopes, query.text)
            self.where.append("f.search @@ %(words)s::tsquery" if words else "false")
            self.values["words"] = words
        if not query.include_expired:
            self.where.append("(f.valid_until is null or f.valid_until > %(valid_at)s)")
        if not query.include_superseded:
            self.where.append("s.id is null")
        self.judged = []
        if query.min_confidence is not None:
            self.judged.append("q.effective >= %(min_confidence)s")
            self.values["min_confidence"] = query.min_confidence
        if query.band is not None:
            self.judged.append(_BANDS[query.band])

    def page(self, order: Order, after: Key | None, limit: int) -> list[dict[str, Any]]:
        keyset = _ORDERS[order]
        judged, values = list(self.judged), self.values | {"limit": limit}
        where = list(self.where)
        if after is not None:
            judged.append(keyset.beyond)
            values |= {f"k{position}": value for position, value in enumerate(after)}
            if keyset.bound:
                where.append(keyset.bound)
        inner = f"{_select()} where {' and '.join(where)}"
        outer = f" where {' and '.join(judged)}" if judged else ""
        return _rows(f"select q.* from ({inner}) q{outer} order by {keyset.by} limit %(limit)s", values)  # noqa: S608

    def count(self, most: int) -> int:
        judged = f" where {' and '.join(self.judged)}" if self.judged else ""
        inner = f"{_select()} where {' and '.join(self.where)}"
        sql = f"select count(*) n from (select 1 from ({inner}) q{judged} limit %(most)s) z"  # noqa: S608
        return int(_rows(sql, self.values | {"most": most})[0]["n"])

    def refuse_too_many(self) -> None:
        if self.count(MOST_SORTED + 1) > MOST_SORTED:
            raise Unprocessable(
                f"More than {MOST_SORTED:,} facts are left: narrow the filter before sorting them like this.",
                field="order",
                type="narrow_first",
            )


@dataclass(frozen=True)
class _Keyset:
    """An order that a page can continue: ORDER BY, what lies beyond a key, and a bound that an index can use."""

    by: str
    beyond: str
    bound: str
    fields: tuple[str, ...]

    def key(self, view: FactView) -> Key:
        values = {
            "effective": view.effective_confidence,
            "recorded_at": view.record.recorded_at,
            "subject": view.record.subject or "",
            "predicate": view.record.predicate or "",
            "id": view.record.id,
            "scope": view.scope,
        }
        return tuple(
            format_instant(value) if isinstance(value := values[name], datetime) else value for name in self.fields
        )


_ORDERS: dict[Order, _Keyset] = {
    "recorded": _Keyset(
        "q.recorded_at desc, q.id, q.scope",
        "(q.recorded_at < %(k0)s::timestamptz or (q.recorded_at = %(k0)s::timestamptz"
        " and (q.id, q.scope) > (%(k1)s, %(k2)s)))",
        "f.recorded_at <= %(k0)s::timestamptz",
        ("recorded_at", "id", "scope"),
    ),
    "confidence": _Keyset(
        "q.effective desc, q.recorded_at desc, q.id, q.scope",
        "(q.effective < %(k0)s or (q.effective = %(k0)s and (q.recorded_at < %(k1)s::timestamptz"
        " or (q.recorded_at = %(k1)s::timestamptz and (q.id, q.scope) > (%(k2)s, %(k3)s)))))",
        "",
        ("effective", "recorded_at", "id", "scope"),
    ),
    "subject": _Keyset(
        "coalesce(q.subject, ''), coalesce(q.predicate, ''), q.id, q.scope",
        "(coalesce(q.subject, ''), coalesce(q.predicate, ''), q.id, q.scope) > (%(k0)s, %(k1)s, %(k2)s, %(k3)s)",
        "",
        ("subject", "predicate", "id", "scope"),
    ),
}

_KINDS: dict[str, type | tuple[type, ...]] = {
    "effective": (int, float),
    "recorded_at": str,
    "subject": str,
    "predicate": str,
    "id": str,
    "scope": int,
}

_BANDS: dict[str, str] = {
    "usable": f"q.effective >= {USABLE}",
    "uncertain": f"q.effective >= {UNCERTAIN} and q.effective < {USABLE}",
    "stale": f"q.effective < {UNCERTAIN}",
}


def _select() -> str:
    return (
        f"select {_COLUMNS}, f.object is not null has_object, d.parents derived_from,"  # noqa: S608
        f" {effective_sql('%(valid_at)s::timestamptz')} effective,"
        " s.id superseded_by, s.recorded_at superseded_at"
        f" from fact f {_SUPERSEDER} {_PARENTS}"
    )


def _rows(sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(sql, values)
        names = [column.name for column in cursor.description]
        return [_loaded(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _loaded(row: dict[str, Any]) -> dict[str, Any]:
    """Django's cursors leave jsonb as text, so that model fields may choose a decoder; here it is read."""
    for name in ("type", "object", "extra", "spelling"):
        if isinstance(row.get(name), str):
            row[name] = json.loads(row[name])
    return row


def _view(row: Mapping[str, Any], valid_at: datetime) -> FactView:
    record = record_of(row)
    state: ValidityState = "current"
    if record.valid_until is not None and record.valid_until <= valid_at:
        state = "expired"
    elif record.valid_from > valid_at:
        state = "not_yet_valid"
    return FactView(
        number=row["number"],
        scope=row["scope"],
        record=record,
        effective_confidence=float(row["effective"]),
        validity_state=state,
        superseded_by=row["superseded_by"],
        superseded_at=row["superseded_at"],
        imported=row["imported"],
        file=row["file"],
        recorded_by=row["recorded_by"],
    )
