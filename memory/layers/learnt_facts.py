"""Facts among what was distilled: written as any fact is, with the lines they rest on as their source."""

import json
import secrets
from collections.abc import Mapping, Sequence, Set
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
from memory.layers.elements import copy_rows, run_sql
from memory.layers.rules.proposals import FactProposal

_NODE_FACT = ("node", "scope", "fact", "run")
# A distiller reads; it does not know. Definitions alone may be surer, and people write those.
MOST_CONFIDENCE = 0.95


def write_learnt(act: Act, batch: Batch, proposals: Sequence[FactProposal], nodes: Mapping[str, int]) -> int:
    """Write facts that are not known yet, and link each to its fragment. Returns how many there were."""
    wanted = [proposal for proposal in proposals if proposal.fragment in nodes]
    records = [(proposal, record) for proposal in wanted if (record := _record(batch, proposal))]
    fresh = _unknown(batch, records)
    if not fresh:
        return 0
    insert(act, batch.binding, [Incoming(record) for _, record in fresh], imported=False)
    _declare({record.predicate for _, record in fresh if record.predicate})
    copy_rows(
        "node_fact",
        _NODE_FACT,
        [(nodes[proposal.fragment], batch.scope, record.id, batch.run) for proposal, record in fresh],
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


def _record(batch: Batch, proposal: FactProposal) -> FactRecord | None:
    """None for what no fact can be: a distiller's slip ends there."""
    lines = batch.ranges.get(proposal.fragment)
    if lines is None:
        return None
    place = batch.place_of(lines)
    document = document_of(proposal, source_of(*place), batch.class_of([proposal.fragment]))
    document["observedAt"] = format_instant(batch.lines[lines.session, lines.first].at)
    try:
        return record_from_input(validated(FactInput, document), now(), secrets.token_hex(8))
    except Invalid:
        return None


def _unknown(batch: Batch, records: Sequence[tuple[FactProposal, FactRecord]]) -> list[tuple[FactProposal, FactRecord]]:
    """Those whose claim the scope does not hold, and did not give up after the evidence was spoken.

    What someone withdrew stays withdrawn, unless it is said again.
    """
    if not records:
        return []
    claims = claims_in(batch.scope)
    held = _claims_held(batch.scope, [claims(record.subject, record.predicate) for _, record in records])
    fresh, taken = [], set()
    for proposal, record in records:
        key = (claims(record.subject, record.predicate), _value(record), record.negated)
        lines = batch.ranges[proposal.fragment]
        said_at = batch.lines[lines.session, lines.first].at
        if key in taken or (key in held and ((until := held[key]) is None or said_at <= until)):
            continue
        taken.add(key)
        fresh.append((proposal, record))
    return fresh


Key = tuple[UUID | None, str, bool]


def _claims_held(scope: int, claims: Sequence[UUID | None]) -> dict[Key, datetime | None]:
    """For each claim with its object: None where it stands, else when it was last given up."""
    rows = run_sql(
        "select f.claim, f.object::text, f.negated, max(coalesce(w.recorded_at, f.valid_until)),"
        " bool_or(w.recorded_at is null and (f.valid_until is null or f.valid_until > now()))"
        " from fact f left join fact w on w.scope = f.scope and w.supersedes = f.id"
        " where f.scope = %(scope)s and f.claim = any(%(claims)s::uuid[]) and f.sealed is null group by 1, 2, 3",
        {"scope": scope, "claims": [claim for claim in claims if claim is not None]},
    )
    found: dict[Key, datetime | None] = {}
    for claim, value, negated, until, stands in rows:
        found[claim, canonical(json.loads(value)) if value is not None else "", negated] = None if stands else until
    return found


def _value(record: FactRecord) -> str:
    return "" if record.object is ABSENT else canonical(record.object)
