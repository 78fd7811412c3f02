"""Proposals that a person approved as a batch again, with the lines around them and what of it is stored already."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from common.errors import Conflict, Invalid
from memory.layers.batches import Batch
from memory.layers.learnt_facts import record_of
from memory.layers.models import Node, Proposal
from memory.layers.review_edits import of_edit
from memory.layers.rules.proposal_documents import AnyProposal, from_document
from memory.layers.rules.proposals import (
    ConceptProposal,
    EventProposal,
    FactProposal,
    FragmentProposal,
    Line,
    LineRange,
    Proposals,
)
from memory.layers.settings import layer_settings
from memory.layers.tombstones import Blocked
from memory.sessions.models import Session
from memory.sessions.opening import lines_of
from spaces.access import Binding


def batch_of(binding: Binding, rows: Sequence[Proposal], changes: Mapping[int, Mapping[str, Any]]) -> Batch:
    """Rows of one batch, changed where `changes` says so.

    Raises Conflict (`evidence_gone`) when what one rests on is no longer there, and Invalid for a change that makes it
    something that cannot be stored.
    """
    sessions, numbers = _sessions_of(rows)
    adopted, places = _adopted(rows, numbers)
    proposals = {row.pk: _changed(row, changes.get(row.pk, {}), numbers) for row in rows}
    fragments = [item for item in proposals.values() if isinstance(item, FragmentProposal)]
    batch = Batch(
        binding,
        rows[0].run_id,
        layer_settings(),
        sessions,
        _lines_around(binding.one.pk, sessions, [*places.values(), *(fragment.lines for fragment in fragments)]),
        Proposals(
            fragments,
            [item for item in proposals.values() if isinstance(item, EventProposal)],
            [item for item in proposals.values() if isinstance(item, ConceptProposal)],
            [replace(item, review=False) for item in proposals.values() if isinstance(item, FactProposal)],
        ),
        adopted,
        places,
    )
    _require_sound(batch, proposals)
    return batch


def _require_sound(batch: Batch, proposals: Mapping[int, AnyProposal]) -> None:
    there = {*batch.adopted, *batch.ranges, *(event.key for event in batch.proposals.events)}
    for number, proposal in proposals.items():
        if not there.intersection(_evidence(proposal)):
            raise Conflict("What a proposal rests on is not there any more.", type="evidence_gone", proposal=number)
        if isinstance(proposal, FactProposal):
            try:
                record_of(batch, proposal)
            except Invalid as error:
                raise of_edit(number, error) from None


def _evidence(proposal: AnyProposal) -> Sequence[str]:
    match proposal:
        case FactProposal():
            return [proposal.fragment]
        case EventProposal():
            return proposal.fragments
        case ConceptProposal():
            return [*proposal.fragments, *proposal.events]
    return [proposal.key]


def _changed(row: Proposal, changes: Mapping[str, Any], numbers: Mapping[str, int]) -> AnyProposal:
    proposal = from_document(row.kind, row.body)
    if isinstance(proposal, FragmentProposal):
        session, first, last = row.body["sources"][0]
        proposal = replace(proposal, lines=LineRange(numbers[session], first, last))
    return replace(proposal, **changes)


def _sessions_of(rows: Sequence[Proposal]) -> tuple[list[Session], dict[str, int]]:
    """The sessions in the order of their numbers. Raises Conflict when one is gone."""
    ids = list(dict.fromkeys(place[0] for row in rows for place in row.body["sources"]))
    found = Session.objects.in_bulk([UUID(session) for session in ids])
    if len(found) < len(ids):
        raise Conflict("The session of one of these proposals is not there any more.", type="evidence_gone")
    return [found[UUID(session)] for session in ids], {session: number for number, session in enumerate(ids)}


def _adopted(rows: Sequence[Proposal], numbers: Mapping[str, int]) -> tuple[dict[str, int], dict[str, LineRange]]:
    """What of the batch is stored already and still there: nodes by key, and the lines of fragments."""
    nodes = {row.body["fragment"]: row.body["fragment_node"] for row in rows if "fragment_node" in row.body}
    places = {row.body["fragment"]: row.body["sources"][0] for row in rows if "fragment_node" in row.body}
    approved = Proposal.objects.filter(batch=rows[0].batch, state=Proposal.State.APPROVED, node__isnull=False)
    for row in approved.exclude(kind="fact"):
        nodes[row.key] = row.node
        if row.kind == "fragment" and row.body.get("sources"):
            places[row.key] = row.body["sources"][0]
    there = set(Node.objects.filter(pk__in=nodes.values()).values_list("pk", flat=True))
    return (
        {key: node for key, node in nodes.items() if node in there},
        {
            key: LineRange(numbers[place[0]], place[1], place[2])
            for key, place in places.items()
            if nodes[key] in there and place[0] in numbers
        },
    )


def _lines_around(scope: int, sessions: Sequence[Session], ranges: Sequence[LineRange]) -> dict[tuple[int, int], Line]:
    """The lines of these ranges and beside them, without what was forgotten."""
    found: dict[tuple[int, int], Line] = {}
    blocked = Blocked(scope)
    for item in dict.fromkeys(ranges):
        for line in lines_of(sessions[item.session], max(0, item.first - 1), item.last + 1, number=item.session):
            text = blocked.line(line.text, line.speaker, sessions[item.session].pk, line.index)
            found[item.session, line.index] = replace(line, text=text)
    return found
