"""Step 4 of recall: keyword matches by BM25, in SQL, over the lexemes that `node_index` holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.layers.elements import run_sql
from memory.layers.models import ScopeStat
from memory.layers.rules.tsvector import prefixed
from memory.recall.rules.bm25 import K1, B, idf

MOST_MATCHES = 100
# Rare lexemes are looked up alone while so many rows have them together; common ones only in pairs.
_BUDGET = 200
_BUDGET_OF_MANY = 500
_MANY = 100_000
_PAIRED = 8


@dataclass(frozen=True, slots=True)
class ScopeWords:
    """What BM25 needs of a scope: how many memories it has, their mean weighted length, and the idf of lexemes."""

    memories: int
    average: float
    idf: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that holds words of the query: BM25, and the lexemes it holds with what each adds."""

    id: int
    layer: int
    bm: float
    terms: Mapping[str, float]


def matches(
    scope: int, terms: Mapping[str, float], memories: int, *, as_of: datetime | None, before: datetime | None
) -> list[Match]:
    """The best 100 live memories of layers 1 to 3 for weighted lexemes, best first.

    `as_of`: of what was formed by then; `before`: of what was spoken before it.
    """
    if not terms:
        return []
    narrowed = as_of is not None or before is not None
    rows = run_sql(
        _MATCHES.format(narrowed=_NARROWED if narrowed else ""),
        {
            "scope": scope,
            "terms": list(terms),
            "lexemes": [prefixed(scope, term) for term in terms],
            "weights": list(terms.values()),
            "budget": _BUDGET_OF_MANY if memories > _MANY else _BUDGET,
            "most": MOST_MATCHES,
            "as_of": as_of,
            "before": before,
        },
    )
    return [Match(node, layer, score, json.loads(held)) for node, layer, score, held in rows]


_NARROWED = (
    " and exists (select 1 from node n where n.id = i.node"
    "  and (%(as_of)s::timestamptz is null or n.formed_at <= %(as_of)s::timestamptz)"
    "  and (%(before)s::timestamptz is null or n.said_at is null or n.said_at < %(before)s::timestamptz))"
)
_QUERY = (
    "with st as (select rows n, length::float8 / greatest(rows, 1) av from scope_stat where scope = %(scope)s),"
    " q as materialized (select t.term, t.lex, t.weight, least(coalesce(d.df, 0), st.n) df, st.n, st.av"
    "  from st, unnest(%(terms)s::text[], %(lexemes)s::text[], %(weights)s::float8[]) t(term, lex, weight)"
    "  left join term_df d on d.scope = %(scope)s and d.term = t.term),"
    " o as (select lex, weight, df, sum(df) over w cum, row_number() over w rn from q window w as (order by df, lex)),"
    " one as (select lex from o where rn = 1 and df <= 4 * %(budget)s or cum <= %(budget)s),"
    " two as (select row_number() over (order by rn) rn, lex from o"
    "  where weight >= 0.5 and lex not in (select lex from one)),"
    " pick as materialized (select string_agg(x, ' | ')::tsquery tq from (select quote_literal(lex) x from one"
    "  union all select quote_literal(a.lex) || ' & ' || quote_literal(b.lex) from two a join two b on a.rn < b.rn"
    f"  and b.rn <= {_PAIRED}) z),"
    " cand as materialized (select i.node id, i.layer, i.length, i.search s from node_index i"
    "  where i.layer in (1, 2, 3) and i.search @@"
    "  (select coalesce(tq, (select string_agg(quote_literal(lex), '|')::tsquery from q)) from pick){narrowed})"
)
# tf, the weighted frequency of a lexeme, is its position; the rest is memory.recall.rules.bm25.
_MATCHES = (
    _QUERY + ", hit as (select c.id, c.layer, q.term,"
    " q.weight * ln(1 + (q.n - q.df + 0.5) / (q.df + 0.5)) * tf"
    f" * {K1 + 1} / (tf + {K1} * ({1 - B} + {B} * c.length / greatest(q.av, 1))) part"
    " from cand c, unnest(c.s) u join q on q.lex = u.lexeme, lateral (select u.positions[1] / 10.0::float8 tf) x)"
    " select id, layer, sum(part) score, jsonb_object_agg(term, part)::text from hit"
    " group by id, layer order by 3 desc, id limit %(most)s"
)


def words_of_scope(stat: ScopeStat, lexemes: Sequence[str]) -> ScopeWords:
    """What BM25 needs of a scope, for these lexemes; one that no memory has counts as held by none."""
    rows = run_sql(
        "select t.term, coalesce(d.df, 0) from unnest(%(lexemes)s::text[]) t(term)"
        " left join term_df d on d.scope = %(scope)s and d.term = t.term",
        {"lexemes": list(lexemes), "scope": stat.scope},
    )
    found = {term: idf(stat.rows, min(df, stat.rows)) for term, df in rows}
    return ScopeWords(stat.rows, stat.length / 10 / max(stat.rows, 1), found)
