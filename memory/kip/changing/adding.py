"""Writing what a text made: nodes with their strength, and links, each in one statement."""

import json
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from common.times import parse_instant
from memory.kip.changing.workspace import Workspace
from memory.kip.elements import Concept, Link
from memory.kip.rules.kinds import BESIDE, layer_of, score_of, tau_of
from memory.layers.elements import run_sql
from memory.layers.rules.strength import EVENT, FRAGMENT
from memory.layers.settings import base_tau, layer_settings

_ADD_CONCEPTS = (
    "with q as materialized (select * from unnest(%(ids)s::bigint[], %(layers)s::smallint[], %(types)s::text[],"
    "  %(names)s::text[], %(texts)s::text[], %(attributes)s::text[], %(metadata)s::text[], %(versions)s::int[],"
    "  %(expires)s::timestamptz[], %(said)s::timestamptz[], %(scores)s::float8[], %(taus)s::float8[])"
    "  with ordinality q(id, layer, type, name, text, attributes, metadata, version, expires, said, score, tau, turn)),"
    " made as (insert into node (id, scope, layer, type, name, text, attributes, metadata, version, formed_at,"
    "  updated_at, expires_at, said_at) select id, %(scope)s, layer, type, name, text, attributes::jsonb,"
    "  metadata::jsonb, version, %(at)s, %(at)s, expires, said from q order by turn),"
    " strong as (insert into node_strength (node, scope, layer, pinned, score, tau, scored_at)"
    "  select id, %(scope)s, layer, false, score, tau, %(at)s from q order by turn)"
    " insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
    " select id, %(scope)s, 'formed', %(at)s, score, tau, false, %(actor)s from q order by turn"
)
_ADD_LINKS = (
    "insert into link (id, scope, subject, predicate, object, attributes, metadata, version, updated_at, expires_at)"
    " select id, %(scope)s, subject, predicate, object, attributes::jsonb, metadata::jsonb, version, %(at)s, expires"
    " from unnest(%(ids)s::bigint[], %(subjects)s::bigint[], %(predicates)s::text[], %(objects)s::bigint[],"
    " %(attributes)s::text[], %(metadata)s::text[], %(versions)s::int[], %(expires)s::timestamptz[])"
    " with ordinality q(id, subject, predicate, object, attributes, metadata, version, expires, turn) order by turn"
)


def add_concepts(space: Workspace, concepts: Sequence[Concept], actor: str) -> None:
    """Write new nodes, inside the caller's transaction; they are not indexed yet."""
    if not concepts:
        return
    # In one order for all who write the same: whoever comes second waits for the first name, and not in a circle.
    concepts = sorted(concepts, key=lambda concept: (concept.type, concept.name))
    for concept in concepts:
        concept.layer = BESIDE if space.graph.privileged else layer_of(concept.type)
    bases = _bases({concept.layer for concept in concepts})
    scores = [score_of(concept.metadata) for concept in concepts]
    run_sql(
        _ADD_CONCEPTS,
        {
            "scope": space.graph.scope,
            "at": space.graph.at,
            "actor": actor,
            "ids": [concept.id for concept in concepts],
            "layers": [concept.layer for concept in concepts],
            "types": [concept.type for concept in concepts],
            "names": [concept.name for concept in concepts],
            "texts": [concept.text for concept in concepts],
            "attributes": [json_text(concept.attributes) for concept in concepts],
            "metadata": [json_text(concept.metadata) for concept in concepts],
            "versions": [concept.version for concept in concepts],
            "expires": [instant_of(concept.metadata.get("expires_at")) for concept in concepts],
            "said": [_said_at(concept) for concept in concepts],
            "scores": [1.0 if score is None else score for score in scores],
            "taus": [
                tau_of(concept.type, concept.attributes, bases.get(concept.layer, math.inf)) for concept in concepts
            ],
        },
    )


def add_links(space: Workspace, links: Sequence[Link]) -> None:
    """Write new links, inside the caller's transaction."""
    if not links:
        return
    links = sorted(links, key=lambda link: link.ends)
    run_sql(
        _ADD_LINKS,
        {
            "scope": space.graph.scope,
            "at": space.graph.at,
            "ids": [link.id for link in links],
            "subjects": [link.subject for link in links],
            "predicates": [link.predicate for link in links],
            "objects": [link.object for link in links],
            "attributes": [json_text(link.attributes) for link in links],
            "metadata": [json_text(link.metadata) for link in links],
            "versions": [link.version for link in links],
            "expires": [instant_of(link.metadata.get("expires_at")) for link in links],
        },
    )


def instant_of(value: Any) -> datetime | None:
    """The instant that a value names; None for what names none."""
    try:
        return parse_instant(value) if isinstance(value, str) else None
    except ValueError:
        return None


def json_text(value: Any) -> str:
    """A JSON value as PostgreSQL reads it."""
    return json.dumps(value, ensure_ascii=False)


def _said_at(concept: Concept) -> datetime | None:
    """When an event began: recall asks for times by it."""
    return instant_of(concept.attributes.get("start_time")) if concept.type == "Event" else None


def _bases(layers: set[int]) -> dict[int, float]:
    """What the Space says of τ by layer; asked only where a layer fades."""
    if not layers & {FRAGMENT, EVENT}:
        return {}
    settings = layer_settings()
    return {layer: base_tau(settings, layer) for layer in layers}
