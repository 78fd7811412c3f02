"""Why a memory that somebody expected is not in an answer: gate, scope, archive, decay, or the cut-off."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from common.times import format_instant
from memory.layers.elements import run_sql
from memory.layers.indexing import embedder_of
from memory.layers.rules.strength import effective_sql
from memory.layers.vectors import halfvec_text
from memory.phi.gate import gate_values, released_sql
from memory.recall.items import explanation
from memory.recall.recalling import Asked, Recalled
from spaces.access import Binding

NOT_HERE = "There is no such memory in the scope that was asked. It may never have been, or it was forgotten."


def explain_missing(
    binding: Binding, asked: Asked, answer: Recalled, ids: Sequence[int], limit: int
) -> list[dict[str, Any]]:
    """For each id, why it is not among the first `limit` places; its place where it is among them."""
    rows = {row[0]: row for row in _rows(binding, asked.as_of or asked.at, ids)}
    return [{"id": str(node), **_why(binding, asked, answer, rows.get(node), limit)} for node in ids]


def _rows(binding: Binding, at: datetime, ids: Sequence[int]) -> list[tuple[Any, ...]]:
    return run_sql(
        "select n.id, n.scope, n.layer, n.classification, n.phi_ref is null or exists (select 1 from fact f"
        f"  where f.scope = n.scope and f.id = n.phi_ref and {released_sql()}),"
        f" s.archived_at, {effective_sql('s', '%(at)s::timestamptz')}, n.superseded_by, n.merged_into, n.formed_at,"
        " n.said_at, n.phi_ref is not null"
        " from node n join node_strength s on s.node = n.id"
        " where n.id = any(%(ids)s) and n.scope = any(%(scopes)s)",
        gate_values(binding) | {"ids": list(ids), "scopes": binding.scope_ids, "at": at},
    )


def _why(binding: Binding, asked: Asked, answer: Recalled, row: tuple[Any, ...] | None, limit: int) -> dict[str, Any]:
    if row is None or (not row[4] and not binding.sees_redactions):
        return {"reason": "not_here", "detail": NOT_HERE}
    node, scope, layer, classification, released, archived, strength, superseded, merged, formed, said, is_phi = row
    if not released:
        detail = f"It is {classification} and no consent covers the stated purpose now."
        return {"reason": "withheld", "detail": detail}
    state = _state(asked, archived, strength, superseded, merged, formed, said)
    if state is not None:
        return state
    if is_phi:
        return {"reason": "phi", "detail": "It is PHI: it has no words and no vector, and is found by its fact alone."}
    place = next((rank for rank, item in enumerate(answer.order, start=1) if item.id == node), None)
    if place is None:
        return _not_found(answer, asked, scope, node, layer, strength)
    item = answer.order[place - 1]
    explained = explanation(answer, item, place)
    if place <= limit:
        return {"reason": "not_missing", "detail": f"It is in the answer, at place {place}.", "explanation": explained}
    detail = f"It is at place {place}, and the answer ends at place {limit}."
    last = answer.order[min(limit, len(answer.order)) - 1].score
    return {"reason": "cut_off", "detail": detail, "place": place, "last_score": last, "explanation": explained}


def _state(
    asked: Asked,
    archived: datetime | None,
    strength: float,
    superseded: int | None,
    merged: int | None,
    formed: datetime,
    said: datetime | None,
) -> dict[str, Any] | None:
    """What of the memory itself keeps it out of every answer to this question."""
    if superseded is not None:
        return {"reason": "superseded", "detail": f"It was corrected: {superseded} stands in its place."}
    if merged is not None:
        return {"reason": "merged", "detail": f"It was merged into {merged}."}
    if archived is not None and (asked.as_of is None or archived <= asked.as_of):
        at = format_instant(archived)
        return {
            "reason": "archived",
            "detail": f"It was archived at {at}; its strength is {strength:.4f} now. It can be restored.",
        }
    if asked.as_of is not None and formed > asked.as_of:
        return {"reason": "not_formed_yet", "detail": f"It was formed at {format_instant(formed)}, after that instant."}
    if asked.before is not None and said is not None and said >= asked.before:
        return {"reason": "said_later", "detail": f"It was said at {format_instant(said)}, not before that instant."}
    return None


def _not_found(answer: Recalled, asked: Asked, scope: int, node: int, layer: int, strength: float) -> dict[str, Any]:
    """No arm brought it: how far its vector is from the nearest that came, and which of the query's words it holds."""
    vector = halfvec_text(embedder_of(scope).embed([asked.text])[0])
    rows = run_sql(
        "select -(embedding <#> %(query)s::halfvec), (select array_agg(substr(u.lexeme, strpos(u.lexeme, ':') + 1))"
        "  from unnest(search) u where substr(u.lexeme, strpos(u.lexeme, ':') + 1) = any(%(terms)s))"
        " from node_index where node = %(node)s",
        {"query": vector, "node": node, "terms": list(answer.query.terms)},
    )
    cosine, held = rows[0] if rows else (None, None)
    arms = next(arms for arms in answer.arms if arms.scope == scope)
    nearest = [item.cosine for item in arms.activated.values() if item.cosine is not None]
    parts = []
    if not held:
        parts.append("It holds none of the question's words.")
    else:
        parts.append(f"It holds {', '.join(held)}, and 100 memories hold more of the question's words or rarer ones.")
    if cosine is not None and nearest and layer == 1:
        parts.append(f"Its cosine is {cosine:.3f}; the tenth nearest has {min(nearest):.3f}.")
    detail = " ".join(parts)
    return {"reason": "not_found", "detail": detail, "cosine": cosine, "terms": held or [], "strength": strength}
