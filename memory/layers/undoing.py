"""Taking back a run as a whole: what it formed, what it reinforced, what it linked; its facts are withdrawn."""

from uuid import UUID

from audit.recording import Act
from common.errors import NotFound, Unprocessable
from common.times import now
from memory.layers.elements import run_sql
from memory.layers.indexing import count_terms, unindex_nodes
from memory.layers.models import Distillation, Proposal
from memory.layers.rules.replaying import Turn, replayed
from memory.layers.rules.strength import Strength, effective
from memory.layers.withdrawing import withdraw_facts
from spaces.access import Binding


def undo_run(act: Act, binding: Binding, run_id: UUID) -> dict[str, int]:
    """Undo a finished run of the bound scope; returns counts of what went.

    Its lines count as distilled still, so that the next tick does not bring everything back; who wants them distilled
    again asks for the session. Raises NotFound, and Unprocessable for a run that is under way or was undone.
    """
    scope, actor = binding.one.pk, str(binding.caller.actor)
    run = Distillation.objects.select_for_update().filter(pk=run_id, scope=scope).first()
    if run is None:
        raise NotFound("There is no such run.")
    if run.undone_at is not None:
        raise Unprocessable("The run was undone already.")
    if run.state not in (Distillation.State.DONE, Distillation.State.FAILED):
        raise Unprocessable("The run is not finished yet.")
    # As a batch's commit does: the scope's index first, then strengths.
    run_sql("select 1 from scope_stat where scope = %(scope)s for update", {"scope": scope})
    gone = {
        "proposals": Proposal.objects.filter(run=run, state=Proposal.State.WAITING).update(
            state=Proposal.State.REFUSED, decided_at=now(), decided_by=actor
        ),
        "facts": withdraw_facts(act, binding, run_id),
        "reinforced": _take_back_reinforcements(scope, run_id),
        "memories": _remove_nodes(scope, run_id),
    }
    run.undone_at, run.undone_by = now(), actor
    run.state, run.next_try_at = Distillation.State.DONE, None
    run.save()
    count_terms(scope, anew=True)
    act.record(binding.caller.actor, "distillation.undo", str(run_id), scope=scope, gone=gone)
    return gone


def _remove_nodes(scope: int, run: UUID) -> int:
    """Remove what the run formed, but for what others rest on or mention as well: that keeps its links."""
    values = {"scope": scope, "run": run}
    run_sql("delete from node_source where scope = %(scope)s and run = %(run)s", values)
    told = _removed(scope, run, "n.layer <> 3 and not exists (select 1 from node_source s where s.node = n.id)")
    run_sql(
        "delete from link l where l.scope = %(scope)s and l.run = %(run)s"
        " and not exists (select 1 from node n where n.id = l.subject and n.run = %(run)s)",
        values,
    )
    concepts = _removed(
        scope,
        run,
        "n.layer = 3 and not exists (select 1 from link l where l.object = n.id and l.predicate = 'mentions')",
    )
    return told + concepts


def _removed(scope: int, run: UUID, where: str) -> int:
    rows = run_sql(
        f"select n.id from node n where n.scope = %(scope)s and n.run = %(run)s and {where} order by n.id for update",
        {"scope": scope, "run": run},
    )
    nodes = [row[0] for row in rows]
    unindex_nodes(scope, nodes)
    run_sql("delete from link where subject = any(%(nodes)s) or object = any(%(nodes)s)", {"nodes": nodes})
    run_sql("delete from node where id = any(%(nodes)s)", {"nodes": nodes})
    return len(nodes)


def _take_back_reinforcements(scope: int, run: UUID) -> int:
    """Strengths, and their history, as they would be without what the run reinforced, later recalls counted in."""
    rows = run_sql(
        "select distinct r.node from reinforcement r"
        " where r.scope = %(scope)s and r.run = %(run)s and r.kind = 'duplicate' order by r.node",
        {"scope": scope, "run": run},
    )
    nodes = [row[0] for row in rows]
    run_sql("select 1 from node_strength where node = any(%(nodes)s) order by node for update", {"nodes": nodes})
    for node in nodes:
        _replay(node, run)
    gone = run_sql(
        "delete from reinforcement where scope = %(scope)s and run = %(run)s and kind = 'duplicate' returning 1",
        {"scope": scope, "run": run},
    )
    return len(gone)


def _replay(node: int, run: UUID) -> None:
    rows = run_sql(
        "select r.id, s.layer, r.kind, r.at, r.score, r.tau, r.pinned,"
        " r.kind = 'duplicate' and r.run is not distinct from %(run)s"
        " from reinforcement r join node_strength s on s.node = r.node where r.node = %(node)s order by r.at, r.id",
        {"node": node, "run": run},
    )
    turns = [Turn(*row[2:]) for row in rows]
    after = replayed(rows[0][1], turns)
    for row, turn, strength in zip(rows, turns, after, strict=True):
        _rewrite(row[0], turn, strength)
    last = after[-1]
    run_sql(
        "update node_strength set score = %(score)s, tau = %(tau)s, scored_at = %(at)s, pinned = %(pinned)s"
        " where node = %(node)s",
        {"node": node, "score": last.score, "tau": last.tau, "at": last.scored_at, "pinned": last.pinned},
    )


def _rewrite(number: int, turn: Turn, strength: Strength) -> None:
    """Let a row of history say what strength is after it now."""
    score = effective(strength, turn.at)
    if (score, strength.tau, strength.pinned) != (turn.score, turn.tau, turn.pinned):
        run_sql(
            "update reinforcement set score = %(score)s, tau = %(tau)s, pinned = %(pinned)s where id = %(id)s",
            {"id": number, "score": score, "tau": strength.tau, "pinned": strength.pinned},
        )
