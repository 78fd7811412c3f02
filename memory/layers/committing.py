"""Storing a prepared batch: one transaction, in which its ranges are written into the ledger as well."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from audit.recording import Act
from common.times import now
from memory.layers.batches import Batch, Prepared, Proposed, Ready, description_of
from memory.layers.elements import run_sql
from memory.layers.index_rows import Indexed, add_to_index
from memory.layers.learnt_facts import write_learnt
from memory.layers.merging import standing_for
from memory.layers.models import NodeStrength
from memory.layers.new_nodes import NewNode, add_nodes, add_sources
from memory.layers.proposing import put_up_facts
from memory.layers.reinforcing import Repeat, repeat_nodes
from memory.layers.rules.proposals import ConceptProposal, EventProposal, FragmentProposal, LineRange
from memory.layers.rules.strength import CONCEPT, EVENT, FRAGMENT
from memory.layers.surfaces import note_words

Link = tuple[int, str, int]


@dataclass
class Stored:
    """What one batch became: nodes by proposal key, counts, and the new vectors by layer."""

    nodes: dict[str, int] = field(default_factory=dict)
    outcome: dict[str, int] = field(default_factory=dict)
    fresh: dict[int, list[Indexed]] = field(default_factory=dict)

    def count(self, what: str, number: int) -> None:
        """Add to a count of the outcome."""
        if number:
            self.outcome[what] = self.outcome.get(what, 0) + number


def commit_batch(act: Act, batch: Batch, prepared: Prepared) -> Stored:
    """Store a prepared batch in the transaction `act`.

    What was archived or forgotten since it was prepared is no twin any more: its proposal becomes a memory of its own.
    """
    stored, at = Stored(nodes=dict(batch.adopted)), now()
    twins = [ready.twin for group in (prepared.fragments, prepared.events, prepared.concepts) for ready in group]
    alive = _alive(twin for twin in twins if isinstance(twin, int))
    _fragments(batch, prepared, stored, alive, at)
    _events(batch, prepared, stored, alive, at)
    _concepts(batch, prepared, stored, alive, at)
    note_words(batch.scope, (ready.proposal.text for ready in prepared.fragments))
    stored.count("facts", write_learnt(act, batch, [fact for fact in prepared.facts if not fact.review], stored.nodes))
    stored.count("for review", put_up_facts(batch, [fact for fact in prepared.facts if fact.review], stored.nodes))
    return stored


def _fragments(batch: Batch, prepared: Prepared, stored: Stored, alive: set[int], at: datetime) -> None:
    new = _new(prepared.fragments, alive)

    def node_of(ready: Ready[FragmentProposal]) -> NewNode:
        proposal = ready.proposal
        session, first, _ = batch.place_of(proposal.lines)
        return NewNode(
            FRAGMENT,
            "Fragment",
            f"{session}#{first}",
            proposal.text,
            ready.attributes,
            batch.class_of([proposal.key]),
            proposal.said_at,
            proposal.salience,
            batch.settings.fragment_tau,
        )

    nodes = _store(batch, stored, new, node_of, at)
    add_sources(batch.scope, batch.run, [(nodes[ready.key], batch.place_of(ready.proposal.lines)) for ready in new])
    known = _known(prepared.fragments, stored)
    repeats = [Repeat(node, *batch.place_of(ready.proposal.lines)) for ready, node in known]
    stored.count("reinforced", repeat_nodes(batch, FRAGMENT, repeats, at))
    _link(batch, _neighbours(batch, [(nodes[ready.key], ready.key) for ready in new]))


def _events(batch: Batch, prepared: Prepared, stored: Stored, alive: set[int], at: datetime) -> None:
    new = _new(prepared.events, alive)

    def node_of(ready: Ready[EventProposal]) -> NewNode:
        proposal = ready.proposal
        return NewNode(
            EVENT,
            "Event",
            proposal.title,
            proposal.text,
            ready.attributes,
            batch.class_of(proposal.fragments),
            proposal.begins,
            1.0,
            batch.settings.event_tau,
        )

    nodes = _store(batch, stored, new, node_of, at)
    add_sources(
        batch.scope,
        batch.run,
        [(nodes[ready.key], place) for ready in new for place in _places(batch, ready.proposal)],
    )
    known = _known(prepared.events, stored)
    repeats = [Repeat(node, *place) for ready, node in known for place in _places(batch, ready.proposal)[:1]]
    stored.count("reinforced", repeat_nodes(batch, EVENT, repeats, at))
    _link(
        batch,
        (
            (stored.nodes[fragment], "part_of", stored.nodes[ready.key])
            for ready in prepared.events
            for fragment in ready.proposal.fragments
            if fragment in stored.nodes
        ),
    )


def _concepts(batch: Batch, prepared: Prepared, stored: Stored, alive: set[int], at: datetime) -> None:
    named = _named(batch.scope, [ready.proposal for ready in prepared.concepts])
    concepts = [
        replace(ready, twin=named.get((ready.proposal.type, ready.proposal.name), ready.twin))
        for ready in prepared.concepts
    ]
    new = _new(concepts, alive | set(named.values()))

    def node_of(ready: Ready[ConceptProposal]) -> NewNode:
        proposal = ready.proposal
        return NewNode(
            CONCEPT,
            proposal.type,
            proposal.name,
            description_of(proposal),
            ready.attributes,
            batch.class_of(proposal.fragments),
            None,
            1.0,
            math.inf,
        )

    _store(batch, stored, new, node_of, at)
    _known(concepts, stored)
    _link(
        batch,
        (
            (stored.nodes[key], "mentions", stored.nodes[ready.key])
            for ready in concepts
            for key in (*ready.proposal.fragments, *ready.proposal.events)
            if key in stored.nodes
        ),
    )


def _store(
    batch: Batch,
    stored: Stored,
    new: Sequence[Ready[Proposed]],
    node_of: Callable[[Ready[Proposed]], NewNode],
    at: datetime,
) -> dict[str, int]:
    """Write new nodes of one layer with their strength and index; returns them by key."""
    if not new:
        return {}
    made = [node_of(ready) for ready in new]
    ids = add_nodes(batch.scope, made, at, run=batch.run, actor=str(batch.binding.caller.actor))
    layer = made[0].layer
    rows = [Indexed(node, layer, ready.words, ready.vector) for ready, node in zip(new, ids, strict=True)]
    add_to_index(batch.scope, rows)
    nodes = {ready.key: node for ready, node in zip(new, ids, strict=True)}
    stored.nodes |= nodes
    stored.fresh[layer] = rows
    stored.count({FRAGMENT: "fragments", EVENT: "events", CONCEPT: "concepts"}[layer], len(new))
    return nodes


def _new(group: Iterable[Ready[Proposed]], alive: set[int]) -> list[Ready[Proposed]]:
    """Those that become memories of their own."""
    return [ready for ready in group if not isinstance(ready.twin, str) and ready.twin not in alive]


def _known(group: Iterable[Ready[Proposed]], stored: Stored) -> list[tuple[Ready[Proposed], int]]:
    """Those that a memory says already, with it: a live one, or what an earlier proposal has just become."""
    known: list[tuple[Ready[Proposed], int]] = []
    for ready in group:
        if ready.key not in stored.nodes and ready.twin is not None:
            node = ready.twin if isinstance(ready.twin, int) else stored.nodes[ready.twin]
            stored.nodes[ready.key] = node
            known.append((ready, node))
    return known


def _alive(twins: Iterable[int]) -> set[int]:
    """Which of these nodes are still live; their strengths are locked, in the order of ids."""
    rows = NodeStrength.objects.select_for_update(of=("self",)).filter(
        pk__in=set(twins), archived_at=None, node__superseded_by=None, node__merged_into=None
    )
    return set(rows.order_by("pk").values_list("pk", flat=True))


def _named(scope: int, concepts: Sequence[ConceptProposal]) -> dict[tuple[str, str], int]:
    """The concepts that are there by type and name, or what stands in for them since a merge or a correction."""
    rows = run_sql(
        "select n.type, n.name, n.id from unnest(%(types)s::text[], %(names)s::text[]) q(type, name)"
        " join node n on n.scope = %(scope)s and n.type = q.type and n.name = q.name",
        {
            "scope": scope,
            "types": [concept.type for concept in concepts],
            "names": [concept.name for concept in concepts],
        },
    )
    standing = standing_for([node for _, _, node in rows])
    return {(kind, name): standing[node] for kind, name, node in rows}


def _link(batch: Batch, links: Iterable[Link]) -> None:
    """Add links that are not there yet."""
    wanted = sorted({link for link in links if link[0] != link[2]})
    if not wanted:
        return
    subjects, predicates, objects = (list(column) for column in zip(*wanted, strict=True))
    run_sql(
        "insert into link (scope, subject, predicate, object, attributes, metadata, version, run)"
        " select %(scope)s, s, p, o, '{}', '{}', 1, %(run)s"
        " from unnest(%(subjects)s::bigint[], %(predicates)s::text[], %(objects)s::bigint[]) q(s, p, o)"
        " on conflict (subject, predicate, object) do nothing",
        {"scope": batch.scope, "run": batch.run, "subjects": subjects, "predicates": predicates, "objects": objects},
    )


def _neighbours(batch: Batch, nodes: Iterable[tuple[int, str]]) -> Iterator[Link]:
    """Each new fragment's link to the one after it in its session, the one before this batch included."""
    last: dict[int, int] = {}
    for node, lines in sorted(((node, batch.ranges[key]) for node, key in nodes), key=_by_place):
        before = last.get(lines.session) or _last_before(batch.sessions[lines.session].pk, lines.first)
        if before is not None:
            yield before, "next", node
        last[lines.session] = node


def _by_place(item: tuple[int, LineRange]) -> tuple[int, int, int]:
    return item[1].session, item[1].first, item[0]


def _last_before(session: UUID, index: int) -> int | None:
    rows = run_sql(
        "select s.node from node_source s join node n on n.id = s.node and n.layer = 1"
        " where s.session = %(session)s and s.first < %(index)s order by s.first desc, s.node desc limit 1",
        {"session": session, "index": index},
    )
    return rows[0][0] if rows else None


def _places(batch: Batch, proposal: EventProposal) -> list[tuple[UUID, int, int]]:
    """The line ranges of an event: those of its fragments, in their order."""
    lines = [batch.ranges[key] for key in proposal.fragments if key in batch.ranges]
    return list(dict.fromkeys(batch.place_of(item) for item in lines))
