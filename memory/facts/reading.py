"""The only way facts are read: judged at two instants, inside the scopes of one request, through the gate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from common.errors import Invalid, NotFound, Unprocessable
from common.times import now
from memory.facts.rows import record_of, words_query
from memory.facts.rules.confidence import Band, effective_sql
from memory.facts.rules.identifiers import check_fact_id
from memory.facts.rules.record import FactRecord
from memory.facts.statements import (
    BANDS,
    ORDERS,
    STANDS,
    Key,
    Order,
    fetch,
    judged_values,
    keys_sql,
    released_views,
    select_sql,
)
from memory.facts.views import FactView, view_of
from memory.keys.keeping import claim_of, hashed
from memory.phi.gate import may_see_phi, released_sql
from memory.phi.sealing import opened_or_none
from spaces.access import Binding

# A list over a whole scope can be sorted by what changes with time only when so many facts are left.
MOST_SORTED = 20_000
MOST_OF_A_CLAIM = 200
# How many of the newest facts a search looks at one by one before it takes the index of words.
MOST_LOOKED_AT = 6_000


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
    found = released_views(binding, rows[: query.limit], valid_at)
    more = len(rows) > query.limit
    return FactPage(as_of, valid_at, found, ORDERS[order].key(rows[query.limit - 1]) if more else None)


def count_facts(binding: Binding, query: FactQuery, *, most: int) -> int:
    """How many facts the query finds, counted up to `most`."""
    as_of, valid_at = query.at_instants()
    return _Statement(binding, query, as_of, valid_at).count(most)


def find_fact(
    binding: Binding, fact_id: str, *, as_of: datetime | None = None, valid_at: datetime | None = None
) -> FactView:
    """One fact, superseded or expired as it may be. Raises NotFound, also for one that was not known at `as_of`."""
    found = facts_by_id(binding, [stored_form(fact_id)], as_of=as_of, valid_at=valid_at)
    if not found:
        raise NotFound("There is no such fact.")
    if len(found) > 1:
        raise Invalid("Several scopes have a fact of this id: name one.", field="scope")
    return found[0]


def own_fact(binding: Binding, fact_id: str) -> FactView:
    """A fact that the caller has just written, for the answer to that write. Raises NotFound for anybody else's.

    Not gated: who wrote it knows what it says, whatever purpose they act for.
    """
    at = now()
    sql = select_sql("f.scope = %(scope)s and f.id = %(id)s and f.recorded_by = %(author)s", gated=False)
    named = {"scope": binding.one.pk, "id": fact_id, "author": str(binding.caller.actor)}
    rows = fetch(sql, judged_values(binding, at, at) | named)
    opened = rows and opened_or_none(rows[0])
    if not opened:
        raise NotFound("There is no such fact.")
    return view_of(opened, rows[0], at)


def facts_by_id(
    binding: Binding, ids: Sequence[str], *, as_of: datetime | None = None, valid_at: datetime | None = None
) -> list[FactView]:
    """The facts with these ids that were known at `as_of` and are released, in no order."""
    as_of = as_of or now()
    valid_at = valid_at or as_of
    sql = select_sql("f.scope = any(%(scopes)s) and f.id = any(%(ids)s) and f.recorded_at <= %(as_of)s")
    values = judged_values(binding, as_of, valid_at) | {"scopes": binding.scope_ids, "ids": list(ids)}
    return released_views(binding, fetch(sql, values), valid_at)


def facts_of_claims(binding: Binding, claims: Sequence[UUID], as_of: datetime, valid_at: datetime) -> list[FactView]:
    """The facts of these claims that are known, not superseded and valid at the instants, and released.

    Of each claim 200, so that one with many readings costs no more than others: the newest of each thing that is said
    come first, so that what is said by few is not lost among what is said by many.
    """
    one = (
        "select number from (select f.number, f.negated, f.recorded_at, row_number() over ("
        "  partition by f.object::jsonb, f.negated"
        f"  order by f.recorded_at desc, {effective_sql('%(valid_at)s::timestamptz')} desc, f.id) turn"
        " from fact f where f.scope = any(%(scopes)s) and f.claim = c.claim and f.recorded_at <= %(as_of)s"
        "  and f.valid_from <= %(valid_at)s and (f.valid_until is null or f.valid_until > %(valid_at)s)"
        "  and not exists (select 1 from fact s where s.scope = f.scope and s.supersedes = f.id"
        f"   and s.recorded_at <= %(as_of)s) and {released_sql()}) standing"
        f" order by turn, negated, recorded_at desc limit {MOST_OF_A_CLAIM}"
    )
    sql = (
        f"select q.* from unnest(%(claims)s::uuid[]) c(claim) cross join lateral ({one}) n"
        f" cross join lateral ({select_sql('f.number = n.number')}) q"
    )
    values = judged_values(binding, as_of, valid_at) | {"scopes": binding.scope_ids, "claims": list(claims)}
    return released_views(binding, fetch(sql, values), valid_at)


def facts_ever_of_claim(binding: Binding, claim: UUID, *, most: int = MOST_OF_A_CLAIM) -> list[FactView]:
    """The released facts of a claim that are known now, superseded and expired ones too, the newest first.

    One that a withheld fact superseded is left out, for when that was may not be told.
    """
    at = now()
    sql = select_sql(
        "f.scope = any(%(scopes)s) and f.claim = %(claim)s and f.recorded_at <= %(as_of)s"
        " and (s.id is null or s.released)"
    )
    values = judged_values(binding, at, at) | {"scopes": binding.scope_ids, "claim": claim, "most": most}
    return released_views(binding, fetch(f"{sql} order by f.recorded_at desc, f.id limit %(most)s", values), at)


def stored_form(fact_id: str) -> str:
    """An id from an address as it would be stored. Raises NotFound for what cannot be the id of any fact."""
    try:
        return check_fact_id(fact_id)
    except ValueError:
        raise NotFound("There is no such fact.") from None


def history(binding: Binding, view: FactView, *, most: int = 100) -> list[FactView]:
    """What stood in this fact's place before and after, oldest first, the fact itself among them.

    The line ends at what is withheld from the reader: what lies behind it would tell that it is there.
    """
    here = f"f.scope = %(scope)s and {released_sql()}"
    sql = (
        'with recursive older(id, step) as (select %(id)s::text collate "C", 0 union all'
        f"  select f.supersedes, older.step - 1 from older join fact f on {here} and f.id = older.id"
        "  where f.supersedes is not null and older.step > -%(most)s),"
        ' newer(id, step) as (select %(id)s::text collate "C", 0 union all'
        f"  select f.id, newer.step + 1 from newer join fact f on {here} and f.supersedes = newer.id"
        "  where newer.step < %(most)s),"
        " line as (select id, min(step) step from (select * from older union all select * from newer) z group by id)"
        f" select q.* from line join ({select_sql('f.scope = %(scope)s and f.recorded_at <= %(as_of)s')}) q"
        " on q.id = line.id order by line.step"
    )
    at = now()
    values = judged_values(binding, at, at) | {"scope": view.scope, "id": view.record.id, "most": most}
    return released_views(binding, fetch(sql, values), at)


def records_by_id(binding: Binding, ids: Iterable[str]) -> dict[str, FactRecord | None]:
    """The records of those ids that are in the bound scope, for a writer to compare with what it brings.

    Not gated: whoever has the very same fact in hand learns nothing from hearing that it is here. None for one that
    does not open.
    """
    at = now()
    sql = select_sql("f.scope = %(scope)s and f.id = any(%(ids)s)", gated=False)
    rows = fetch(sql, judged_values(binding, at, at) | {"scope": binding.one.pk, "ids": list(ids)})
    opened = {row["id"]: opened_or_none(row) for row in rows}
    return {fact_id: None if row is None else record_of(row) for fact_id, row in opened.items()}


def all_facts(binding: Binding, *, after: int = 0, limit: int = 2_000) -> list[FactView]:
    """The facts of the bound scope behind the row `after`, in the order they were written; for export.

    None only at the end.
    """
    at = now()
    sql = select_sql("f.scope = %(scope)s and f.number > %(after)s")
    values = judged_values(binding, at, at) | {"scope": binding.one.pk, "limit": limit}
    while rows := fetch(
        f"select q.* from ({sql} order by f.number limit %(limit)s) q order by q.number", values | {"after": after}
    ):
        if views := released_views(binding, rows, at):
            return views
        after = rows[-1]["number"]
    return []


def subject_values(binding: Binding, subject: str, *, always: bool = False) -> list[str]:
    """What the subject column may hold for a subject: itself, and for PHI its keyed hash in each bound scope.

    The hashes are left out where no PHI can be released, so that it takes no time to pass it over, unless `always`.
    """
    return [subject, *(_hashes(binding, "subject", subject) if always or may_see_phi(binding) else ())]


def predicate_values(binding: Binding, predicate: str) -> list[str]:
    """The same for a predicate."""
    return [predicate, *(_hashes(binding, "predicate", predicate) if may_see_phi(binding) else ())]


def _hashes(binding: Binding, kind: str, value: str) -> list[str]:
    return [hashed(scope, kind, value) for scope in binding.scope_ids]


class _Statement:
    """The WHERE of a query, once, for its page and its count.

    It stands for each scope by itself, `b` being the scope with its words, so that each gives its facts in the order of
    its index. What a page shows is read only of the facts that are on it.
    """

    def __init__(self, binding: Binding, query: FactQuery, as_of: datetime, valid_at: datetime) -> None:
        self.values: dict[str, Any] = judged_values(binding, as_of, valid_at)
        self.scopes = self._scopes(binding.scope_ids, query.text)
        self.searches = query.text is not None
        # What the index of the newest facts bounds, and what is looked at in each of them.
        self.bounds = ["f.scope = b.scope", "f.recorded_at <= %(as_of)s"]
        self.where: list[str] = []
        if query.subject is not None and query.predicate is not None:
            # What the two share has an index of its own; of the two theirs, one may hold much of the store.
            self.where.append("f.claim = any(%(claims)s)")
            self.values["claims"] = [claim_of(scope, query.subject, query.predicate) for scope in binding.scope_ids]
        elif query.subject is not None:
            self.where.append("f.subject = any(%(subject)s)")
            self.values["subject"] = subject_values(binding, query.subject)
        elif query.predicate is not None:
            self.where.append("f.predicate = any(%(predicate)s)")
            self.values["predicate"] = predicate_values(binding, query.predicate)
        if query.classification is not None:
            self.where.append("f.classification = %(classification)s")
            self.values["classification"] = query.classification
        if not query.include_expired:
            self.where.append("(f.valid_until is null or f.valid_until > %(valid_at)s)")
        if not query.include_superseded:
            self.where.append(STANDS)
        self.judged = []
        if query.min_confidence is not None:
            self.judged.append("q.effective >= %(min_confidence)s")
            self.values["min_confidence"] = query.min_confidence
        if query.band is not None:
            self.judged.append(BANDS[query.band])

    def page(self, order: Order, after: Key | None, limit: int) -> list[dict[str, Any]]:
        if self.searches and order == "recorded":
            # Words that many facts have are found soon among the newest, and those that few have soon in their index.
            found = self._page(order, after, limit, among_newest=True)
            if len(found) == limit:
                return found
        return self._page(order, after, limit)

    def count(self, most: int) -> int:
        keys = self._keys(self.bounds, self.judged, "limit %(most)s")
        sql = f"select count(*) n from (select 1 from {self.scopes} cross join lateral ({keys}) q limit %(most)s) z"
        return int(fetch(sql, self.values | {"most": most})[0]["n"])

    def _page(self, order: Order, after: Key | None, limit: int, *, among_newest: bool = False) -> list[dict[str, Any]]:
        keyset = ORDERS[order]
        bounds, judged, values = list(self.bounds), list(self.judged), self.values | {"limit": limit}
        if after is not None:
            judged.append(keyset.beyond)
            values |= {f"k{position}": value for position, value in enumerate(after)}
            if keyset.bound:
                bounds.append(keyset.bound)
        ordered = f"order by {keyset.by} limit %(limit)s"
        keys = self._keys(bounds, judged, ordered, among_newest=among_newest)
        page = f"select q.number from {self.scopes} cross join lateral ({keys}) q {ordered}"
        shown = select_sql("f.number = p.number")
        return fetch(f"select q.* from ({page}) p cross join lateral ({shown}) q order by {keyset.by}", values)

    def _keys(self, bounds: list[str], judged: list[str], ordered: str, *, among_newest: bool = False) -> str:
        source, where = "fact", [*bounds, *self.where]
        if among_newest:
            newest = f"order by f.recorded_at desc, f.id limit {MOST_LOOKED_AT}"
            source = f"(select * from fact f where {' and '.join(bounds)} {newest})"
            where.append("f.search @@ b.words")
        elif self.searches:
            source = "(select * from fact where search @@ b.words offset 0)"
        outer = f" where {' and '.join(judged)}" if judged else ""
        return f"select q.* from ({keys_sql(' and '.join(where), source)}) q{outer} {ordered}"

    def _scopes(self, scopes: list[int], text: str | None) -> str:
        """The bound scopes as a table `b(scope, words)`. Nothing has the words of a text that holds none."""
        rows = []
        for place, scope in enumerate(scopes):
            rows.append(f"(%(scope{place})s::integer, %(words{place})s::tsquery)")
            self.values |= {f"scope{place}": scope, f"words{place}": text and words_query(scope, text)}
        return f"(values {', '.join(rows)}) b(scope, words)"

    def refuse_too_many(self) -> None:
        if self.count(MOST_SORTED + 1) > MOST_SORTED:
            raise Unprocessable(
                f"More than {MOST_SORTED:,} facts are left: narrow the filter before sorting them like this.",
                field="order",
                type="narrow_first",
            )
