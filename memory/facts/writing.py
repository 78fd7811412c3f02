"""The only way facts come to be: alone, many at once, or in the place of an older one."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound, Unprocessable
from common.times import now
from memory.facts.document import FactInput
from memory.facts.record import FactRecord, record_from_input
from memory.facts.rows import COPY_COLUMNS, copy_row
from spaces.access import Binding
from spaces.databases.entering import current_alias

PHI = "PHI"


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
    if given.supersedes not in (None, old_id):
        raise Invalid("is said by the address already, and differs", field="supersedes")
    if not existing_ids(binding.one.pk, [old_id]):
        raise NotFound("There is no such fact.")
    return write_fact(act, binding, given.model_copy(update={"supersedes": old_id}))


def checked(binding: Binding, given: FactInput) -> FactRecord:
    """The record of a live write, every id it names found in its scope. Raises as `write_fact`."""
    record = record_from_input(given, now(), secrets.token_hex(8))
    refuse_phi(record)
    scope = binding.one.pk
    known = existing_ids(scope, [record.id, *record.derived_from, *([record.supersedes] if record.supersedes else [])])
    if record.id in known:
        raise Conflict("is taken; a fact never changes, supersede it instead", field="@id", type="id_taken")
    if record.supersedes is not None and record.supersedes not in known:
        raise Unprocessable(f"names {record.supersedes}, which is not here", field="supersedes")
    missing = [parent for parent in record.derived_from if parent not in known]
    if missing:
        raise Unprocessable(f"names {missing[0]}, which is not here", field="derivedFrom")
    if record.supersedes is not None:
        refuse_superseded(superseders(scope, [record.supersedes]), record)
    return record


def warnings_for(binding: Binding, record: FactRecord) -> list[str]:
    """What a writer should think about again; nothing that keeps the fact from being written."""
    found = []
    if record.confidence == 1.0:
        found.append("A confidence of 1.0 is for definitions; nothing can be surer than this fact.")
    if record.inference is not None and not record.derived_from:
        found.append("The fact names a rule (inference) but not what it was derived from (derivedFrom).")
    if record.decay is None and _changed_before(binding.one.pk, record):
        found.append("This subject and predicate changed before, and the fact has no decay.")
    return found


def insert(act: Act, binding: Binding, incoming: Sequence[Incoming], *, imported: bool) -> None:
    """Add facts to the bound scope in the transaction `act`, with one audit row for all of them."""
    scope, author = binding.one.pk, str(binding.caller.actor)
    with connections[act.using].cursor() as cursor:
        cursor.execute(
            "select nextval(pg_get_serial_sequence('fact', 'number')) from generate_series(1, %s)", [len(incoming)]
        )
        numbers = [row[0] for row in cursor.fetchall()]
        with cursor.copy(f"copy fact ({', '.join(COPY_COLUMNS)}) from stdin") as copy:
            for number, item in zip(numbers, incoming, strict=True):
                copy.write_row(
                    copy_row(number, scope, item.record, imported=imported, file=item.file, recorded_by=author)
                )
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
    act.record(binding.caller.actor, verb, first.id if len(incoming) == 1 else "", scope=scope, **stated)


def refuse_phi(record: FactRecord) -> None:
    """PHI needs its gate and its encryption, which this version does not have yet."""
    if record.classification == PHI:
        raise Invalid("PHI cannot be kept yet: this version has no encryption for it", field="classification")


def refuse_superseded(winners: dict[str, str], record: FactRecord) -> None:
    """Raise Conflict naming the winner when what `record` supersedes has a superseder already."""
    winner = winners.get(record.supersedes or "")
    if winner is not None:
        raise Conflict(
            f"{record.supersedes} is superseded by {winner} already",
            field="supersedes",
            type="already_superseded",
            winner=winner,
        )


def existing_ids(scope: int, ids: Iterable[str]) -> set[str]:
    """Which of these fact ids are in the scope."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("select id from fact where scope = %s and id = any(%s)", [scope, list(ids)])
        return {row[0] for row in cursor.fetchall()}


def superseders(scope: int, ids: Iterable[str]) -> dict[str, str]:
    """For each of these fact ids that is superseded, the fact that did it."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("select supersedes, id from fact where scope = %s and supersedes = any(%s)", [scope, list(ids)])
        return dict(cursor.fetchall())


def _changed_before(scope: int, record: FactRecord) -> bool:
    if record.subject is None or record.predicate is None:
        return False
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(
            "select count(distinct (object, negated)) > 1 from (select object::jsonb object, negated from fact"
            " where scope = %s and subject = %s and predicate = %s limit 1000) claims",
            [scope, record.subject, record.predicate],
        )
        return bool(cursor.fetchone()[0])
