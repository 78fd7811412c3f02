"""Memories as REST shows them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from common.times import format_instant
from memory.layers.lineage import Branch
from memory.layers.rules.fading import Point, curve
from memory.layers.rules.strength import Strength, fades_at
from memory.layers.settings import base_tau, layer_settings, thresholds
from memory.layers.statements import Memory, Source
from memory.layers.tracing import Step, facts_of, history_of, links_of, shown_to
from spaces.access import Binding

_AHEAD = timedelta(days=90)
_FARTHEST = timedelta(days=3_650)


def memory_document(binding: Binding, memory: Memory) -> dict[str, Any]:
    """A memory as a list shows it."""
    scope = next(scope for scope in binding.scopes if scope.pk == memory.scope)
    return {
        "id": memory.id,
        "scope": scope.name,
        "shared": scope.shared,
        "layer": memory.layer,
        "type": memory.type,
        "name": str(memory.attributes.get("title", memory.name)),
        "text": memory.text,
        "classification": memory.classification,
        "fact": memory.phi_ref,
        "formed_at": format_instant(memory.formed_at),
        "said_at": instant(memory.said_at),
        "archived_at": instant(memory.archived_at),
        "superseded_by": memory.superseded_by,
        "merged_into": memory.merged_into,
        "strength": _strength(memory),
        "sources": [source_document(source) for source in memory.sources],
    }


def whole_document(binding: Binding, memory: Memory, at: datetime, what_if: float | None = None) -> dict[str, Any]:
    """A memory with everything that hangs on it; `what_if` is a τ in days to tell the effect of."""
    history = history_of([memory.id], until=at)[memory.id]
    found = memory_document(binding, memory) | {
        "attributes": memory.attributes,
        "version": memory.version,
        "facts": facts_of(binding, [memory.id])[memory.id],
        "links": [_link(link) for link in map(vars, links_of(binding, memory))],
        "reinforcements": [step_document(step) for step in history],
        "curve": _points(curve([step.after for step in history], at)),
        "shown_to": [use | {"at": format_instant(use["at"])} for use in shown_to(memory)],
        "forecast": _forecast(memory, memory.strength, at),
    }
    if what_if is not None:
        found["what_if"] = _forecast(memory, _with_tau(memory, what_if), at)
    return found


def branch_document(branch: Branch) -> dict[str, Any]:
    """A memory of a lineage, and what it rests on."""
    memory = branch.memory
    return {
        "id": memory.id,
        "layer": memory.layer,
        "type": memory.type,
        "name": str(memory.attributes.get("title", memory.name)),
        "text": memory.text,
        "strength": memory.effective,
        "archived_at": instant(memory.archived_at),
        "reinforcements": [step_document(step) for step in branch.history],
        "sources": [
            source_document(source) | {"lines": [vars(line) | {"at": format_instant(line.at)} for line in lines]}
            for source, lines in zip(memory.sources, branch.lines, strict=True)
        ],
        "facts": branch.facts,
        "rests_on": [branch_document(below) for below in branch.rests_on],
        "more": branch.more,
    }


def source_document(source: Source) -> dict[str, Any]:
    """Lines that a memory rests on."""
    return {"session": source.session, "client_id": source.client_id, "from": source.first, "to": source.last}


def step_document(step: Step) -> dict[str, Any]:
    """One time that a strength was set."""
    return {
        "kind": step.kind,
        "at": format_instant(step.at),
        "score": step.after.score,
        "tau": _days(step.after.tau),
        "pinned": step.after.pinned,
        "session": step.session,
        "actor": step.actor,
    }


def instant(value: datetime | None) -> str | None:
    """An instant that may be missing."""
    return None if value is None else format_instant(value)


def _strength(memory: Memory) -> dict[str, Any]:
    strength = memory.strength
    return {
        "effective": memory.effective,
        "score": strength.score,
        "tau": _days(strength.tau),
        "scored_at": format_instant(strength.scored_at),
        "pinned": strength.pinned,
        "fades_at": instant(memory.fades_at) if memory.stands else None,
    }


def _days(tau: float) -> float | None:
    return None if math.isinf(tau) else tau


def _with_tau(memory: Memory, tau: float) -> Strength:
    """Its strength if the layer's τ were another: what recall added to its own grows in proportion."""
    base = base_tau(layer_settings(), memory.layer)
    own = memory.strength.tau
    return replace(memory.strength, tau=own if math.isinf(own) else own * tau / base)


def _forecast(memory: Memory, strength: Strength, at: datetime) -> dict[str, Any]:
    """Strength from `at` until a little after it fades, or for 90 days."""
    fades = fades_at(strength, thresholds(layer_settings()).get(memory.layer, 0.0))
    ahead = _AHEAD if fades is None else min(max(1.2 * (fades - at), timedelta(days=1)), _FARTHEST)
    points = [point for point in curve([strength], at + ahead) if point[0] >= at]
    return {"tau": _days(strength.tau), "fades_at": instant(fades), "curve": _points(points)}


def _points(points: Sequence[Point]) -> list[dict[str, Any]]:
    return [{"at": format_instant(at), "strength": strength} for at, strength in points]


def _link(link: dict[str, Any]) -> dict[str, Any]:
    names = ("predicate", "direction", "layer", "type", "name", "text")
    return {name: link[name] for name in names} | {"memory": link["other"]}
