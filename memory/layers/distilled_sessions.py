"""Which sessions a reader of runs may know of: what the gate withholds is absent there too."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from common.errors import NotFound
from memory.facts.statements import fetch
from memory.layers.models import Distillation, DistilledRange
from memory.phi.gate import gate_values, released_sql
from memory.sessions.models import Session
from memory.sessions.reading import released_to
from spaces.access import Binding


def session_to_distil(binding: Binding, session_id: UUID) -> UUID:
    """A session of the bound scope that the caller opened, or that is released to them. Raises NotFound."""
    session = Session.objects.filter(scope=binding.one.pk, pk=session_id).first()
    if session is None or not (session.opened_by == str(binding.caller.actor) or released_to(binding, session)):
        raise NotFound("There is no such session.")
    return session_id


def withheld_among(binding: Binding, sessions: Iterable[UUID]) -> set[UUID]:
    """Which of these sessions are PHI that is not released to the reader."""
    rows = fetch(
        "select s.id from (select z.*, true sealed from session z where z.id = any(%(ids)s)"
        f" and z.classification = 'PHI') s where not {released_sql('s')}",
        gate_values(binding) | {"ids": list(set(sessions))},
    )
    return {row["id"] for row in rows}


def ledger_of(binding: Binding, run: Distillation) -> list[dict[str, Any]]:
    """The line ranges that a run distilled, of sessions that the reader may know of."""
    rows = list(DistilledRange.objects.filter(run=run).order_by("id"))
    withheld = withheld_among(binding, [row.session for row in rows])
    return [
        {"session": str(row.session), "from": row.first, "to": row.last} for row in rows if row.session not in withheld
    ]
