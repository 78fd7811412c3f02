"""What changed between two instants: facts that appeared, were superseded, expired, or crossed a band."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from common.errors import Invalid
from memory.facts.reading import facts_by_id
from memory.facts.rules.confidence import Band, band, effective_confidence
from memory.facts.rules.decay import parse_decay
from memory.facts.scoping import scope_sql
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

Change = Literal["appeared", "superseded", "expired", "crossed"]
CHANGES: tuple[Change, ...] = ("superseded", "crossed", "expired", "appeared")
MOST = 200


@dataclass(frozen=True)
class ChangedFact:
    """A fact as it stands at the later instant, when it changed, and how sure it was at the earlier instant.

    `before` is None for a fact that was not known then; `replaced_by` is what superseded it, where the reader may see
    that.
    """

    view: FactView
    at: datetime
    before: float | None
    replaced_by: FactView | None = None

    @property
    def band_before(self) -> Band | None:
        return None if self.before is None else band(self.before)


@dataclass(frozen=True)
class Difference:
    """The facts of each kind of change, the latest first, and the kinds of which more happened than are shown."""

    earlier: datetime
    later: datetime
    changes: dict[Change, list[ChangedFact]]
    cut: frozenset[Change]

    @property
    def is_empty(self) -> bool:
        return not any(self.changes.values())


def difference(
    binding: Binding, earlier: datetime, later: datetime, *, subject_values: list[str] | None = None, most: int = MOST
) -> Difference:
    """What changed in the bound scopes between two instants, both axes together; at most `most` facts of each kind.

    Each fact is listed once. Superseded, expired and crossed are facts that were known at the earlier instant and not
    yet expired then. A fact that appeared in the place of one that is listed as superseded is named there and not
    listed again. What a withheld fact superseded is not listed, for that would tell of it. Raises Invalid when the
    instants are not in order.
    """
    if earlier >= later:
        raise Invalid("must be later than the first instant", field="later")
    values = gate_values(binding) | {
        "scopes": binding.scope_ids,
        "earlier": earlier,
        "later": later,
        "subjects": subject_values,
        "most": most + 1,
    }
    parts = {
        "gate": released_sql("f"),
        "old_gate": released_sql("o"),
        "new_gate": released_sql("n"),
        "scope": scope_sql(binding),
        "new_scope": scope_sql(binding, "n"),
        "narrowed": "" if subject_values is None else " and f.subject = any(%(subjects)s)",
    }
    found: dict[Change, list[ChangedFact]] = {}
    cut = set()
    for change in CHANGES:
        rows = fetch(_SQL[change].format(**parts), values)
        if len(rows) > most:
            cut.add(change)
        found[change] = _changed(binding, change, rows[:most], earlier, later)
    return Difference(earlier, later, found, frozenset(cut))


_STOOD = "f.recorded_at <= %(earlier)s and (f.valid_until is null or f.valid_until > %(earlier)s) and {gate}{narrowed}"
_STANDS = (
    "not exists (select 1 from fact s where s.scope = f.scope and s.supersedes = f.id and s.recorded_at <= %(later)s)"
)
_IN_FORCE = "(f.valid_until is null or f.valid_until > %(later)s)"
# Each gives numbers and instants, the latest first, so that what is not shown is neither opened nor judged.
_SQL: dict[Change, str] = {
    "appeared": (
        "select f.number, f.recorded_at at from fact f where {scope}"
        " and f.recorded_at > %(earlier)s and f.recorded_at <= %(later)s and {gate}{narrowed}"
        " and not exists (select 1 from fact o where o.scope = f.scope and o.id = f.supersedes"
        "  and o.recorded_at <= %(earlier)s and (o.valid_until is null or o.valid_until > %(earlier)s) and {old_gate})"
        " order by f.recorded_at desc, f.id limit %(most)s"
    ),
    "superseded": (
        "select f.number, n.recorded_at at from fact n join fact f on f.scope = n.scope and f.id = n.supersedes"
        " where {new_scope} and n.supersedes is not null"
        f" and n.recorded_at > %(earlier)s and n.recorded_at <= %(later)s and {{new_gate}} and {_STOOD}"
        " order by n.recorded_at desc, n.id limit %(most)s"
    ),
    "expired": (
        "select f.number, f.valid_until at from fact f where {scope}"
        f" and f.valid_until > %(earlier)s and f.valid_until <= %(later)s and {_STOOD} and {_STANDS}"
        " order by f.valid_until desc, f.id limit %(most)s"
    ),
    # Out of both bands at once it is listed by the second.
    "crossed": (
        "select number, at from ("
        "(select f.number, f.id, f.leaves_usable_at at from fact f where {scope}"
        " and f.leaves_usable_at > %(earlier)s and f.leaves_usable_at <= %(later)s"
        " and (f.leaves_uncertain_at is null or f.leaves_uncertain_at > %(later)s)"
        f" and {_STOOD} and {_STANDS} and {_IN_FORCE} order by f.leaves_usable_at desc, f.id limit %(most)s)"
        " union all"
        " (select f.number, f.id, f.leaves_uncertain_at at from fact f where {scope}"
        " and f.leaves_uncertain_at > %(earlier)s and f.leaves_uncertain_at <= %(later)s"
        f" and {_STOOD} and {_STANDS} and {_IN_FORCE} order by f.leaves_uncertain_at desc, f.id limit %(most)s)"
        ") z order by at desc, id limit %(most)s"
    ),
}


def _changed(
    binding: Binding, change: Change, rows: Sequence[dict[str, Any]], earlier: datetime, later: datetime
) -> list[ChangedFact]:
    if not rows:
        return []
    numbers = {"numbers": [row["number"] for row in rows]}
    judged = fetch(select_sql("f.number = any(%(numbers)s)"), judged_values(binding, later, later) | numbers)
    views = {view.number: view for view in released_views(binding, judged, later)}
    replacing = _replacing(binding, views.values(), later) if change == "superseded" else {}
    return [
        ChangedFact(
            view,
            row["at"],
            None if change == "appeared" else _at(view, earlier),
            replacing.get((view.scope, view.superseded_by)),
        )
        for row in rows
        if (view := views.get(row["number"])) is not None
    ]


def _replacing(binding: Binding, views: Iterable[FactView], later: datetime) -> dict[tuple[int, str | None], FactView]:
    """What superseded these, where the reader may see it, by scope and id."""
    ids = [view.superseded_by for view in views if view.superseded_by is not None]
    found = facts_by_id(binding, ids, as_of=later) if ids else []
    return {(view.scope, view.record.id): view for view in found}


def _at(view: FactView, instant: datetime) -> float:
    record = view.record
    decay = parse_decay(record.decay) if record.decay else None
    return effective_confidence(record.confidence, decay, record.valid_from, instant)
