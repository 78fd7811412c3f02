"""Nodes and links as KIP answers show them."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from memory.kip.graph import HIDDEN, Graph, concept_id, graph_values, link_id, visible_sql
from memory.kip.instants import instant_sql
from memory.kip.language.tree import Json
from memory.layers.elements import run_sql
from memory.layers.rules.strength import FRAGMENT, effective_sql
from memory.recall.literals import bigints


class ConceptRow(NamedTuple):
    """A node as it is read: JSON as text, the strength it has now."""

    id: int
    type: str
    name: str
    attributes: str
    metadata: str
    version: int
    updated_at: str
    strength: float | None
    archived_at: datetime | None
    words: str | None


class LinkRow(NamedTuple):
    """A link as it is read; `subject_is_link` and `object_is_link` tell what its ends are."""

    id: int
    subject: int
    subject_is_link: bool
    predicate: str
    object: int
    object_is_link: bool
    attributes: str
    metadata: str
    version: int
    updated_at: str | None


def words_sql(node: str) -> str:
    """Whether the words of a node are in no attribute: a fragment's, which answers show as its attribute `text`."""
    return f"({node}.layer = {FRAGMENT} and {node}.text <> '')"


def concept_json(row: ConceptRow) -> dict[str, Json]:
    """`{id, type, name, attributes, metadata}` of a node, and what the engine alone writes."""
    metadata = json.loads(row.metadata) | {"_version": row.version, "_updated_at": row.updated_at}
    if row.strength is not None:
        metadata["_strength"] = row.strength
    if row.archived_at is not None:
        metadata["status"] = "archived"
    attributes = json.loads(row.attributes)
    if row.words is not None:
        attributes.setdefault("text", row.words)
    return {
        "_type": "ConceptNode",
        "id": concept_id(row.id),
        "type": row.type,
        "name": row.name,
        "attributes": attributes,
        "metadata": metadata,
    }


def link_json(row: LinkRow) -> dict[str, Json]:
    """`{id, subject, predicate, object, attributes, metadata}` of a link."""
    metadata = json.loads(row.metadata) | {"_version": row.version}
    if row.updated_at is not None:
        metadata["_updated_at"] = row.updated_at
    return {
        "_type": "PropositionLink",
        "id": link_id(row.id),
        "subject": (link_id if row.subject_is_link else concept_id)(row.subject),
        "predicate": row.predicate,
        "object": (link_id if row.object_is_link else concept_id)(row.object),
        "attributes": json.loads(row.attributes),
        "metadata": metadata,
    }


def elements(graph: Graph, ids: Iterable[int]) -> dict[int, dict[str, Json]]:
    """These elements as answers show them, by number; what is not there for the caller is left out."""
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    found = {row.id: concept_json(row) for row in concept_rows(graph, wanted)}
    rest = [number for number in wanted if number not in found]
    return found | {row.id: link_json(row) for row in link_rows(graph, rest)}


def concept_rows(graph: Graph, ids: Iterable[int]) -> list[ConceptRow]:
    """The rows of these nodes."""
    rows = run_sql(
        "select n.id, n.type, n.name, n.attributes::text, n.metadata::text, n.version,"
        f" {instant_sql('coalesce(n.updated_at, n.formed_at)')}, {effective_sql('s', '%(g_at)s::timestamptz')},"
        f" s.archived_at, case when {words_sql('n')} then n.text end"
        " from node n left join node_strength s on s.node = n.id"
        f" where n.id = any(%(ids)s::bigint[]) and n.scope = %(g_scope)s and {visible_sql('n')} order by n.id",
        _values(graph, ids),
    )
    return [ConceptRow(*row) for row in rows]


def link_rows(graph: Graph, ids: Iterable[int]) -> list[LinkRow]:
    """The rows of these links."""
    wanted = list(ids)
    if not wanted:
        return []
    hidden = f"with recursive {HIDDEN} " if graph.withholds else ""
    there = " and not exists (select 1 from hidden where hidden.id = l.id)" if graph.withholds else ""
    rows = run_sql(
        f"{hidden}select l.id, l.subject, not exists (select 1 from node z where z.id = l.subject), l.predicate,"
        " l.object, not exists (select 1 from node z where z.id = l.object), l.attributes::text, l.metadata::text,"
        f" l.version, {instant_sql('l.updated_at')} from link l"
        f" where l.id = any(%(ids)s::bigint[]) and l.scope = %(g_scope)s{there} order by l.id",
        _values(graph, wanted),
    )
    return [LinkRow(*row) for row in rows]


def _values(graph: Graph, ids: Iterable[int]) -> Mapping[str, Any]:
    return graph_values(graph) | {"ids": bigints(ids)}
