"""Taking back the facts that a run learnt: each is superseded by one that has ended, sealed where it was sealed."""

import secrets
from datetime import timedelta
from uuid import UUID

from audit.recording import Act
from common.strict import validated
from common.times import format_instant, now
from memory.facts.reading import records_by_id
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import FactRecord, as_document, record_from_input
from memory.facts.writing import Incoming, insert
from memory.layers.elements import run_sql
from spaces.access import Binding

_AT_ONCE = 2_000
_KEPT = ("statement", "subject", "predicate", "object", "negated", "confidence", "classification", "consent")


def withdraw_facts(act: Act, binding: Binding, run: UUID) -> int:
    """Withdraw what nobody has superseded yet and no other run has learnt as well; returns how many.

    A fact that was erased stays as it is.
    """
    scope = binding.one.pk
    rows = run_sql(_LEARNT, {"scope": scope, "run": run})
    ids = [row[0] for row in rows]
    withdrawn = 0
    for start in range(0, len(ids), _AT_ONCE):
        records = records_by_id(binding, ids[start : start + _AT_ONCE])
        ended = [Incoming(_ended(record, run)) for _, record in sorted(records.items()) if record is not None]
        if ended:
            insert(act, binding, ended, imported=False)
        withdrawn += len(ended)
    run_sql(
        f"delete from node_fact k where k.scope = %(scope)s and k.run = %(run)s and not {STAYS}",
        {"scope": scope, "run": run},
    )
    return withdrawn


# That a fragment says it which the run formed, and which stays since other sessions say the same.
STAYS = (
    "exists (select 1 from node n join node_source s on s.node = n.id and s.run is distinct from %(run)s"
    " where n.id = k.node and n.run = %(run)s)"
)
# What a run says again that was learnt before it has an earlier row of another run.
_LEARNT = (
    "select f.id from (select distinct fact from node_fact where scope = %(scope)s and run = %(run)s) n"
    " join fact f on f.scope = %(scope)s and f.id = n.fact"
    " where not exists (select 1 from fact w where w.scope = f.scope and w.supersedes = f.id)"
    " and not exists (select 1 from node_fact k where k.scope = f.scope and k.fact = f.id"
    f"  and (k.run is distinct from %(run)s or {STAYS}))"
)


def _ended(record: FactRecord, run: UUID) -> FactRecord:
    at = now()
    document = {name: value for name, value in as_document(record).items() if name in _KEPT}
    document |= {
        "supersedes": record.id,
        "source": f"urn:kndl:undone-distillation:{run}",
        "validFrom": format_instant(record.valid_from),
        "validUntil": format_instant(max(at, record.valid_from + timedelta(microseconds=1))),
    }
    return record_from_input(validated(FactInput, document), at, secrets.token_hex(8))
