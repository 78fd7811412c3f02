"""What a text makes searchable again: concepts with other words, and experiences with other steps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memory.embedding import EmbedderUnavailable
from memory.kip.elements import Concept, Link
from memory.kip.rules.kinds import text_of
from memory.layers.elements import run_sql
from memory.layers.index_rows import Indexed, add_to_index, embed_texts
from memory.layers.indexing import embedder_of_stat, index_nodes, note_embedder, texts_of, unindex_nodes
from memory.layers.models import Node, ScopeStat
from memory.layers.rules.aliases import aliases_of
from memory.layers.rules.searched import searched_texts
from memory.layers.rules.strength import FRAGMENT
from memory.layers.vectors import Vectors
from memory.recall.rules.indexing import index_whole

_STEP, _HAS_STEP = "ExperienceStep", "has_step"


def stale_concepts(scope: int, concepts: Sequence[Concept], links: Sequence[Link]) -> list[int]:
    """The nodes that are to be indexed again; asked before anything is written."""
    changed = {concept.id for concept in concepts if not concept.is_gone and _has_other_words(concept)}
    steps = [concept.id for concept in concepts if concept.type == _STEP and not concept.is_new]
    changed |= {link.subject for link in links if link.predicate == _HAS_STEP}
    if steps:
        rows = run_sql(
            "select subject from link where object = any(%(steps)s) and predicate = %(has_step)s and scope = %(scope)s",
            {"steps": steps, "has_step": _HAS_STEP, "scope": scope},
        )
        changed |= {subject for (subject,) in rows}
    return sorted(changed - {concept.id for concept in concepts if concept.is_gone})


def index(scope: int, nodes: Sequence[int], concepts: Mapping[int, Concept]) -> None:
    """Index nodes again, inside the caller's transaction; by their words alone while the embedder is out of reach.

    `concepts` holds what the text has of them: what is new in it need not be read again.
    """
    if not nodes:
        return
    # A move to another embedder switches a scope under this lock.
    stat = ScopeStat.objects.select_for_update().filter(scope=scope).first() or ScopeStat(scope=scope)
    embedder = embedder_of_stat(stat)
    new = [_as_node(scope, concepts[node]) for node in nodes if node in concepts and concepts[node].is_new]
    direct = [node for node in new if node.layer != FRAGMENT]
    others = sorted(set(nodes) - {node.pk for node in direct})
    try:
        if not stat.embedder:
            note_embedder(scope, embedder)
        add_to_index(scope, _rows(direct, embed_texts([" ".join(texts_of(node)) for node in direct], embedder)))
    except EmbedderUnavailable:
        _index_words(scope, direct)
    if not others:
        return
    try:
        index_nodes(scope, others)
    except EmbedderUnavailable:
        unindex_nodes(scope, others)
        _index_words(scope, _live(scope, others))


def _as_node(scope: int, concept: Concept) -> Node:
    return Node(
        pk=concept.id,
        scope=scope,
        layer=concept.layer,
        type=concept.type,
        name=concept.name,
        text=concept.text,
        attributes=concept.attributes,
    )


def _live(scope: int, nodes: Sequence[int]) -> list[Node]:
    live = Node.objects.filter(
        pk__in=nodes, scope=scope, strength__archived_at=None, superseded_by=None, merged_into=None, phi_ref=None
    )
    return list(live.exclude(layer=FRAGMENT).order_by("pk"))


def _index_words(scope: int, nodes: Sequence[Node]) -> None:
    add_to_index(scope, _rows(nodes, np.zeros((len(nodes), 1), np.float32)))


def _rows(nodes: Sequence[Node], vectors: Vectors) -> list[Indexed]:
    return [
        Indexed(node.pk, node.layer, index_whole(*texts_of(node)), vector)
        for node, vector in zip(nodes, vectors, strict=True)
    ]


def _has_other_words(concept: Concept) -> bool:
    return concept.found is None or _words(concept, concept.found.attributes) != _words(concept, concept.attributes)


def _words(concept: Concept, attributes: dict[str, Any]) -> tuple[Any, ...]:
    """What is searched of a concept with these attributes, but for the steps of an experience."""
    searched = searched_texts(concept.type, attributes, "")
    return attributes.get("title"), aliases_of(attributes), text_of(concept.type, attributes), searched
