"""Facts about to leave their band. When a fact falls is known once it is written, so this is a range of an index."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal

from common.times import format_instant, now, parse_instant
from memory.facts.reading import subject_values
from memory.facts.rules.confidence import Band
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from memory.phi.gate import released_sql
from spaces.access import Binding

HORIZON = timedelta(days=30)
MOST_SNOOZED = 100

Fall = Literal["uncertain", "stale"]
Key = tuple[str, str, int]
_COLUMNS: dict[Fall, str] = {"uncertain": "leaves_usable_at", "stale": "leaves_uncertain_at"}


@dataclass(frozen=True)
class FadingQuery:
    """What is asked: what leaves its band within a time, of one subject or all, to one band or either."""

    within: timedelta = HORIZON
    subject: str | None = None
    falls_to: Fall | None = None
    limit: int = 100


@dataclass(frozen=True)
class FadingFact:
    """A fact, and the band it falls to at an instant."""

    view: FactView
    leaves_at: datetime
    falls_to: Band


@dataclass(frozen=True)
class FadingPage:
    """One page, the soonest first, and where the next begins."""

    at: datetime
    facts: list[FadingFact] = field(default_factory=list)
    next_key: Key | None = None


@dataclass(frozen=True)
class FadingSubject:
    """The fading facts about one subject, the soonest first."""

    subject: str | None
    scope: int
    facts: tuple[FadingFact, ...]


@dataclass(frozen=True)
class SnoozedFact:
    """A fact that was put off until an instant, and who did."""

    view: FactView
    until: datetime
    said_by: str


def about_to_leave(column: str, scopes: int) -> str:
    """The condition that a fact leaves its band at `column` after `begin` and no later than `end`, and stands now.

    A fact that is to leave usable is not listed for leaving uncertain as well. What is not yet valid, or ends before it
    falls, does not fade; what was put off is left out. Takes `scopes` (that many), `begin` and `end`.
    """
    # An index gives the facts of one scope in their order, those of several not.
    scope = "f.scope = (%(scopes)s::int[])[1]" if scopes == 1 else "f.scope = any(%(scopes)s)"
    is_next = (
        "true" if column == "leaves_usable_at" else "(f.leaves_usable_at is null or f.leaves_usable_at <= %(begin)s)"
    )
    return (
        f"{scope} and f.{column} > %(begin)s and f.{column} <= %(end)s and {is_next}"
        " and f.recorded_at <= %(begin)s and f.valid_from <= %(begin)s"
        f" and (f.valid_until is null or f.valid_until > f.{column})"
        " and not exists (select 1 from snooze z where z.scope = f.scope and z.fact = f.id and z.until > %(begin)s)"
        " and not exists (select 1 from fact s"
        "  where s.scope = f.scope and s.supersedes = f.id and s.recorded_at <= %(begin)s)"
    )


def fading_facts(binding: Binding, query: FadingQuery, after: Key | None = None) -> FadingPage:
    """Current, unsuperseded facts that leave their band within the asked time, the soonest first."""
    at = now()
    values = judged_values(binding, at, at)
    values |= {"scopes": binding.scope_ids, "begin": at, "end": at + query.within, "most": query.limit + 1}
    more = ""
    if query.subject is not None:
        more += " and f.subject = any(%(subject)s)"
        values["subject"] = subject_values(binding, query.subject)
    if after is not None:
        more += " and ({column}, f.id, f.scope) > (%(k0)s::timestamptz, %(k1)s, %(k2)s)"
        values |= {f"k{position}": value for position, value in enumerate(after)}
    parts = (
        f"(select f.number, f.{column} leaves_at, '{falls_to}' falls_to, f.id, f.scope from fact f"
        f" where {about_to_leave(column, len(binding.scopes))}{more.format(column=f'f.{column}')} and {released_sql()}"
        f" order by f.{column}, f.id, f.scope limit %(most)s)"
        for falls_to, column in _COLUMNS.items()
        if query.falls_to in (None, falls_to)
    )
    rows = fetch(
        f"select q.*, n.leaves_at, n.falls_to from ({' union all '.join(parts)}) n"
        f" cross join lateral ({select_sql('f.number = n.number')}) q"
        " order by n.leaves_at, n.id, n.scope limit %(most)s",
        values,
    )
    shown = rows[: query.limit]
    falls = {row["number"]: (row["leaves_at"], row["falls_to"]) for row in shown}
    facts = [FadingFact(view, *falls[view.number]) for view in released_views(binding, shown, at)]
    return FadingPage(at, facts, _key(shown[-1]) if len(rows) > query.limit else None)


def checked_key(value: object) -> Key:
    """The key that a cursor carried. Raises ValueError for anything else."""
    match value:
        case [str(leaves_at), str(fact_id), int(scope)] if not isinstance(scope, bool) and 0 <= scope < 2**31:
            return format_instant(parse_instant(leaves_at)), fact_id, scope
    raise ValueError("not a key of this list")


def by_subject(found: Iterable[FadingFact]) -> Iterator[FadingSubject]:
    """Grouped by subject, the subject that loses a fact first at the top."""

    def subject(fading: FadingFact) -> tuple[int, str]:
        return fading.view.scope, fading.view.record.subject or ""

    groups = [list(group) for _, group in groupby(sorted(found, key=subject), key=subject)]
    for group in sorted(groups, key=lambda group: min(fading.leaves_at for fading in group)):
        facts = tuple(sorted(group, key=lambda fading: fading.leaves_at))
        yield FadingSubject(facts[0].view.record.subject, facts[0].view.scope, facts)


def snoozed_facts(binding: Binding) -> list[SnoozedFact]:
    """Facts that were put off and still stand, the next to come back first, at most 100."""
    at = now()
    where = "f.scope = any(%(scopes)s) and f.id = z.fact and f.scope = z.scope and s.id is null"
    sql = (
        "select q.*, z.until, z.said_by from snooze z cross join lateral"
        f" ({select_sql(where)}) q where z.scope = any(%(scopes)s) and z.until > %(as_of)s"
        " order by z.until, q.id limit %(most)s"
    )
    rows = fetch(sql, judged_values(binding, at, at) | {"scopes": binding.scope_ids, "most": MOST_SNOOZED})
    said = {row["number"]: (row["until"], row["said_by"]) for row in rows}
    return [SnoozedFact(view, *said[view.number]) for view in released_views(binding, rows, at)]


def _key(row: dict[str, object]) -> Key:
    leaves_at, scope = row["leaves_at"], row["scope"]
    assert isinstance(leaves_at, datetime)
    assert isinstance(scope, int)
    return format_instant(leaves_at), str(row["id"]), scope
