"""The review queue: proposals are approved, edited or refused, one by one or many at once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound
from common.strict import Confidence, StrictModel, VisibleText, validated
from common.times import now
from memory.layers.batches import Batch
from memory.layers.committing import commit_batch
from memory.layers.indexing import count_terms, embedder_of, note_embedder
from memory.layers.models import Proposal
from memory.layers.preparing import prepare
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
from memory.layers.twins import Live
from memory.sessions.models import Session
from memory.sessions.opening import lines_of
from spaces.access import Binding
from spaces.databases.transactions import attempted

State = Proposal.State


class FragmentEdit(StrictModel):
    text: Annotated[str, VisibleText(1, 1_000)]


class EventEdit(StrictModel):
    title: Annotated[str, VisibleText(1, 300)] | None = None
    text: Annotated[str, VisibleText(1, 4_000)] | None = None


class ConceptEdit(StrictModel):
    name: Annotated[str, VisibleText(1, 300)] | None = None
    type: Annotated[str, Field(pattern=r"\A[A-Z][A-Za-z0-9]{0,63}\z")] | None = None


class FactEdit(StrictModel):
    statement: Annotated[str, VisibleText(1, 4_000)] | None = None
    subject: Annotated[str, VisibleText(1, 500)] | None = None
    predicate: Annotated[str, VisibleText(1, 500)] | None = None
    object: Any = None
    confidence: Confidence | None = None


_EDITS: dict[str, type[StrictModel]] = {
    "fragment": FragmentEdit,
    "event": EventEdit,
    "concept": ConceptEdit,
    "fact": FactEdit,
}


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
    refused = {(row.batch, row.key) for row in chosen if row.kind == "fragment"}
    chosen += _left_without_evidence(chosen, refused)
    _decide(binding, chosen, State.REFUSED, {})
    act.record(binding.caller.actor, "proposal.refuse", scope=binding.one.pk, count=len(chosen))
    return len(chosen)


def approve(binding: Binding, ids: Sequence[int], edits: Mapping[int, Mapping[str, Any]] | None = None) -> int:
    """Store proposals of the bound scope, edited where `edits` says so, and return how many.

    With an event, a concept or a fact go the fragments it rests on that still wait. Raises as `refuse`, Invalid for an
    edit that cannot be, and EmbedderUnavailable.
    """
    changes = {number: _edit(binding, number, given) for number, given in (edits or {}).items()}
    chosen = _with_fragments(list(Proposal.objects.filter(pk__in=ids, scope=binding.one.pk, state=State.WAITING)))
    missing = set(ids) - {row.pk for row in chosen}
    if missing:
        _raise_missing(binding, missing)
    batches: dict[UUID, list[Proposal]] = defaultdict(list)
    for row in chosen:
        batches[row.batch].append(row)
    return sum(_store(binding, rows, changes) for rows in batches.values())


def _store(binding: Binding, rows: list[Proposal], changes: Mapping[int, Mapping[str, Any]]) -> int:
    scope = binding.one.pk
    embedder, live, blocked = embedder_of(scope), Live(scope), Blocked(scope)
    batch = _batch(binding, rows, changes)
    prepared = prepare(batch, live, embedder, blocked)

    def write(act: Act) -> int:
        locked = _locked(binding, [row.pk for row in rows])
        stored = commit_batch(act, batch, prepared)
        _decide(binding, locked, State.APPROVED, stored.nodes)
        note_embedder(scope, embedder)
        count_terms(scope)
        act.record(binding.caller.actor, "proposal.approve", scope=scope, count=len(locked), edited=len(changes))
        return len(locked)

    return attempted(write)


def _batch(binding: Binding, rows: list[Proposal], changes: Mapping[int, Mapping[str, Any]]) -> Batch:
    """The rows as a batch again, with the lines around them, and what of it is stored already."""
    sessions, numbers = _sessions_of(rows)
    proposals = [_proposal(row, changes.get(row.pk, {}), numbers) for row in rows]
    adopted, adopted_lines = _adopted(rows, numbers)
    ranges = [item.lines for item in proposals if isinstance(item, FragmentProposal)] + list(adopted_lines.values())
    lines: dict[tuple[int, int], Line] = {}
    for item in dict.fromkeys(ranges):
        for line in lines_of(sessions[item.session], max(0, item.first - 1), item.last + 1, number=item.session):
            lines[item.session, line.index] = line
    return Batch(
        binding,
        rows[0].run_id,
        layer_settings(),
        sessions,
        lines,
        Proposals(
            [item for item in proposals if isinstance(item, FragmentProposal)],
            [item for item in proposals if isinstance(item, EventProposal)],
            [item for item in proposals if isinstance(item, ConceptProposal)],
            [replace(item, review=False) for item in proposals if isinstance(item, FactProposal)],
        ),
        adopted,
        adopted_lines,
    )


def _sessions_of(rows: Sequence[Proposal]) -> tuple[list[Session], dict[str, int]]:
    ids = list(dict.fromkeys(place[0] for row in rows for place in row.body["sources"]))
    found = Session.objects.in_bulk([UUID(session) for session in ids])
    sessions = [found[UUID(session)] for session in ids]
    return sessions, {session: number for number, session in enumerate(ids)}


def _proposal(row: Proposal, changes: Mapping[str, Any], numbers: Mapping[str, int]) -> AnyProposal:
    proposal = from_document(row.kind, row.body)
    if isinstance(proposal, FragmentProposal):
        session, first, last = row.body["sources"][0]
        proposal = replace(proposal, lines=LineRange(numbers[session], first, last))
    return replace(proposal, **changes)


def _adopted(rows: Sequence[Proposal], numbers: Mapping[str, int]) -> tuple[dict[str, int], dict[str, LineRange]]:
    """Fragments of these batches that were stored before, with their lines."""
    nodes = {row.body["fragment"]: row.body["fragment_node"] for row in rows if "fragment_node" in row.body}
    places = {row.body["fragment"]: row.body["sources"][0] for row in rows if "fragment_node" in row.body}
    stored = Proposal.objects.filter(batch=rows[0].batch, state=State.APPROVED, node__isnull=False)
    for row in stored:
        nodes[row.key] = row.node
        if row.kind == "fragment" and row.body["sources"][0][0] in numbers:
            places[row.key] = row.body["sources"][0]
    lines = {key: LineRange(numbers[place[0]], place[1], place[2]) for key, place in places.items()}
    return nodes, lines


def _with_fragments(rows: list[Proposal]) -> list[Proposal]:
    """The rows, and of their batches the waiting fragments that they rest on."""
    wanted: dict[UUID, set[str]] = defaultdict(set)
    for row in rows:
        wanted[row.batch] |= set(_rests_on(row))
    have = {row.pk for row in rows}
    more = [
        row
        for batch, keys in wanted.items()
        for row in Proposal.objects.filter(batch=batch, kind="fragment", key__in=keys, state=State.WAITING)
        if row.pk not in have
    ]
    return rows + more


def _left_without_evidence(rows: Sequence[Proposal], refused: set[tuple[UUID, str]]) -> list[Proposal]:
    """Waiting proposals of the same batches all of whose fragments are refused, now or before."""
    have, found = {row.pk for row in rows}, []
    for batch in {row.batch for row in rows}:
        gone = {key for of, key in refused if of == batch}
        gone |= set(
            Proposal.objects.filter(batch=batch, kind="fragment", state=State.REFUSED).values_list("key", flat=True)
        )
        others = Proposal.objects.select_for_update().filter(batch=batch, state=State.WAITING).exclude(kind="fragment")
        for row in others.order_by("pk"):
            under = _rests_on(row)
            if row.pk not in have and under and gone.issuperset(under):
                found.append(row)
    return found


def _rests_on(row: Proposal) -> list[str]:
    if row.kind == "fact":
        return [] if "fragment_node" in row.body else [row.body["fragment"]]
    return list(row.body.get("fragments", ()))


def _locked(binding: Binding, ids: Sequence[int]) -> list[Proposal]:
    rows = list(Proposal.objects.select_for_update().filter(pk__in=ids, scope=binding.one.pk).order_by("pk"))
    if len(rows) != len(set(ids)):
        raise NotFound("One of these proposals is not here.")
    if any(row.state != State.WAITING for row in rows):
        raise Conflict("One of these proposals was decided in the meantime.", type="decided_meanwhile")
    return rows


def _raise_missing(binding: Binding, missing: set[int]) -> None:
    if Proposal.objects.filter(pk__in=missing, scope=binding.one.pk).count() == len(missing):
        raise Conflict("One of these proposals was decided in the meantime.", type="decided_meanwhile")
    raise NotFound("One of these proposals is not here.")


def _decide(binding: Binding, rows: Sequence[Proposal], state: str, nodes: Mapping[str, int]) -> None:
    at, by = now(), str(binding.caller.actor)
    for row in rows:
        row.state, row.decided_at, row.decided_by = state, at, by
        row.node = nodes.get(row.key)
    Proposal.objects.bulk_update(rows, ["state", "decided_at", "decided_by", "node"])


def _edit(binding: Binding, number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    row = Proposal.objects.filter(pk=number, scope=binding.one.pk).first()
    if row is None:
        raise NotFound("One of these proposals is not here.")
    edit = validated(_EDITS[row.kind], dict(given))
    changed = {name: getattr(edit, name) for name in edit.model_fields_set}
    empty = [name for name, value in changed.items() if value is None and name != "object"]
    if empty:
        raise Invalid("must not be empty", field=f"edits.{number}.{empty[0]}")
    return changed
