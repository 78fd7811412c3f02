"""The one gate before PHI. Every statement that reads facts has it in its WHERE, and nothing else releases them."""

from typing import Any

from common.times import now
from spaces.access import Binding


def released_sql(table: str = "f") -> str:
    """The condition that a row of `table` is released to the reader; takes the values of `gate_values`.

    PHI is released when its consent is known, is its subject's, names the purpose, and holds at this moment; or while
    an emergency release of its subject to this person runs. A fact without a subject takes its consent's.
    """
    return (
        f"({table}.classification is distinct from 'PHI'"
        " or exists (select 1 from consent gc"
        f"  where gc.scope = {table}.scope and gc.id = {table}.consent"
        f"  and ({table}.subject is null or gc.subject = {table}.subject)"
        "  and %(gate_purpose)s::text = any(gc.purposes)"
        "  and gc.valid_from <= %(gate_at)s and (gc.valid_until is null or gc.valid_until > %(gate_at)s)"
        "  and (gc.withdrawn_at is null or gc.withdrawn_at > %(gate_at)s))"
        " or exists (select 1 from emergency_release ge"
        f"  where ge.scope = {table}.scope and ge.person = %(gate_person)s::uuid"
        "  and ge.begins_at <= %(gate_at)s and ge.ends_at > %(gate_at)s"
        f"  and ge.subject = coalesce({table}.subject,"
        f"   (select gs.subject from consent gs where gs.scope = {table}.scope and gs.id = {table}.consent))))"
    )


def gate_values(binding: Binding) -> dict[str, Any]:
    """Who reads, for what, at this moment; `as_of` has no say in it."""
    person = binding.caller.person
    return {
        "gate_purpose": binding.purpose,
        "gate_at": now(),
        "gate_person": None if person is None else str(person.pk),
    }
