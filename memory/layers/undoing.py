"""Taking back a run as a whole: what it formed, what it reinforced, what it linked; its facts are withdrawn."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from audit.recording import Act
from common.errors import NotFound, Unprocessable
from common.strict import validated
from common.times import format_instant, now
from memory.facts.reading import records_by_id
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import ABSENT, FactRecord, as_document, record_from_input
from memory.facts.writing import Incoming, insert
from memory.layers.elements import run_sql
from memory.layers.indexing import count_terms, unindex_nodes
from memory.layers.models import Distillation, Proposal
from memory.layers.rules.replaying import Turn, replayed
from memory.layers.settings import layer_settings
from spaces.access import Binding

_FACTS_AT_ONCE = 2_000


def undo_run(act: Act, binding: Binding, run_id: UUID) -> dict[str, int]:
    """Undo a finished run of the bound scope; returns counts of what went.

    Its lines count as distilled still, so that the next tick does not bring everything back; who wants them distilled
    again asks for the session. Raises NotFound, and Unprocessable for a run that is under way or was undone.
    """
    run = Distillation.objects.select_for_update().filter(pk=run_id, scope=binding.one.pk).first()
    if run is None:
        raise NotFound("There is no such run.")
    if run.undone_at is not None:
        raise Unprocessable("The run was undone already.")
    if run.state not in (Distillation.State.DONE, Distillation.State.FAILED):
        raise Unprocessable("The run is not finished yet.")
    gone = {
        "proposals": Proposal.objects.filter(run=run, state=Proposal.State.WAITING).update(
            state=Proposal.State.REFUSED, decided_at=now(), decided_by=str(binding.caller.actor)
        ),
        "facts": _withdraw_facts(act, binding, run_id),
        "reinforced": _take_back_reinforcements(binding.one.pk, run_id),
        "memories": _remove_nodes(binding.one.pk, run_id),
    }
    run.undone_at, run.undone_by = now(), str(binding.caller.actor)
    run.state, run.next_try_at = Distillation.State.DONE, None
    run.save()
    count_terms(binding.one.pk)
    act.record(binding.caller.actor, "distillation.undo", str(run_id), scope=binding.one.pk, gone=gone)
    return gone


def _remove_nodes(scope: int, run: UUID) -> int:
    run_sql("delete from link where scope = %(scope)s and run = %(run)s", {"scope": scope, "run": run})
    run_sql("delete from node_source where scope = %(scope)s and run = %(run)s", {"scope": scope, "run": run})
    rows = run_sql(
        "select n.id from node n where n.scope = %(scope)s and n.run = %(run)s and not exists"
        " (select 1 from node_source s where s.node = n.id) and not exists"
        " (select 1 from link l where l.object = n.id and l.predicate = 'mentions') order by n.id for update",
        {"scope": scope, "run": run},
    )
    nodes = [row[0] for row in rows]
    unindex_nodes(scope, nodes, forgotten=True)
    run_sql(
        "with gone as (delete from node where id = any(%(nodes)s))"
        " delete from link where subject = any(%(nodes)s) or object = any(%(nodes)s)",
        {"nodes": nodes},
    )
    return len(nodes)


def _take_back_reinforcements(scope: int, run: UUID) -> int:
    """Strengths as they would be without what the run reinforced, later recalls counted in."""
    rows = run_sql(
        "delete from reinforcement where scope = %(scope)s and run = %(run)s and kind = 'duplicate' returning node",
        {"scope": scope, "run": run},
    )
    said = layer_settings()
    for node in sorted({row[0] for row in rows}):
        turns = run_sql(
            "select r.kind, r.at, r.score, r.tau, r.pinned, s.layer from reinforcement r"
            " join node_strength s on s.node = r.node where r.node = %(node)s order by r.at, r.id",
            {"node": node},
        )
        if not turns:
            continue
        layer = turns[0][5]
        base = said.fragment_tau if layer == 1 else said.event_tau
        after = replayed(layer, [Turn(*turn[:5]) for turn in turns], base_tau=base)
        run_sql(
            "update node_strength set score = %(score)s, tau = %(tau)s, scored_at = %(at)s, pinned = %(pinned)s"
            " where node = %(node)s",
            {"node": node, "score": after.score, "tau": after.tau, "at": after.scored_at, "pinned": after.pinned},
        )
    return len(rows)


def _withdraw_facts(act: Act, binding: Binding, run: UUID) -> int:
    """Each fact of the run that nothing has superseded yet is superseded by one that has ended."""
    rows = run_sql(
        "select f.id from node_fact n join fact f on f.scope = n.scope and f.id = n.fact"
        " where n.scope = %(scope)s and n.run = %(run)s and f.sealed is null and not exists"
        " (select 1 from fact w where w.scope = f.scope and w.supersedes = f.id)",
        {"scope": binding.one.pk, "run": run},
    )
    ids = [row[0] for row in rows]
    for start in range(0, len(ids), _FACTS_AT_ONCE):
        records = records_by_id(binding, ids[start : start + _FACTS_AT_ONCE])
        insert(act, binding, [Incoming(_ended(record, run)) for record in _in_order(records)], imported=False)
    return len(ids)


def _ended(record: FactRecord, run: UUID) -> FactRecord:
    at = now()
    document = {
        name: value
        for name, value in as_document(record).items()
        if name in ("statement", "subject", "predicate", "object", "negated", "confidence", "classification")
    }
    if record.object is ABSENT:
        document.pop("object", None)
    ends = max(at, record.valid_from + timedelta(microseconds=1))
    document |= {
        "supersedes": record.id,
        "source": f"urn:kndl:undone-distillation:{run}",
        "validFrom": format_instant(record.valid_from),
        "validUntil": format_instant(ends),
    }
    return record_from_input(validated(FactInput, document), at, secrets.token_hex(8))


def _in_order(records: Mapping[str, FactRecord | None]) -> Sequence[FactRecord]:
    return [record for _, record in sorted(records.items()) if record is not None]
