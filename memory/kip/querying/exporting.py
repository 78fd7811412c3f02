"""EXPORT: elements as a text that imports them into another graph."""

from collections.abc import Sequence
from dataclasses import replace

from memory.kip.answering import ConceptRow, LinkRow, concept_rows, link_rows
from memory.kip.graph import Graph
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Export, Json
from memory.kip.querying.capsule import Capsule
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.cursors import cursor_of
from memory.kip.querying.groups import Column, Group
from memory.kip.querying.kinds import Kind
from memory.kip.querying.ordering import Key
from memory.kip.querying.pages import page_of
from memory.kip.querying.solutions import where_group

# A text of more than 256 KiB could not be imported.
_MOST_CHARACTERS = 150_000
_AROUND = 200  # what a block has beside its JSON


def export(graph: Graph, statement: Export) -> tuple[Json, str | None]:
    """`{capsule, concepts, propositions}` and the cursor of the next page: concepts first, then links.

    What stands for a PHI fact is not exported, nor a link to it, whoever asks.
    """
    graph = replace(graph, released=frozenset())
    ids, cursor = _page(graph, statement)
    concepts, links = concept_rows(graph, ids), link_rows(graph, ids)
    kept = _fitting([*concepts, *links])
    if kept < len(concepts) + len(links):
        concepts, links = concepts[:kept], links[: max(0, kept - len(concepts))]
        last = links[-1].id if links else concepts[-1].id
        cursor = cursor_of(statement, graph.scope, [int(bool(links)), last])
    text = Capsule(graph, concepts, links).text
    return {"capsule": text, "concepts": len(concepts), "propositions": len(links)}, cursor


def _page(graph: Graph, statement: Export) -> tuple[list[int], str | None]:
    compiling = Compiling(graph)
    group = where_group(compiling, statement.where)
    column = group.column(statement.target)
    if column.kind is Kind.PREDICATE:
        name = statement.target.name
        raise KipError("KIP_3001", f"?{name} stands for a predicate, not for an element.", at=statement.target.at)
    rows = Group(compiling, {statement.target.name: Column("r.id", column.kind)})
    rows.tables = [f"cross join ({group.select(f'distinct {column.sql} id')}) r"]
    rows.require("r.id is not null")
    is_link = "(case when exists (select 1 from node z where z.id = r.id) then 0 else 1 end)"
    keys = [Key(is_link, "int"), Key("r.id", "bigint")]
    every = rows.select(f"r.id, {is_link} k0, r.id k1")
    found, cursor = page_of(
        compiling, every, keys, statement, limit=statement.limit, cursor=statement.cursor, shown="page.id"
    )
    return [row[0] for row in found], cursor


def _fitting(rows: Sequence[ConceptRow | LinkRow]) -> int:
    """How many of these, one at least, make a text that may be imported."""
    size = 0
    for place, row in enumerate(rows):
        size += len(row.attributes) + len(row.metadata) + _AROUND
        if place and size > _MOST_CHARACTERS:
            return place
    return len(rows)
