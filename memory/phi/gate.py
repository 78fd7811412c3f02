"""The one gate before PHI. Every statement that reads facts has it in its WHERE, and nothing else releases them."""

from typing import Any

from common.times import now
from spaces.access import Binding
from spaces.models import Membership

MAY_BREAK_GLASS = frozenset({Membership.Role.OWNER, Membership.Role.ADMIN})


def released_sql(table: str = "f") -> str:
    """The condition that a row of `table` is released to the reader; takes the values of `gate_values`.

    What is not PHI is. PHI is when a consent covers it, or while an emergency release of its subject to this person
    runs. Where neither can be, `gate_open` is false and PHI is not looked at, so that it takes no time either.
    """
    return (
        f"({table}.sealed is null and {table}.classification is distinct from 'PHI'"
        f" or %(gate_open)s and ({consented_sql(table)}"
        " or exists (select 1 from emergency_release ge"
        f"  where ge.scope = {table}.scope and ge.person = %(gate_person)s::uuid"
        "  and ge.begins_at <= %(gate_at)s and ge.ends_at > %(gate_at)s"
        f"  and ge.subject = coalesce({table}.subject,"
        f"   (select gs.subject from consent gs where gs.scope = {table}.scope and gs.id = {table}.consent)))))"
    )


def consented_sql(table: str = "f") -> str:
    """The condition that the consent of a PHI row covers it for the stated purpose.

    It is known, is its subject's, names the purpose, and holds at this moment. A fact without a subject takes its
    consent's; an erased consent has none and covers nothing.
    """
    return (
        f"exists (select 1 from consent gc where gc.scope = {table}.scope and gc.id = {table}.consent"
        f" and gc.subject = coalesce({table}.subject, gc.subject) and %(gate_purpose)s::text = any(gc.purposes)"
        " and gc.valid_from <= %(gate_at)s and (gc.valid_until is null or gc.valid_until > %(gate_at)s)"
        " and gc.withdrawn_at is null)"
    )


def gate_values(binding: Binding) -> dict[str, Any]:
    """Who reads, for what, at this moment; `as_of` has no say in it."""
    return {
        "gate_open": may_see_phi(binding),
        "gate_purpose": binding.purpose,
        "gate_at": now(),
        "gate_person": _person(binding),
    }


def may_see_phi(binding: Binding) -> bool:
    """Whether any PHI at all could be released to this reader."""
    return binding.purpose is not None or _person(binding) is not None


def _person(binding: Binding) -> str | None:
    """The person to whom an emergency release may run; whoever lost the role since has it no more."""
    person = binding.caller.person
    return str(person.pk) if person is not None and binding.role in MAY_BREAK_GLASS else None
