"""Keeping `node_index` true to the nodes: adding, taking out, counting words."""

import calendar
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from memory.embedding import Embedder, EmbedderUnavailable, default_embedder, embedder_named
from memory.layers.elements import run_sql
from memory.layers.index_rows import (
    Indexed,
    add_to_index,
    count_rows,
    embed_fragments,
    embed_texts,
    words_of_fragments,
)
from memory.layers.models import Node, ScopeStat
from memory.layers.rules.aliases import aliases_of
from memory.layers.rules.searched import searched_texts
from memory.layers.rules.strength import FRAGMENT
from memory.layers.settings import layer_settings
from memory.recall.rules.indexing import IndexInput, index_whole

# Terms are counted again when the index has grown by a tenth; a small one each time.
_GROWTH = 1.1
_SMALL = 1_000
_SAMPLED = 200_000
MOVED = "The scope was moved to another embedder in the meantime."


def index_nodes(scope: int, nodes: Sequence[int]) -> None:
    """Index these nodes again from what they and their lines hold, inside the caller's transaction.

    Nodes that are archived, superseded or hold no words of their own are left out. Calls the scope's embedder.
    """
    # A move to another embedder switches a scope under this lock: vectors of two embedders never stand together.
    ScopeStat.objects.select_for_update().filter(scope=scope).first()
    unindex_nodes(scope, nodes)
    found = list(
        Node.objects.filter(
            pk__in=nodes, scope=scope, strength__archived_at=None, superseded_by=None, merged_into=None, phi_ref=None
        ).order_by("pk")
    )
    embedder = embedder_of(scope)
    fragments = [node for node in found if node.layer == FRAGMENT]
    wholes = [node for node in found if node.layer != FRAGMENT]
    inputs = inputs_of(fragments)
    rows = (
        [
            Indexed(node.pk, node.layer, words, vector)
            for node, words, vector in zip(
                fragments, words_of_fragments(inputs), embed_fragments(inputs, embedder).composed, strict=True
            )
        ]
        if fragments
        else []
    )
    texts = [texts_of(node) for node in wholes]
    vectors = embed_texts([" ".join(parts) for parts in texts], embedder)
    rows += [
        Indexed(node.pk, node.layer, index_whole(*parts), vector)
        for node, parts, vector in zip(wholes, texts, vectors, strict=True)
    ]
    add_to_index(scope, rows)


def unindex_nodes(scope: int, nodes: Sequence[int], *, forgotten: bool = False) -> None:
    """Take nodes out of the index, inside the caller's transaction; vectors on their way into it go too.

    `forgotten`: their words leave the counted terms too, so that nothing tells that they were there.
    """
    if forgotten:
        _forget_words(scope, nodes)
    run_sql("delete from staged_vector where node = any(%(nodes)s)", {"nodes": list(nodes)})
    rows = run_sql(
        "with gone as (delete from node_index where scope = %(scope)s and node = any(%(nodes)s)"
        " returning layer, length) select count(*), coalesce(sum(length), 0) from gone where layer > 0",
        {"scope": scope, "nodes": list(nodes)},
    )
    if rows[0][0]:
        count_rows(scope, -rows[0][0], -int(rows[0][1]))


def count_terms(scope: int, *, anew: bool = False) -> None:
    """Count in how many rows each lexeme occurs, and who speaks, where the index has grown or shrunk enough since.

    `anew`: whether it has or not. Of a very large scope every tenth row is counted.
    """
    stat = ScopeStat.objects.select_for_update().filter(scope=scope).first()
    if stat is None or not (anew or _outgrown(stat)):
        return
    every = 10 if stat.rows > _SAMPLED else 1
    sampled = " and node % 10 = 0" if every > 1 else ""
    rows = f"select search from node_index where scope = {int(scope)} and layer > 0{sampled}"
    run_sql(
        "with counted as (select substr(t.word, strpos(t.word, ':') + 1) term,"
        "  least(t.ndoc * %(every)s, 2147483647)::int df from ts_stat(%(rows)s) t),"
        " gone as (delete from term_df t where t.scope = %(scope)s"
        "  and not exists (select 1 from counted c where c.term = t.term))"
        " insert into term_df (scope, term, df) select %(scope)s, term, df from counted"
        " on conflict (scope, term) do update set df = excluded.df where term_df.df <> excluded.df",
        {"scope": scope, "rows": rows, "every": every},
    )
    speakers = run_sql(
        "select coalesce(jsonb_agg(distinct attributes->>'speaker'), '[]')::text from node"
        " where scope = %(scope)s and layer = 1 and attributes ? 'speaker' and id %% %(every)s = 0",
        {"scope": scope, "every": every},
    )
    ScopeStat.objects.filter(scope=scope).update(counted=stat.rows, speakers=json.loads(speakers[0][0]))


