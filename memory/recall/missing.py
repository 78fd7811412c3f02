"""Why a memory that somebody expected is not in an answer: gate, scope, archive, decay, or the cut-off."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from common.times import format_instant
from memory.layers.elements import run_sql
from memory.layers.indexing import embedder_of
from memory.layers.rules.strength import effective_sql
from memory.layers.statements import released_node_sql
from memory.layers.vectors import halfvec_text
from memory.phi.gate import gate_values
from memory.recall.items import explanation
from memory.recall.phi import Place
from memory.recall.recalling import Arms, Asked, Recalled
from memory.recall.rules.candidates import Ranked
from memory.recall.spreading import NEAREST
from memory.recall.standing import strength_then_sql
from memory.recall.words import MOST_MATCHES
from spaces.access import Binding

NOT_HERE = "There is no such memory in the scope that was asked. It may never have been, or it was forgotten."
_PHI = "It is PHI: it has no words and no vector, and what it says holds none of the question's words."


@dataclass(frozen=True)
class _Row:
    """An expected memory. `strength` is that at the instant that was asked of; None where it was not formed by then."""

    id: int
    scope: int
    layer: int
    classification: str | None
    released: bool
    is_phi: bool
    archived: datetime | None
    strength: float | None
    superseded_by: int | None
    merged_into: int | None
    formed_at: datetime
    said_at: datetime | None


def explain_missing(
    binding: Binding, asked: Asked, recalled: Recalled, order: Sequence[Place], ids: Sequence[int], limit: int
) -> list[dict[str, Any]]:
    """For each id, why it is not among the first `limit` places of `order`; its place where it is among them."""
    if not ids:
        return []
    rows = {row.id: row for row in _rows(binding, asked, ids)}
    places = {place.id: rank for rank, place in enumerate(order, start=1)}
    found = []
    for number in ids:
        row = rows.get(number)
        if row is None or (not row.released and not binding.sees_redactions):
            because = {"reason": "not_here", "detail": NOT_HERE}
        elif number in places:
            because = _placed(recalled, order, places[number], limit)
        else:
            because = _kept_out(row, asked) or _not_found(recalled, asked, row)
        found.append({"id": str(number), **because})
    return found


def _rows(binding: Binding, asked: Asked, ids: Sequence[int]) -> list[_Row]:
    then = asked.as_of is not None
    rows = run_sql(
        f"select n.id, n.scope, n.layer, n.classification, {released_node_sql()}, n.phi_ref is not null,"
        f" s.archived_at, {effective_sql('r' if then else 's', '%(at)s::timestamptz')}, n.superseded_by,"
        " n.merged_into, n.formed_at, n.said_at from node n join node_strength s on s.node = n.id"
        + (f" left join {strength_then_sql('n.id')} on true" if then else "")
        + " where n.id = any(%(ids)s) and n.scope = any(%(scopes)s) and n.layer between 1 and 3",
        gate_values(binding) | {"ids": list(ids), "scopes": binding.scope_ids, "at": asked.as_of or asked.at},
    )
    return [_Row(*row) for row in rows]


def _placed(recalled: Recalled, order: Sequence[Place], rank: int, limit: int) -> dict[str, Any]:
    place = order[rank - 1]
    explained = explanation(recalled, place, rank)
    if rank <= limit:
        return {"reason": "not_missing", "detail": f"It is in the answer, at place {rank}.", "explanation": explained}
    last = order[limit - 1].score
    detail = f"It is at place {rank}, and the answer ends at place {limit}."
    if isinstance(place, Ranked) and place.score < last <= (whole := replace(place.account, strength=1.0).total):
        strength = recalled.arms_of(place.id).found[place.id].strength
        detail += f" It has faded to {strength:.4f}; at full strength its score would be {whole:.3f}, in the answer."
    return {"reason": "cut_off", "detail": detail, "place": rank, "last_score": last, "explanation": explained}


def _kept_out(row: _Row, asked: Asked) -> dict[str, Any] | None:
    """What of the memory itself keeps it out of every answer to this question."""
    if not row.released:
        detail = f"It is {row.classification} and no consent covers the stated purpose now."
        return {"reason": "withheld", "detail": detail}
    if row.superseded_by is not None:
        return {"reason": "superseded", "detail": f"It was corrected: {row.superseded_by} stands in its place."}
    if row.merged_into is not None:
        return {"reason": "merged", "detail": f"It was merged into {row.merged_into}."}
    if asked.as_of is not None and row.formed_at > asked.as_of:
        at = format_instant(row.formed_at)
        return {"reason": "not_formed_yet", "detail": f"It was formed at {at}, after that instant."}
    if row.archived is not None:
        return _archived(row.archived, row.strength or 0.0, asked)
    if asked.before is not None and row.said_at is not None and row.said_at >= asked.before:
        at = format_instant(row.said_at)
        return {"reason": "said_later", "detail": f"It was said at {at}, not before that instant."}
    return {"reason": "phi", "detail": _PHI} if row.is_phi else None


def _archived(at: datetime, strength: float, asked: Asked) -> dict[str, Any]:
    detail = f"It was archived at {format_instant(at)}"
    if asked.as_of is not None and at > asked.as_of:
        detail += ", after that instant; yet what is archived has no words and no vector by which to find it."
    else:
        detail += f"; its strength is {strength:.4f}. It can be restored."
    return {"reason": "archived", "detail": detail}


def _not_found(recalled: Recalled, asked: Asked, row: _Row) -> dict[str, Any]:
    """No arm brought it: how far its vector is from the nearest that came, and which of the query's words it holds."""
    vector = halfvec_text(embedder_of(row.scope).embed([asked.text])[0])
    rows = run_sql(
        "select -(embedding <#> %(query)s::halfvec), (select array_agg(substr(u.lexeme, strpos(u.lexeme, ':') + 1))"
        "  from unnest(search) u where substr(u.lexeme, strpos(u.lexeme, ':') + 1) = any(%(terms)s))"
        " from node_index where node = %(node)s",
        {"query": vector, "node": row.id, "terms": list(recalled.query.terms)},
    )
    cosine, held = rows[0] if rows else (None, None)
    arms = next(arms for arms in recalled.arms if arms.scope == row.scope)
    detail = " ".join(filter(None, (_by_words(arms, held), _by_vector(arms, cosine) if row.layer == 1 else "")))
    return {"reason": "not_found", "detail": detail, "cosine": cosine, "terms": held or [], "strength": row.strength}


def _by_words(arms: Arms, held: Sequence[str] | None) -> str:
    if not held:
        return "It holds none of the question's words."
    if len(arms.matches) < MOST_MATCHES:
        return f"It holds {', '.join(held)}, too common to look at every memory that does."
    return f"It holds {', '.join(held)}, and {MOST_MATCHES} memories hold more of the question's words or rarer ones."


def _by_vector(arms: Arms, cosine: float | None) -> str:
    if cosine is None:
        return "It has no vector."
    nearest = [item.cosine for item in arms.activated.values() if item.cosine is not None]
    last = f"; the last of the {NEAREST} nearest has {min(nearest):.3f}" if len(nearest) == NEAREST else ""
    return f"Its cosine is {cosine:.3f}{last}."
