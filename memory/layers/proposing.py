"""Proposals put before a person instead of being stored."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from audit.recording import SYSTEM, Act
from memory.layers.batches import Batch
from memory.layers.models import Proposal
from memory.layers.rules.proposal_documents import AnyProposal, kind_of, to_document
from memory.layers.rules.proposals import FactProposal
from memory.layers.tombstones import Blocked
from memory.layers.unforgotten import unforgotten


def put_up_batch(act: Act, batch: Batch, blocked: Blocked) -> int:
    """Let everything of a batch wait for a person, but for what was forgotten. Returns how many proposals wait."""
    may = unforgotten(batch, blocked)
    proposals: list[AnyProposal] = [*may.fragments, *may.events, *may.concepts, *may.facts]
    _wait(batch, [(proposal, _lines(batch, proposal)) for proposal in proposals])
    act.record(SYSTEM, "distillation.propose", str(batch.run), scope=batch.scope, count=len(proposals))
    return len(proposals)


def put_up_facts(batch: Batch, facts: Sequence[FactProposal], nodes: Mapping[str, int]) -> int:
    """Let facts that a distiller is unsure of wait for a person; the fragments they rest on are stored."""
    wanted = [fact for fact in facts if fact.fragment in nodes]
    _wait(batch, [(fact, _lines(batch, fact) | {"fragment_node": nodes[fact.fragment]}) for fact in wanted])
    return len(wanted)


def _wait(batch: Batch, proposals: Sequence[tuple[AnyProposal, dict[str, Any]]]) -> None:
    together = uuid.uuid4()
    Proposal.objects.bulk_create(
        [
            Proposal(
                run_id=batch.run,
                scope=batch.scope,
                batch=together,
                kind=kind_of(proposal),
                key=f"{number}" if isinstance(proposal, FactProposal) else proposal.key,
                body=to_document(proposal) | more,
            )
            for number, (proposal, more) in enumerate(proposals)
        ],
        batch_size=1_000,
    )


def _lines(batch: Batch, proposal: AnyProposal) -> dict[str, Any]:
    """The lines that a proposal rests on, by the ids of their sessions: what a person is shown beside it."""
    if isinstance(proposal, FactProposal):
        keys = [proposal.fragment]
    else:
        keys = [proposal.key, *getattr(proposal, "fragments", ())]
    places = [batch.place_of(batch.ranges[key]) for key in keys if key in batch.ranges]
    return {"sources": [[str(session), first, last] for session, first, last in dict.fromkeys(places)]}
