"""Step 4 of recall: keyword matches by BM25, in SQL, over the lexemes that `node_index` holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.layers.elements import run_sql
from memory.layers.models import ScopeStat
from memory.layers.rules.tsvector import prefixed, quoted
from memory.recall.literals import floats, texts
from memory.recall.rules.bm25 import K1, B, idf
from memory.recall.rules.picking import picked
from memory.recall.standing import spoken_before_sql

MOST_MATCHES = 100
# How many memories are weighed for rare lexemes, and for common ones that stand together; twice that in a large scope.
_RARE, _TOGETHER = 200, 500
_MANY = 100_000
# Where nothing but words was asked that nearly every memory holds.
_MOST_WEIGHED = 5_000


@dataclass(frozen=True, slots=True)
class ScopeWords:
    """What BM25 needs of a scope: how many memories it has, their mean weighted length, and the idf of lexemes.

    `holding` says how many of the memories hold each lexeme.
    """

    memories: int
    average: float
    idf: Mapping[str, float]
    holding: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that holds words of the query: BM25, and the lexemes it holds with what each adds, if that was asked."""

    id: int
    layer: int
    bm: float
    terms: Mapping[str, float]


def matches(
    scope: int,
    terms: Mapping[str, float],
    words: ScopeWords,
    *,
    as_of: datetime | None,
    before: datetime | None,
    explained: bool = False,
) -> list[Match]:
    """The best 100 live memories of layers 1 to 3 for weighted lexemes, best first.

    `words` must know the lexemes. `as_of`: of what was formed by then; `before`: of what was spoken before it.
    """
    if not terms or not words.memories:
        return []
    size = 2 if words.memories > _MANY else 1
    groups = picked(terms, words.holding, words.memories, rare=_RARE * size, together=_TOGETHER * size)
    rows = run_sql(
        _MATCHES.format(
            terms=_TERMS if explained else "",
            formed=_FORMED if as_of is not None else "",
            spoken=_SPOKEN if before is not None else "",
        ),
        {
            "scope": scope,
            "lexemes": texts(prefixed(scope, term) for term in terms),
            "factors": floats(weight * words.idf.get(term, 0.0) for term, weight in terms.items()),
            "query": " | ".join(_conjunction(scope, group) for group in groups),
            "average": words.average * 10,
            "weighed": _MOST_WEIGHED,
            "most": MOST_MATCHES,
            "as_of": as_of,
            "before": before,
        },
    )
    start = len(prefixed(scope, ""))
    return [
        Match(
            node, layer, score, {lexeme[start:]: adds for lexeme, adds in json.loads(held[0]).items()} if held else {}
        )
        for node, layer, score, *held in rows
    ]


def words_of_scope(stat: ScopeStat, lexemes: Sequence[str]) -> ScopeWords:
    """What BM25 needs of a scope, for these lexemes; one that no memory has counts as held by none."""
    rows = run_sql(
        "select t.term, least(coalesce(d.df, 0), %(rows)s) from unnest(%(lexemes)s::text[]) t(term)"
        " left join term_df d on d.scope = %(scope)s and d.term = t.term",
        {"lexemes": texts(lexemes), "scope": stat.scope, "rows": stat.rows},
    )
    idfs = {term: idf(stat.rows, holding) for term, holding in rows}
    return ScopeWords(stat.rows, stat.length / 10 / max(stat.rows, 1), idfs, dict(rows))


def _parts(scope: int, held: str = "{}") -> dict[str, float]:
    start = len(prefixed(scope, ""))
    return {lexeme[start:]: adds for lexeme, adds in json.loads(held).items()}


def _conjunction(scope: int, lexemes: Sequence[str]) -> str:
    return "(" + " & ".join(quoted(prefixed(scope, lexeme)) for lexeme in lexemes) + ")"


_FORMED = " and exists (select 1 from node n where n.id = i.node and n.formed_at <= %(as_of)s::timestamptz)"
_SPOKEN = f" and exists (select 1 from node n where n.id = i.node and {spoken_before_sql('n')})"
_TERMS = ", jsonb_object_agg(lexeme, part)::text"
# A lexeme's tf is its position, ten times its weighted frequency. Of a memory's lexemes only those of the question are
# looked at: they are marked, and what is not marked is left out. The rest is memory.recall.rules.bm25.
_MATCHES = (
    "with q as materialized (select * from unnest(%(lexemes)s::text[], %(factors)s::float8[]) q(lexeme, factor)),"
    f" found as materialized (select i.node id, i.layer, {K1} * ({1 - B} + {B} * i.length::float8 / %(average)s) long,"
    "  ts_filter(setweight(i.search, 'A', %(lexemes)s::text[]), '{{a}}') held from node_index i"
    "  where i.layer in (1, 2, 3) and i.search @@ %(query)s::tsquery{formed}{spoken} limit %(weighed)s),"
    " hit as (select f.id, f.layer, q.lexeme,"
    f" q.factor * u.positions[1]::float8 * {K1 + 1} / (u.positions[1]::float8 + 10 * f.long) part"
    "  from found f, unnest(f.held) u join q on q.lexeme = u.lexeme)"
    " select id, layer, sum(part) score{terms} from hit group by id, layer order by 3 desc, id limit %(most)s"
)
