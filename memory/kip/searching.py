"""SEARCH: concepts by the words and vectors that are indexed of them, links by their predicate and attributes."""

from collections.abc import Sequence
from typing import Any

from memory.embedding import EmbedderUnavailable
from memory.kip.answering import elements
from memory.kip.graph import Graph
from memory.kip.language.tree import Json, Search
from memory.kip.querying.compiling import Compiling, require_storable
from memory.kip.search_links import found_links
from memory.layers.elements import run_sql
from memory.layers.indexing import embedder_of_stat
from memory.layers.models import ScopeStat
from memory.layers.rules.tsvector import prefixed, quoted
from memory.layers.vectors import halfvec_text
from memory.recall.literals import floats, texts
from memory.recall.rules.bm25 import K1, B
from memory.recall.rules.picking import picked
from memory.recall.rules.stopwords import terms
from memory.recall.words import ScopeWords, words_of_scope

DEFAULT = 10
MOST = 1_000
# Memories that are weighed, and below which every one that holds a word of the term is.
_WEIGHED = 5_000
_RARE, _TOGETHER = 500, 1_000
_MOST_TERMS = 40
# Below this cosine two texts have nothing to do with each other.
_LEAST_COSINE = 0.3
# What words alone would find is not watered down by what is only somewhat near.
_LEAST_BESIDE_WORDS = 0.5
_SEMANTIC_SHARE = 0.5
# Up to so many vectors are compared although nobody asked for it.
_QUICKLY_COMPARED = 20_000
Scores = dict[int, float]


def search(graph: Graph, statement: Search) -> Json:
    """The best elements for a term, whole, with `metadata._score` from 0 to 1, descending."""
    require_storable(statement.term)
    if statement.what == "PROPOSITION":
        scores = found_links(Compiling(graph), statement.term, statement.type)
    else:
        scores = _concepts(Compiling(graph), statement)
    least = statement.threshold or 0.0
    kept = [(number, score) for number, score in scores.items() if score >= least]
    best = sorted(kept, key=lambda pair: (-pair[1], pair[0]))[: min(statement.limit or DEFAULT, MOST)]
    known = elements(graph, [number for number, _ in best])
    found = []
    for number, score in best:
        if number in known:
            known[number]["metadata"]["_score"] = round(score, 6)
            found.append(known[number])
    return found


def _concepts(compiling: Compiling, statement: Search) -> Scores:
    stat = ScopeStat.objects.filter(scope=compiling.graph.scope).first() or ScopeStat(scope=compiling.graph.scope)
    mode = statement.mode or ("hybrid" if _is_small(stat.scope) else "keyword")
    words = _by_words(compiling, stat, statement) if mode != "semantic" else {}
    try:
        meaning = _by_meaning(compiling, stat, statement) if mode != "keyword" else {}
    except EmbedderUnavailable:
        meaning = {}
    if mode == "semantic":
        # Of names and rare words an embedder may know nothing.
        return meaning or _by_words(compiling, stat, statement)
    scores = {number: _SEMANTIC_SHARE * score for number, score in meaning.items() if score >= _LEAST_BESIDE_WORDS}
    for number, score in words.items():
        scores[number] = min(1.0, score + (1 - score) * scores.get(number, 0.0))
    return scores


def _is_small(scope: int) -> bool:
    """Whether every vector of the scope is compared in little time."""
    rows = run_sql(
        "select count(*) from (select 1 from node where scope = %(scope)s limit %(most)s) q",
        {"scope": scope, "most": _QUICKLY_COMPARED + 1},
    )
    return bool(rows[0][0] <= _QUICKLY_COMPARED)


def _by_words(compiling: Compiling, stat: ScopeStat, statement: Search) -> Scores:
    """BM25, divided by what a text could have at most; a name or alias that is the term has 1."""
    lexemes = dict.fromkeys(terms(statement.term)[:_MOST_TERMS], 1.0)
    scores = _named(compiling, statement)
    if not lexemes:
        return scores
    words = words_of_scope(stat, list(lexemes))
    best = sum(words.idf.values()) * (K1 + 1) or 1.0
    rows = run_sql(
        f"{compiling.beginning}{_WORDS.format(node=_conditions(compiling, statement))}",
        compiling.values
        | {
            "lexemes": texts(prefixed(stat.scope, term) for term in lexemes),
            "factors": floats(words.idf[term] for term in lexemes),
            "query": _query(stat, lexemes, words),
            "average": max(words.average, 0.1) * 10,
            "weighed": _WEIGHED,
            "most": MOST,
        },
    )
    for number, score in rows:
        scores.setdefault(number, min(0.999, score / best))
    return scores


