"""Saying a fact again: that it is still true, or that it holds instead of another one."""

import secrets
from dataclasses import replace
from datetime import datetime, timedelta

from audit.recording import Act
from common.errors import Invalid
from common.times import now
from memory.facts.models import Snooze
from memory.facts.reading import find_fact, stored_form
from memory.facts.rules.identifiers import made_id, made_phi_id, slug
from memory.facts.rules.record import FactRecord
from memory.facts.rules.retention import due
from memory.facts.views import FactView
from memory.facts.writing import Incoming, insert, refuse_superseded, superseders
from memory.phi.sealing import PHI
from spaces.access import Binding

LONGEST_SNOOZE = timedelta(days=366)


def still_true(act: Act, binding: Binding, fact_id: str) -> FactRecord:
    """Write that a fact is still true: the same claim, with a fresh `validFrom`, in the old one's place.

    Raises NotFound, and Conflict when it was superseded meanwhile.
    """
    view = find_fact(binding, fact_id)
    return asserted_again(act, binding, view, supersedes=view.record.id)


def asserted_again(
    act: Act, binding: Binding, view: FactView, *, supersedes: str, because: str | None = None
) -> FactRecord:
    """Write the claim of `view` again, now, by whoever asks, in the place of `supersedes`.

    The new fact rests on the one it repeats when that is not the one it replaces.
    """
    at, old = now(), view.record
    unique = secrets.token_hex(8)
    is_phi = old.classification == PHI
    record = replace(
        old,
        id=made_phi_id(unique) if is_phi else made_id(old.subject, old.predicate, old.statement, at, unique),
        source=_source(binding),
        recorded_at=at,
        valid_from=at,
        valid_until=old.valid_until if old.valid_until is not None and old.valid_until > at else None,
        observed_at=None,
        supersedes=supersedes,
        derived_from=[] if supersedes == old.id else [old.id],
        inference=None,
        retention_at=due(at, old.retention) if old.retention else None,
        extra=old.extra | ({"reason": because} if because else {}),
        spelling={},
    )
    refuse_superseded(superseders(binding, [record]), record)
    insert(act, binding, [Incoming(record)], imported=False)
    return record


def snooze(act: Act, binding: Binding, fact_id: str, until: datetime) -> None:
    """Leave a fact out of the fading list until then. Raises NotFound, and Invalid for the past or over a year."""
    at = now()
    if not at < until <= at + LONGEST_SNOOZE:
        raise Invalid("must be later than now and within a year", field="until")
    view = find_fact(binding, stored_form(fact_id))
    Snooze.objects.update_or_create(
        scope=view.scope,
        fact=view.record.id,
        defaults={"until": until, "said_by": str(binding.caller.actor)},
    )
    act.record(binding.caller.actor, "fact.snooze", view.record.id, scope=view.scope)


def wake(act: Act, binding: Binding, fact_id: str) -> None:
    """Take a fact back into the fading list. Raises NotFound for a fact that is not there; one awake stays so."""
    view = find_fact(binding, stored_form(fact_id))
    Snooze.objects.filter(scope=view.scope, fact=view.record.id).delete()
    act.record(binding.caller.actor, "fact.wake", view.record.id, scope=view.scope)


def _source(binding: Binding) -> str:
    caller = binding.caller
    if caller.person is None:
        return f"urn:kndl:{caller.actor}"
    return f"human://{slug(caller.label)}"