def _outgrown(stat: ScopeStat) -> bool:
    within = stat.counted <= stat.rows * _GROWTH and stat.rows < stat.counted * _GROWTH
    return stat.rows <= _SMALL or not within


def embedder_of(scope: int) -> Embedder:
    """The embedder of the vectors that a scope holds; for a scope that holds none the Space's, else the instance's."""
    return embedder_of_stat(ScopeStat.objects.filter(scope=scope).first() or ScopeStat(scope=scope))


def embedder_of_stat(stat: ScopeStat) -> Embedder:
    """The same, of a row that was read already."""
    name = stat.embedder or layer_settings().embedder
    return embedder_named(name) if name else default_embedder()


def note_embedder(scope: int, embedder: Embedder) -> None:
    """Write down whose vectors a scope holds, once."""
    run_sql(
        "insert into scope_stat (scope, embedder, dimensions)"
        " values (%(scope)s, %(name)s, %(dimensions)s) on conflict (scope) do update"
        " set embedder = excluded.embedder, dimensions = excluded.dimensions where scope_stat.embedder = ''",
        {"scope": scope, "name": embedder.name, "dimensions": embedder.dimensions},
    )


def require_embedder(scope: int, embedder: Embedder) -> None:
    """Lock the scope's index, inside the caller's transaction, and see that its vectors are still this embedder's.

    Raises EmbedderUnavailable when the scope was moved to another one since; the next try uses that.
    """
    stat = ScopeStat.objects.select_for_update().filter(scope=scope).first()
    if stat is not None and embedder_of_stat(stat).name != embedder.name:
        raise EmbedderUnavailable(MOVED)


def inputs_of(fragments: Iterable[Node]) -> list[IndexInput]:
    """What is indexed of these fragments, with the masked lines before and after each."""
    nodes = list(fragments)
    beside = _lines_beside([node.pk for node in nodes])
    return [
        IndexInput(
            speaker=str(node.attributes.get("speaker", "")),
            text=node.text,
            previous=beside[node.pk].get("previous"),
            following=beside[node.pk].get("following"),
            month_words=month_words(node.said_at),
        )
        for node in nodes
    ]


def texts_of(node: Node) -> tuple[str, ...]:
    """The texts of an event, a concept or what KIP stores that are searched; an experience has its steps' as well."""
    name = str(node.attributes.get("title", node.name))
    more = searched_texts(node.type, node.attributes, node.text)
    if node.type == "Experience":
        more += _steps_of(node)
    return (name, *aliases_of(node.attributes), node.text, *more)


def _steps_of(node: Node) -> list[str]:
    """The summaries of an experience's steps, in their order."""
    rows = run_sql(
        "select s.attributes->>'summary' from link k join node s on s.id = k.object and s.phi_ref is null"
        " where k.subject = %(node)s and k.predicate = 'has_step' and s.attributes->>'summary' is not null"
        " order by s.attributes->'index', s.id limit 1000",
        {"node": node.pk},
    )
    return [summary for (summary,) in rows]


def month_words(said_at: datetime | None) -> str:
    """The month in which something was said, as words: "may 2023"."""
    return f"{calendar.month_name[said_at.month].lower()} {said_at.year}" if said_at else ""


def _lines_beside(nodes: Sequence[int]) -> dict[int, dict[str, str]]:
    """For each fragment the texts of the lines before and after its own, but for those that were forgotten.

    Later parts of a divided line have none.
    """
    rows = run_sql(
        "select s.node, case when l.index < s.first then 'previous' else 'following' end, l.text"
        " from (select distinct on (node) node, session, first, last from node_source where node = any(%(nodes)s)"
        "  order by node, position, id) s join node n on n.id = s.node and coalesce(n.attributes->>'part', '0') = '0'"
        " join session_line l on l.session = s.session and l.index in (s.first - 1, s.last + 1)"
        " and not exists (select 1 from tombstone t where t.session = l.session and t.layer = 1 and t.lifted_at is null"
        "  and l.index between t.first and t.last)",
        {"nodes": list(nodes)},
    )
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    for node, place, text in rows:
        found[node][place] = text
    return found


def _forget_words(scope: int, nodes: Sequence[int]) -> None:
    run_sql(
        "with gone as (select substr(u.lexeme, strpos(u.lexeme, ':') + 1) term, count(*) n from node_index i,"
        "  unnest(i.search) u where i.scope = %(scope)s and i.layer > 0 and i.node = any(%(nodes)s) group by 1),"
        " fewer as (update term_df t set df = t.df - g.n from gone g where t.scope = %(scope)s and t.term = g.term"
        "  and t.df > g.n)"
        " delete from term_df t using gone g where t.scope = %(scope)s and t.term = g.term and t.df <= g.n",
        {"scope": scope, "nodes": list(nodes)},
    )
