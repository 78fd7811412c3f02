"""The only way facts come to be: alone, many at once, or in the place of an older one."""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound, Unprocessable
from common.times import now
from memory.facts.copying import COPY_COLUMNS, copy_row
from memory.facts.models import Consent
from memory.facts.reading import stored_form
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import FactRecord, record_from_input
from memory.facts.statements import fetch
from memory.keys.keeping import claim_of, claims_in
from memory.phi.gate import gate_values, released_sql
from memory.phi.sealing import PHI, subjects_of_consents
from spaces.access import Binding


@dataclass(frozen=True)
class Incoming:
    """A record about to be written, with the file it was read from."""

    record: FactRecord
    file: str | None = None


def write_fact(act: Act, binding: Binding, given: FactInput) -> FactRecord:
    """Write one fact in the transaction `act` and return its record.

    Raises Conflict for a taken id and for a fact that is superseded already (naming the winner), and Unprocessable
    when `supersedes` or `derivedFrom` names a fact that is not in the scope.
    """
    record = checked(binding, given)
    insert(act, binding, [Incoming(record)], imported=False)
    return record


def supersede_fact(act: Act, binding: Binding, old_id: str, given: FactInput) -> FactRecord:
    """Write a fact in the place of `old_id`. Raises as `write_fact`, NotFound, and Invalid when the body differs."""
    old_id = stored_form(old_id)
    if given.supersedes not in (None, old_id):
        raise Invalid("is said by the address already, and differs", field="supersedes")
    if not released_ids(binding, [old_id]):
        raise NotFound("There is no such fact.")
    return write_fact(act, binding, given.model_copy(update={"supersedes": old_id}))


def checked(binding: Binding, given: FactInput) -> FactRecord:
    """The record of a live write, every id it names found in its scope. Raises as `write_fact`."""
    record = record_from_input(given, now(), secrets.token_hex(8))
    if existing_ids(binding, [record.id]):
        raise Conflict("is taken; a fact never changes, supersede it instead", field="@id", type="id_taken")
    refuse_unknown(record, released_ids(binding, named_by(record)), known_consents(binding, [record]))
    refuse_superseded(superseders(binding, [record]), record)
    return record


def warnings_for(binding: Binding, record: FactRecord) -> list[str]:
    """What a writer should think about again; nothing that keeps the fact from being written."""
    found = []
    if record.confidence == 1.0:
        found.append("A confidence of 1.0 is for definitions; nothing can be surer than this fact.")
    if record.inference is not None and not record.derived_from:
        found.append("The fact names a rule (inference) but not what it was derived from (derivedFrom).")
    if record.decay is None and _changed_before(binding, record):
        found.append("This subject and predicate changed before, and the fact has no decay.")
    return found


def insert(act: Act, binding: Binding, incoming: Sequence[Incoming], *, imported: bool) -> None:
    """Add facts to the bound scope in the transaction `act`, with one audit row for all of them. PHI is sealed."""
    scope, author = binding.one.pk, str(binding.caller.actor)
    subjects, claims = _subjects_of_consents(scope, incoming), claims_in(scope)
    with connections[act.using].cursor() as cursor:
        cursor.execute(
            "select nextval(pg_get_serial_sequence('fact', 'number')) from generate_series(1, %s)", [len(incoming)]
        )
        numbers = [row[0] for row in cursor.fetchall()]
        rows = [
            copy_row(number, scope, item.record, item.file, subjects, claims, imported=imported, recorded_by=author)
            for number, item in zip(numbers, incoming, strict=True)
        ]
        with cursor.copy(f"copy fact ({', '.join(COPY_COLUMNS)}) from stdin") as copy:
            for row in rows:
                copy.write_row(row)
        if any(item.record.derived_from for item in incoming):
            with cursor.copy("copy fact_parent (scope, fact, position, parent) from stdin") as copy:
                for number, item in zip(numbers, incoming, strict=True):
                    for position, parent in enumerate(item.record.derived_from):
                        copy.write_row((scope, number, position, parent))
    first = incoming[0].record
    stated: dict[str, Any] = {"count": len(incoming)} if len(incoming) > 1 else {}
    if first.supersedes and len(incoming) == 1:
        stated["supersedes"] = first.supersedes
    verb = "fact.import" if imported else "fact.supersede" if stated.get("supersedes") else "fact.write"
    consent = first.consent if len(incoming) == 1 and first.classification == PHI else None
    target = first.id if len(incoming) == 1 else ""
    act.record(binding.caller.actor, verb, target, scope=scope, consent=consent or "", **stated)


