"""A walk through provenance as REST and the command show it."""

from collections.abc import Sequence
from typing import Any

from common.times import format_instant
from memory.facts.provenance import Node, Provenance
from memory.facts.rules.lineage import Edge
from memory.facts.views import FactView


def provenance_document(found: Provenance) -> dict[str, Any]:
    """The nodes in the order they were met, each with its edges; what weakens the root, and the paths of evidence."""
    weakest = found.weakest
    return {
        "root": found.root,
        "depth": found.depth,
        "chain": [_node(node, () if node.is_rule else found.edges_of.get(node.id, ())) for node in found.nodes],
        "cycle": found.cycle,
        "truncated": found.truncated,
        "weakest": {"id": weakest.record.id, "effective_confidence": weakest.effective_confidence},
        "paths": [{"ids": list(path.ids), "product": path.product} for path in found.paths],
    }


def _node(node: Node, edges: Sequence[Edge]) -> dict[str, Any]:
    found: dict[str, Any] = {"id": node.id, "depth": node.depth}
    if node.view is not None:
        found |= _fact(node.view)
    elif node.rule is not None:
        found |= {"rule": {"name": node.rule.name, "text": node.rule.text, "version": node.rule.version}}
    elif node.erased is not None:
        found |= {"erased": True, "erased_at": format_instant(node.erased)}
    elif node.redacted is not None:
        found |= {"redacted": True, "reason": node.redacted}
    else:
        found["missing"] = True
    found["edges"] = [{"kind": edge.kind, "to": edge.end} for edge in edges]
    return found


def _fact(view: FactView) -> dict[str, Any]:
    record = view.record
    return {
        "statement": record.statement,
        "source": record.source,
        "confidence": record.confidence,
        "effective_confidence": view.effective_confidence,
        "band": view.band,
        "recordedAt": format_instant(record.recorded_at),
        "derivedFrom": record.derived_from,
        "supersedes": record.supersedes,
        "inference": record.inference,
        "negated": record.negated,
        "classification": record.classification,
        "superseded_by": view.superseded_by,
    }
