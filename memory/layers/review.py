"""The review queue: proposals are approved, edited or refused, one by one or many at once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from audit.recording import Act
from common.errors import Conflict, NotFound
from common.times import now
from memory.layers.committing import commit_batch
from memory.layers.indexing import count_terms, embedder_of, note_embedder, require_embedder
from memory.layers.models import Proposal
from memory.layers.preparing import prepare
from memory.layers.review_edits import read_edit
from memory.layers.reviewed_batches import batch_of
from memory.layers.tombstones import Blocked
from memory.layers.twins import Live
from spaces.access import Binding
from spaces.databases.transactions import attempted

State = Proposal.State


def waiting(binding: Binding, *, after: int = 0, limit: int = 50) -> list[Proposal]:
    """Proposals of the bound scopes that wait, in the order they were made, beginning behind the number `after`."""
    rows = Proposal.objects.filter(scope__in=binding.scope_ids, state=State.WAITING, pk__gt=after)
    return list(rows.order_by("pk")[:limit])


def count_waiting(binding: Binding, most: int) -> int:
    """How many wait, counted up to `most`."""
    return Proposal.objects.filter(scope__in=binding.scope_ids, state=State.WAITING)[:most].count()


def refuse(act: Act, binding: Binding, ids: Sequence[int]) -> int:
    """Refuse proposals of the bound scope; what rests on nothing else then waits for nothing and goes with them.

    Raises NotFound when one is not here, and Conflict (`decided_meanwhile`) when one was decided already.
    """
    chosen = _locked(binding, ids)
    while left := _left_without_evidence(chosen):
        chosen += left
    _decide(binding, chosen, State.REFUSED, {})
    act.record(binding.caller.actor, "proposal.refuse", scope=binding.one.pk, count=len(chosen))
    return len(chosen)


def approve(binding: Binding, ids: Sequence[int], edits: Mapping[int, Mapping[str, Any]] | None = None) -> int:
    """Store proposals of the bound scope, edited where `edits` says so, all or none, and return how many.

    With an event or a fact go the fragments it rests on that still wait, with a concept its fragments or else its
    events. Raises as `refuse`, Conflict (`evidence_gone`) when what a proposal rests on was refused, forgotten or
    erased, Invalid for an edit that cannot be, and EmbedderUnavailable.
    """
    rows = _with_evidence(_waiting(binding, ids))
    by_id = {row.pk: row for row in rows}
    changes = {number: read_edit(by_id[number].kind, number, given) for number, given in (edits or {}).items()}
    scope = binding.one.pk
    embedder, live, blocked = embedder_of(scope), Live(scope), Blocked(scope)
    batches: dict[UUID, list[Proposal]] = defaultdict(list)
    for row in rows:
        batches[row.batch].append(row)
    ready = []
    for together in batches.values():
        batch = batch_of(binding, together, changes)
        ready.append((batch, prepare(batch, live, embedder, blocked), together))

    def write(act: Act) -> int:
        locked = {row.pk: row for row in _locked(binding, list(by_id))}
        require_embedder(scope, embedder)
        for batch, prepared, together in ready:
            stored = commit_batch(act, batch, prepared)
            _decide(binding, [locked[row.pk] for row in together], State.APPROVED, stored.nodes)
        note_embedder(scope, embedder)
        count_terms(scope)
        act.record(binding.caller.actor, "proposal.approve", scope=scope, count=len(locked), edited=len(changes))
        return len(locked)

    return attempted(write)


def _with_evidence(rows: list[Proposal]) -> list[Proposal]:
    """The rows, and of their batches what they rest on and still waits."""
    have = {row.pk: row for row in rows}
    more = rows
    while more:
        wanted: dict[UUID, set[str]] = defaultdict(set)
        for row in more:
            wanted[row.batch] |= set(rests_on(row))
        more = [
            row
            for batch, keys in wanted.items()
            for row in Proposal.objects.filter(batch=batch, key__in=keys, state=State.WAITING).exclude(kind="fact")
            if row.pk not in have
        ]
        have |= {row.pk: row for row in more}
    return list(have.values())


def _left_without_evidence(chosen: Sequence[Proposal]) -> list[Proposal]:
    """Waiting proposals of the same batches all of whose evidence is refused, now or before."""
    have, found = {row.pk for row in chosen}, []
    for batch in {row.batch for row in chosen}:
        of_batch = Proposal.objects.filter(batch=batch).exclude(kind="fact")
        gone = set(of_batch.filter(state=State.REFUSED).values_list("key", flat=True))
        gone |= {row.key for row in chosen if row.batch == batch and row.kind != "fact"}
        waits = Proposal.objects.select_for_update().filter(batch=batch, state=State.WAITING).order_by("pk")
        for row in waits.exclude(pk__in=have):
            under = rests_on(row)
            if under and gone.issuperset(under):
                found.append(row)
    return found


def rests_on(row: Proposal) -> list[str]:
    """The keys of what a proposal rests on: fragments; for a concept that no fragment mentions, events."""
    if row.kind == "fact":
        return [] if "fragment_node" in row.body else [row.body["fragment"]]
    return list(row.body.get("fragments") or row.body.get("events") or ())


def _waiting(binding: Binding, ids: Sequence[int]) -> list[Proposal]:
    rows = list(Proposal.objects.filter(pk__in=ids, scope=binding.one.pk).order_by("pk"))
    _refuse_decided(rows, ids)
    return rows


def _locked(binding: Binding, ids: Sequence[int]) -> list[Proposal]:
    rows = list(Proposal.objects.select_for_update().filter(pk__in=ids, scope=binding.one.pk).order_by("pk"))
    _refuse_decided(rows, ids)
    return rows


def _refuse_decided(rows: Sequence[Proposal], ids: Sequence[int]) -> None:
    if len(rows) != len(set(ids)):
        raise NotFound("One of these proposals is not here.")
    if any(row.state != State.WAITING for row in rows):
        raise Conflict("One of these proposals was decided in the meantime.", type="decided_meanwhile")


def _decide(binding: Binding, rows: Sequence[Proposal], state: str, nodes: Mapping[str, int]) -> None:
    at, by = now(), str(binding.caller.actor)
    for row in rows:
        row.state, row.decided_at, row.decided_by = state, at, by
        row.node = nodes.get(row.body["fragment"] if row.kind == "fact" else row.key)
    Proposal.objects.bulk_update(rows, ["state", "decided_at", "decided_by", "node"])