def refuse_unknown(record: FactRecord, facts: Collection[str], consents: Collection[str]) -> None:
    """Raise Unprocessable when a live write names a fact or a consent that is not there for the writer."""
    if record.supersedes is not None and record.supersedes not in facts:
        raise Unprocessable(f"names {record.supersedes}, which is not here", field="supersedes")
    missing = [parent for parent in record.derived_from if parent not in facts]
    if missing:
        raise Unprocessable(f"names {missing[0]}, which is not here", field="derivedFrom")
    if record.classification == PHI and record.consent not in consents:
        raise Unprocessable(f"names {record.consent}, which is not here", field="consent")


def refuse_superseded(winners: Mapping[str, str | None], record: FactRecord) -> None:
    """Raise Conflict when what `record` supersedes has a superseder already, naming it where the writer may see it."""
    if record.supersedes is None or record.supersedes not in winners:
        return
    winner = winners[record.supersedes]
    by = f" by {winner}" if winner else ""
    named: dict[str, Any] = {"winner": winner} if winner else {}
    raise Conflict(
        f"{record.supersedes} is superseded{by} already", field="supersedes", type="already_superseded", **named
    )


def named_by(record: FactRecord) -> list[str]:
    """The facts that a record names."""
    return [*record.derived_from, *([record.supersedes] if record.supersedes else [])]


def existing_ids(binding: Binding, ids: Iterable[str]) -> set[str]:
    """Which of these fact ids are taken in the bound scope."""
    rows = fetch(
        "select id from fact where scope = %(scope)s and id = any(%(ids)s)",
        {"scope": binding.one.pk, "ids": list(ids)},
    )
    return {row["id"] for row in rows}


def released_ids(binding: Binding, ids: Iterable[str]) -> set[str]:
    """Which of these facts are there for the writer: one that is withheld looks like a missing one here too."""
    named = list(ids)
    if not named:
        return set()
    sql = f"select f.id from fact f where f.scope = %(scope)s and f.id = any(%(ids)s) and {released_sql()}"
    rows = fetch(sql, gate_values(binding) | {"scope": binding.one.pk, "ids": named})
    return {row["id"] for row in rows}


def superseders(binding: Binding, records: Iterable[FactRecord]) -> dict[str, str | None]:
    """For each fact that these would supersede and that is superseded already: by which, None for a withheld one."""
    ids = [record.supersedes for record in records if record.supersedes]
    if not ids:
        return {}
    sql = (
        f"select f.supersedes, case when {released_sql()} then f.id end winner"
        " from fact f where f.scope = %(scope)s and f.supersedes = any(%(ids)s)"
    )
    rows = fetch(sql, gate_values(binding) | {"scope": binding.one.pk, "ids": ids})
    return {row["supersedes"]: row["winner"] for row in rows}


def known_consents(binding: Binding, records: Iterable[FactRecord]) -> set[str]:
    """Which consents of these records' PHI are recorded in the bound scope."""
    ids = {record.consent for record in records if record.classification == PHI and record.consent}
    if not ids:
        return set()
    return set(Consent.objects.filter(scope=binding.one.pk, id__in=ids).values_list("id", flat=True))


def _subjects_of_consents(scope: int, incoming: Sequence[Incoming]) -> dict[str, str]:
    ids = {item.record.consent for item in incoming if item.record.classification == PHI and item.record.consent}
    return subjects_of_consents(scope, ids) if ids else {}


def _changed_before(binding: Binding, record: FactRecord) -> bool:
    """Whether the writer can see that another claim was made before; what is withheld from them says nothing here."""
    sql = (
        "select count(distinct (z.object::jsonb, z.negated)) > 1 changed from (select f.object, f.negated from fact f"
        f" where f.scope = %(scope)s and f.claim = %(claim)s and (f.id = %(id)s or {released_sql()}) limit 1000) z"
    )
    scope = binding.one.pk
    named = {"scope": scope, "claim": claim_of(scope, record.subject, record.predicate), "id": record.id}
    rows = fetch(sql, gate_values(binding) | named)
    return bool(rows[0]["changed"])
