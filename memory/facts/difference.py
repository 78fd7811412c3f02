"""What changed between two instants: facts that appeared, were superseded, expired, or crossed a band."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from common.errors import Invalid
from memory.facts.confidence import effective_confidence
from memory.facts.decay import parse_decay
from memory.facts.gate import released_sql
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from spaces.access import Binding

Change = Literal["appeared", "superseded", "expired", "crossed"]
CHANGES: tuple[Change, ...] = ("appeared", "superseded", "expired", "crossed")
MOST = 200


@dataclass(frozen=True)
class ChangedFact:
    """A fact as it stands at the later instant, and its effective confidence at the earlier one."""

    view: FactView
    before: float


@dataclass(frozen=True)
class Difference:
    """The facts of each kind of change, and the kinds of which more happened than are shown."""

    earlier: datetime
    later: datetime
    changes: dict[Change, list[ChangedFact]]
    cut: frozenset[Change]


def difference(
    binding: Binding, earlier: datetime, later: datetime, *, subject_values: list[str] | None = None, most: int = MOST
) -> Difference:
    """What changed in the bound scopes between two instants, both axes together; at most `most` facts of each kind.

    Raises Invalid when the instants are not in order.
    """
    if earlier >= later:
        raise Invalid("must be later than the first instant", field="later")
    found, cut = {}, set()
    for change in CHANGES:
        views = _changed(binding, change, earlier, later, subject_values, most + 1)
        if len(views) > most:
            cut.add(change)
        found[change] = [ChangedFact(view, _at(view, earlier)) for view in views[:most]]
    return Difference(earlier, later, found, frozenset(cut))


_WHERE: dict[Change, tuple[str, str]] = {
    "appeared": ("f.recorded_at > %(earlier)s and f.recorded_at <= %(later)s", "f.recorded_at"),
    "superseded": (
        (
            "f.id in (select n.supersedes from fact n where n.scope = any(%(scopes)s) and n.supersedes is not null"
            f" and n.recorded_at > %(earlier)s and n.recorded_at <= %(later)s and {released_sql('n')})"
            " and f.recorded_at <= %(earlier)s"
        ),
        "f.recorded_at",
    ),
    "expired": (
        "f.valid_until > %(earlier)s and f.valid_until <= %(later)s and f.recorded_at <= %(earlier)s and s.id is null",
        "f.valid_until",
    ),
    "crossed": (
        (
            "(f.leaves_usable_at > %(earlier)s and f.leaves_usable_at <= %(later)s"
            " or f.leaves_uncertain_at > %(earlier)s and f.leaves_uncertain_at <= %(later)s)"
            " and f.recorded_at <= %(earlier)s and s.id is null"
            " and (f.valid_until is null or f.valid_until > %(later)s)"
        ),
        "coalesce(f.leaves_usable_at, f.leaves_uncertain_at)",
    ),
}


def _changed(
    binding: Binding, change: Change, earlier: datetime, later: datetime, subjects: list[str] | None, limit: int
) -> list[FactView]:
    where, order = _WHERE[change]
    narrowed = " and f.subject = any(%(subjects)s)" if subjects is not None else ""
    sql = select_sql(f"f.scope = any(%(scopes)s) and {where}{narrowed}")
    values = judged_values(binding, later, later)
    values |= {"scopes": binding.scope_ids, "earlier": earlier, "later": later, "subjects": subjects, "limit": limit}
    return released_views(binding, fetch(f"{sql} order by {order} desc, f.id limit %(limit)s", values), later)


def _at(view: FactView, instant: datetime) -> float:
    record = view.record
    decay = parse_decay(record.decay) if record.decay else None
    return effective_confidence(record.confidence, decay, record.valid_from, instant)
