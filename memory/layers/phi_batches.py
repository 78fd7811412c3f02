"""PHI sessions: what is learnt from them is PHI facts, sealed, and nodes that point to them and hold no words."""

import secrets
from uuid import UUID

from audit.recording import Act
from common.errors import Invalid
from common.strict import validated
from common.times import now
from memory.facts.models import Consent
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import FactRecord, record_from_input
from memory.facts.writing import Incoming, insert
from memory.layers.batches import Batch
from memory.layers.committing import Stored
from memory.layers.elements import copy_rows, run_sql
from memory.layers.learnt_facts import document_of, source_of
from memory.layers.new_nodes import NewNode, add_nodes, add_sources
from memory.layers.rules.proposals import FactProposal
from memory.layers.rules.strength import FRAGMENT
from memory.layers.tombstones import Blocked
from memory.phi.sealing import PHI


def commit_phi(act: Act, batch: Batch) -> Stored:
    """Store what was learnt from a PHI session. Nothing of it waits for review in clear, or is indexed.

    Its facts have no subject of their own: they are their consent's subject's, under whose key they are sealed.
    """
    stored, at = Stored(), now()
    if not Consent.objects.filter(scope=batch.scope, id=batch.sessions[0].consent).exists():
        return stored
    said = [(fact, record) for fact in batch.proposals.facts if (record := _record(batch, fact))]
    known, blocked = _known(batch), Blocked(batch.scope)
    fresh = [
        (fact, record)
        for fact, record in said
        if (place := batch.place_of(batch.ranges[fact.fragment])) not in known and not blocked.fragment("", *place)
    ]
    if not fresh:
        return stored
    insert(act, batch.binding, [Incoming(record) for _, record in fresh], imported=False)
    nodes = [_node(batch, fact, record) for fact, record in fresh]
    ids = add_nodes(batch.scope, nodes, at, run=batch.run, actor=str(batch.binding.caller.actor))
    add_sources(
        batch.scope,
        batch.run,
        [(node, batch.place_of(batch.ranges[fact.fragment])) for node, (fact, _) in zip(ids, fresh, strict=True)],
    )
    copy_rows(
        "node_fact",
        ("node", "scope", "fact", "run"),
        [(node, batch.scope, record.id, batch.run) for node, (_, record) in zip(ids, fresh, strict=True)],
    )
    stored.count("facts", len(fresh))
    stored.count("fragments", len(fresh))
    return stored


def _known(batch: Batch) -> set[tuple[UUID, int, int]]:
    """The line ranges of the session from which PHI facts were learnt before."""
    rows = run_sql(
        "select s.session, s.first, s.last from node_source s join node n on n.id = s.node"
        " where s.session = %(session)s and n.phi_ref is not null",
        {"session": batch.sessions[0].pk},
    )
    return set(rows)


def _record(batch: Batch, proposal: FactProposal) -> FactRecord | None:
    lines = batch.ranges.get(proposal.fragment)
    if lines is None:
        return None
    document = document_of(proposal, source_of(*batch.place_of(lines)), PHI)
    document |= {"consent": batch.sessions[0].consent}
    del document["subject"]
    try:
        return record_from_input(validated(FactInput, document), now(), secrets.token_hex(8))
    except Invalid:
        return None


def _node(batch: Batch, proposal: FactProposal, record: FactRecord) -> NewNode:
    lines = batch.ranges[proposal.fragment]
    line = batch.lines[lines.session, lines.first]
    return NewNode(
        FRAGMENT,
        "Fragment",
        f"{batch.sessions[0].pk}#{lines.first}",
        "",
        {"kind": "fact", "role": line.role, "length": 0},
        PHI,
        line.at,
        1.0,
        batch.settings.fragment_tau,
        phi_ref=record.id,
    )
