"""Writing what a text changed: removals first, then what changed, then what is new, each in a few statements."""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.kip.changing.adding import add_concepts, add_links, instant_of, json_text
from memory.kip.changing.indexing import index, stale_concepts
from memory.kip.changing.workspace import Workspace
from memory.kip.elements import Concept, Element, Link
from memory.kip.history import keep
from memory.kip.rules.instance_schema import violations
from memory.kip.rules.kinds import score_of, tau_of, text_of
from memory.kip.rules.values import same
from memory.kip.schema.enforcing import Enforcement, enforcement, keep_violations, refuse
from memory.layers.elements import run_sql
from memory.layers.indexing import unindex_nodes

_CHANGE_NODES = (
    "update node n set attributes = q.attributes::jsonb, metadata = q.metadata::jsonb, version = q.version,"
    " text = q.text, updated_at = %(at)s,"
    " expires_at = case when q.renewed then q.expires else n.expires_at end"
    " from unnest(%(ids)s::bigint[], %(attributes)s::text[], %(metadata)s::text[], %(versions)s::int[],"
    " %(texts)s::text[], %(renewed)s::boolean[], %(expires)s::timestamptz[])"
    " q(id, attributes, metadata, version, text, renewed, expires) where n.id = q.id"
)
_CHANGE_LINKS = (
    "update link k set attributes = q.attributes::jsonb, metadata = q.metadata::jsonb, version = q.version,"
    " subject = q.subject, object = q.object, updated_at = %(at)s,"
    " expires_at = case when q.renewed then q.expires else k.expires_at end"
    " from unnest(%(ids)s::bigint[], %(attributes)s::text[], %(metadata)s::text[], %(versions)s::int[],"
    " %(subjects)s::bigint[], %(objects)s::bigint[], %(renewed)s::boolean[], %(expires)s::timestamptz[])"
    " q(id, attributes, metadata, version, subject, object, renewed, expires) where k.id = q.id"
)


def store(space: Workspace) -> None:
    """Write everything, inside the caller's transaction. Raises KipError where a strict graph refuses."""
    concepts = [concept for concept in space.concepts.values() if concept.is_changed]
    links = [link for link in space.links.values() if link.is_changed]
    if not concepts and not links:
        return
    standing = [concept for concept in concepts if not concept.is_gone]
    kept = _judged(space, standing)
    stale = stale_concepts(space.graph.scope, concepts, links)
    _remove(space.graph.scope, concepts, links)
    for concept in standing:
        concept.text = text_of(concept.type, concept.attributes) or concept.text
    _change_concepts([concept for concept in standing if not concept.is_new], space.graph.at)
    _change_links([link for link in links if not link.is_new and not link.is_gone], space.graph.at)
    actor = str(space.graph.binding.caller.actor)
    add_concepts(space, [concept for concept in standing if concept.is_new], actor)
    add_links(space, [link for link in links if link.is_new and not link.is_gone])
    _set_strength(space, [concept for concept in standing if not concept.is_new], actor)
    keep(space.graph.scope, _in_order([*concepts, *links]), space.graph.at, actor)
    if kept:
        keep_violations(space.graph.scope, kept, space.graph.at)
    index(space.graph.scope, stale, space.concepts)


def _judged(space: Workspace, concepts: Sequence[Concept]) -> dict[int, Any]:
    """What is wrong with each by its type's schema. Raises KipError in a strict graph."""
    mode = enforcement()
    if mode == Enforcement.OFF or space.graph.privileged:
        return {}
    found = {}
    for concept in concepts:
        wrong = violations(space.registry.types.get(concept.type), concept.attributes)
        if wrong and mode == Enforcement.STRICT:
            raise refuse(concept.type, concept.name, wrong[0])
        if wrong or not concept.is_new:
            found[concept.id] = wrong
    return found


def _in_order(elements: Sequence[Element]) -> list[Element]:
    return sorted((one for one in elements if not (one.is_new and one.is_gone)), key=lambda element: element.id)


def _remove(scope: int, concepts: Sequence[Concept], links: Sequence[Link]) -> None:
    gone_links = [link.id for link in links if link.is_gone and not link.is_new]
    gone = [concept.id for concept in concepts if concept.is_gone and not concept.is_new]
    if gone_links:
        run_sql("delete from link where id = any(%(ids)s)", {"ids": gone_links})
    if gone:
        unindex_nodes(scope, gone)
        run_sql("delete from node where id = any(%(ids)s)", {"ids": gone})


def _change_concepts(concepts: Sequence[Concept], at: datetime) -> None:
    if concepts:
        run_sql(_CHANGE_NODES, _columns(concepts) | {"texts": [concept.text for concept in concepts], "at": at})


def _change_links(links: Sequence[Link], at: datetime) -> None:
    if links:
        ends = {"subjects": [link.subject for link in links], "objects": [link.object for link in links]}
        run_sql(_CHANGE_LINKS, _columns(links) | ends | {"at": at})


def _columns(elements: Sequence[Concept] | Sequence[Link]) -> dict[str, Any]:
    return {
        "ids": [element.id for element in elements],
        "attributes": [json_text(element.attributes) for element in elements],
        "metadata": [json_text(element.metadata) for element in elements],
        "versions": [element.version for element in elements],
        "renewed": [_differs(element, "expires_at") for element in elements],
        "expires": [instant_of(element.metadata.get("expires_at")) for element in elements],
    }


def _set_strength(space: Workspace, concepts: Sequence[Concept], actor: str) -> None:
    """A new strength in the metadata counts from now on; an experience's salience sets how soon it fades."""
    scope, at = space.graph.scope, space.graph.at
    for concept in concepts:
        score = score_of(concept.metadata) if _differs(concept, "memory_strength") else None
        found = concept.found.attributes if concept.found else {}
        salience = "salience_score"
        fades_anew = concept.type == "Experience" and not same(found.get(salience), concept.attributes.get(salience))
        if score is None and not fades_anew:
            continue
        tau = tau_of(concept.type, concept.attributes, math.inf) if fades_anew else None
        run_sql(
            _SET_STRENGTH,
            {"node": concept.id, "scope": scope, "at": at, "score": score, "tau": tau, "actor": actor},
        )


_SET_STRENGTH = (
    "with set as (update node_strength set score = coalesce(%(score)s, score), tau = coalesce(%(tau)s, tau),"
    " scored_at = case when %(score)s::float8 is null then scored_at else %(at)s end where node = %(node)s"
    " returning score, tau, pinned)"
    " insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
    " select %(node)s, %(scope)s, 'set', %(at)s, score, tau, pinned, %(actor)s from set"
)


def _differs(element: Element, key: str) -> bool:
    """Whether a key of the metadata is not what it was found to be."""
    found = element.found.metadata if element.found else {}
    return not same(found.get(key), element.metadata.get(key))
