"""Facts among what was distilled: written as any fact is, with the lines they rest on as their source."""

import json
import secrets
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from audit.recording import SYSTEM, Act
from common.errors import Invalid
from common.strict import validated
from common.times import format_instant, now
from memory.facts.rules.disagreement import canonical
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import ABSENT, FactRecord, record_from_input
from memory.facts.writing import Incoming, insert
from memory.keys.keeping import claims_in
from memory.layers.batches import Batch
from memory.layers.distillers.extractive.facts.kinds import KINDS
from memory.layers.elements import run_sql
from memory.layers.rules.proposals import FactProposal

# A distiller reads; it does not know. Definitions alone may be surer, and people write those.
MOST_CONFIDENCE = 0.95


@dataclass(frozen=True)
class _Held:
    """What the scope holds of a claim: whether it stands, else when it was last given up.

    `learnt` is the fact that stands, where a distillation learnt it.
    """

    stands: bool
    until: datetime | None
    learnt: str | None


def write_learnt(act: Act, batch: Batch, proposals: Sequence[FactProposal], nodes: Mapping[str, int]) -> int:
    """Write facts that are not known yet, and link each to its fragment. Returns how many there were.

    What stands already is linked to the fragment that says it again. What was withdrawn stays so, unless it was said
    after that.
    """
    wanted = [proposal for proposal in proposals if proposal.fragment in nodes]
    records = [(proposal, record) for proposal in wanted if (record := _record(batch, proposal))]
    fresh, links = _sorted_out(batch, records, nodes)
    if fresh:
        insert(act, batch.binding, [Incoming(record) for record in fresh], imported=False)
        _declare({record.predicate for record in fresh if record.predicate})
    if links:
        run_sql(
            "insert into node_fact (node, scope, fact, run) select n, %(scope)s, f, %(run)s"
            " from unnest(%(nodes)s::bigint[], %(facts)s::text[]) q(n, f) on conflict (node, fact) do nothing",
            {
                "scope": batch.scope,
                "run": batch.run,
                "nodes": [node for node, _ in links],
                "facts": [fact for _, fact in links],
            },
        )
    return len(fresh)


def _declare(predicates: Set[str]) -> None:
    """Say that what may have several values at once may, unless somebody said otherwise: two likes do not conflict."""
    several = sorted(name for name in predicates if name in KINDS and KINDS[name].multi_valued)
    if several:
        run_sql(
            "insert into predicate (name, multi_valued, said_at, said_by)"
            " select name, true, now(), %(by)s from unnest(%(names)s::text[]) q(name) on conflict (name) do nothing",
            {"names": several, "by": str(SYSTEM)},
        )


def document_of(proposal: FactProposal, source: str, classification: str | None) -> dict[str, Any]:
    """The fact that a proposal would become, as a JSON-LD document."""
    found: dict[str, Any] = {
        "statement": proposal.statement,
        "subject": proposal.subject,
        "predicate": proposal.predicate,
        "object": proposal.object,
        "confidence": min(proposal.confidence, MOST_CONFIDENCE),
        "source": source,
        "decay": proposal.decay,
        "negated": True if proposal.negated else None,
        "validFrom": format_instant(proposal.valid_from) if proposal.valid_from else None,
        "validUntil": format_instant(proposal.valid_until) if proposal.valid_until else None,
        "classification": classification,
    }
    return {name: value for name, value in found.items() if value is not None}


def source_of(session: UUID, first: int, last: int) -> str:
    """The address of lines, by which provenance leads on to them."""
    return f"session://{session}#L{first}-L{last}"


def record_of(batch: Batch, proposal: FactProposal) -> FactRecord:
    """The record of a proposal that rests on lines of the batch. Raises Invalid for what no fact can be."""
    lines = batch.ranges[proposal.fragment]
    document = document_of(proposal, source_of(*batch.place_of(lines)), batch.class_of([proposal.fragment]))
    document["observedAt"] = format_instant(batch.lines[lines.session, lines.first].at)
    return record_from_input(validated(FactInput, document), now(), secrets.token_hex(8))


def _record(batch: Batch, proposal: FactProposal) -> FactRecord | None:
    """None for what no fact can be: a distiller's slip ends there."""
    if proposal.fragment not in batch.ranges:
        return None
    try:
        return record_of(batch, proposal)
    except Invalid:
        return None


def _sorted_out(
    batch: Batch, records: Sequence[tuple[FactProposal, FactRecord]], nodes: Mapping[str, int]
) -> tuple[list[FactRecord], list[tuple[int, str]]]:
    """The records that are new, and which fragment says which fact, new or learnt before."""
    if not records:
        return [], []
    claims = claims_in(batch.scope)
    held = _claims_held(batch.scope, [claims(record.subject, record.predicate) for _, record in records])
    fresh: dict[Key, FactRecord] = {}
    links: list[tuple[int, str]] = []
    for proposal, record in records:
        key = (claims(record.subject, record.predicate), _value(record), record.negated)
        lines = batch.ranges[proposal.fragment]
        said_at = batch.lines[lines.session, lines.first].at
        before = held.get(key)
        if before is None or (not before.stands and before.until is not None and said_at > before.until):
            links.append((nodes[proposal.fragment], fresh.setdefault(key, record).id))
        elif before.stands and before.learnt:
            links.append((nodes[proposal.fragment], before.learnt))
    return list(fresh.values()), links


Key = tuple[UUID | None, str, bool]


def _claims_held(scope: int, claims: Sequence[UUID | None]) -> dict[Key, _Held]:
    """Each claim about these, with its object, that the scope holds or has held."""
    rows = run_sql(_HELD, {"scope": scope, "claims": [claim for claim in claims if claim is not None]})
    return {
        (claim, canonical(json.loads(value)) if value is not None else "", negated): _Held(stands, until, learnt)
        for claim, value, negated, until, stands, learnt in rows
    }


_STANDS = "w.recorded_at is null and (f.valid_until is null or f.valid_until > now())"
_HELD = (
    "select f.claim, f.object::text, f.negated, max(coalesce(w.recorded_at, f.valid_until)),"
    f" bool_or({_STANDS}), min(f.id) filter (where {_STANDS}"
    "  and exists (select 1 from node_fact n where n.scope = f.scope and n.fact = f.id))"
    " from fact f left join fact w on w.scope = f.scope and w.supersedes = f.id"
    " where f.scope = %(scope)s and f.claim = any(%(claims)s::uuid[]) and f.sealed is null group by 1, 2, 3"
)


def _value(record: FactRecord) -> str:
    return "" if record.object is ABSENT else canonical(record.object)