def _query(stat: ScopeStat, lexemes: dict[str, float], words: ScopeWords) -> str:
    if sum(words.holding.values()) <= _WEIGHED:
        groups: Sequence[Sequence[str]] = [(term,) for term in lexemes]
    else:
        groups = picked(lexemes, words.holding, words.memories, rare=_RARE, together=_TOGETHER)
    return " | ".join("(" + " & ".join(quoted(prefixed(stat.scope, term)) for term in group) + ")" for group in groups)


def _named(compiling: Compiling, statement: Search) -> Scores:
    """Live concepts that the term is a name or an alias of, in its own or another usual case."""
    term = statement.term.strip()
    names = list(dict.fromkeys([term, term.lower(), term.upper(), term.capitalize(), term.title()]))
    aliases = " or ".join(f"attributes @> {compiling.json({'aliases': [name]})}" for name in names)
    conditions = _conditions(compiling, statement)
    rows = run_sql(
        f"{compiling.beginning}select n.id from node n where {conditions}"
        f" and n.id in (select id from node where {aliases} union all"
        f" select id from node where scope = %(g_scope)s and name = any({compiling.value(names)}::text[]))"
        " and exists (select 1 from node_index i where i.node = n.id) limit 100",
        compiling.values,
    )
    return {row[0]: 1.0 for row in rows}


def _by_meaning(compiling: Compiling, stat: ScopeStat, statement: Search) -> Scores:
    vector = embedder_of_stat(stat).embed([statement.term])[0]
    if not vector.any():
        return {}
    values: dict[str, Any] = {"vector": halfvec_text(vector), "most": MOST, "least": _LEAST_COSINE}
    # Of one type those are compared that are of it; of all, first the nearest are found.
    among = "join node n on n.id = i.node" if statement.type is not None else ""
    narrowed = f" and {_conditions(compiling, statement)}" if statement.type is not None else ""
    rows = run_sql(
        f"{compiling.table_expressions('near')} as materialized (select i.node id,"
        " -(i.embedding <#> %(vector)s::halfvec) cosine from node_index i"
        f" {among} where i.scope = %(g_scope)s and i.embedding is not null{narrowed}"
        " order by i.embedding <#> %(vector)s::halfvec limit %(most)s)"
        f" select near.id, cosine from near join node n on n.id = near.id and {_conditions(compiling, statement)}"
        " where cosine >= %(least)s order by cosine desc, near.id",
        compiling.values | values,
    )
    return {number: min(1.0, cosine) for number, cosine in rows}


def _conditions(compiling: Compiling, statement: Search) -> str:
    conditions = compiling.node_conditions("n")
    if statement.type is not None:
        require_storable(statement.type)
        conditions.append(f"n.type = {compiling.value(statement.type)}")
    return " and ".join(conditions)


# As memory.recall.words, over all layers and with the parts of a statement of the graph.
_WORDS = (
    "select id, sum(part) from (select f.id,"
    f" q.factor * u.positions[1]::float8 * {K1 + 1} / (u.positions[1]::float8 + 10 * f.long) part"
    f" from (select i.node id, {K1} * ({1 - B} + {B} * i.length::float8 / %(average)s) long,"
    "  ts_filter(setweight(i.search, 'A', %(lexemes)s::text[]), '{{a}}') held from node_index i"
    "  where i.search @@ %(query)s::tsquery and exists (select 1 from node n where n.id = i.node and {node})"
    "  limit %(weighed)s) f, unnest(f.held) u"
    " join unnest(%(lexemes)s::text[], %(factors)s::float8[]) q(lexeme, factor) on q.lexeme = u.lexeme) hit"
    " group by id order by 2 desc, id limit %(most)s"
)
