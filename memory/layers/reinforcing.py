"""What makes a memory stronger: being recalled, and being said again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memory.layers.elements import copy_rows, run_sql
from memory.layers.models import NodeStrength
from memory.layers.new_nodes import add_sources
from memory.layers.rules.strength import NUDGE, Strength, effective_sql, repeated

if TYPE_CHECKING:
    from memory.layers.batches import Batch

_HISTORY = ["node", "scope", "kind", "at", "score", "tau", "pinned", "session", "run", "actor"]


@dataclass(frozen=True)
class Repeat:
    """That lines of a session say what a node says."""

    node: int
    session: UUID
    first: int
    last: int


def repeat_nodes(batch: "Batch", layer: int, repeats: Sequence[Repeat], at: datetime) -> int:
    """Reinforce nodes of a layer that were said again, once for each session that they do not rest on yet.

    Score, τ and sources grow. Called with the strengths locked; returns how many reinforcements there were.
    """
    fresh = _of_new_sessions(repeats)
    if not fresh:
        return 0
    base = batch.settings.fragment_tau if layer == 1 else batch.settings.event_tau
    rows = NodeStrength.objects.in_bulk({repeat.node for repeat in fresh})
    strengths = {node: Strength(row.score, row.tau, row.scored_at, row.pinned) for node, row in rows.items()}
    history = []
    for repeat in fresh:
        after = repeated(layer, strengths[repeat.node], at, base_tau=base)
        strengths[repeat.node] = after
        history.append(
            (
                repeat.node,
                batch.scope,
                "duplicate",
                at,
                after.score,
                after.tau,
                after.pinned,
                repeat.session,
                batch.run,
                str(batch.binding.caller.actor),
            )
        )
    copy_rows("reinforcement", _HISTORY, history)
    for node, row in rows.items():
        row.score, row.tau, row.scored_at = strengths[node].score, strengths[node].tau, strengths[node].scored_at
    NodeStrength.objects.bulk_update(rows.values(), ["score", "tau", "scored_at"])
    add_sources(batch.scope, batch.run, [(item.node, (item.session, item.first, item.last)) for item in fresh])
    return len(fresh)


def recall_fragments(scope: int, nodes: Sequence[int], at: datetime, *, base_tau: float, actor: str) -> None:
    """Reinforce fragments that were recalled, each with its row of history, in one statement."""
    run_sql(
        f"with s as (select node, {effective_sql('s', '%(at)s')} now, pinned from node_strength s"
        "  where scope = %(scope)s and layer = 1 and archived_at is null and node = any(%(nodes)s)"
        "  order by node for update),"
        " done as (update node_strength t set"
        f"  score = case when s.pinned then s.now else s.now + {NUDGE} * (1 - s.now) end,"
        "  tau = t.tau + %(growth)s, scored_at = greatest(%(at)s, t.scored_at) from s where t.node = s.node"
        "  returning t.node, t.scope, t.score, t.tau, t.pinned)"
        " insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
        " select node, scope, 'recall', %(at)s, score, tau, pinned, %(actor)s from done",
        {"scope": scope, "nodes": list(nodes), "at": at, "growth": base_tau / 2, "actor": actor},
    )


def _of_new_sessions(repeats: Sequence[Repeat]) -> list[Repeat]:
    """Those whose node does not rest on their session yet, the first of each pair."""
    if not repeats:
        return []
    # A session that was forgotten as a source has reinforced all the same.
    rows = run_sql(
        "select s.node, s.session from node_source s where s.node = any(%(nodes)s) and s.session = any(%(sessions)s)"
        " union select r.node, r.session from reinforcement r where r.kind = 'duplicate' and r.node = any(%(nodes)s)"
        "  and r.session = any(%(sessions)s)",
        {"nodes": [item.node for item in repeats], "sessions": [item.session for item in repeats]},
    )
    known = set(rows)
    fresh = []
    for repeat in repeats:
        pair = (repeat.node, repeat.session)
        if pair not in known:
            known.add(pair)
            fresh.append(repeat)
    return sorted(fresh, key=lambda item: item.node)
