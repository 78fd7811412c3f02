"""Facts about to leave their band. A fact's decay is known when it is written, so this is a range of an index."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from common.times import now
from memory.facts.confidence import Band
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from spaces.access import Binding

HORIZON = timedelta(days=30)
MOST = 500


@dataclass(frozen=True)
class FadingFact:
    """A fact, and the band it falls to at an instant."""

    view: FactView
    leaves_at: datetime
    falls_to: Band


@dataclass(frozen=True)
class FadingSubject:
    """The fading facts about one subject, the soonest first."""

    subject: str | None
    scope: int
    facts: tuple[FadingFact, ...]


def fading_facts(binding: Binding, *, within: timedelta = HORIZON, most: int = MOST) -> list[FadingFact]:
    """Current, unsuperseded facts that leave their band within that time, the soonest first, snoozed ones left out."""
    at = now()
    found = [
        *_crossing(binding, "leaves_usable_at", "uncertain", at, at + within, most),
        *_crossing(binding, "leaves_uncertain_at", "stale", at, at + within, most),
    ]
    return sorted(found, key=lambda fading: (fading.leaves_at, fading.view.record.id))[:most]


def by_subject(found: list[FadingFact]) -> Iterator[FadingSubject]:
    """Grouped by subject, the subject that loses a fact first at the top."""

    def subject(fading: FadingFact) -> tuple[int, str]:
        return fading.view.scope, fading.view.record.subject or ""

    groups = [list(group) for _, group in groupby(sorted(found, key=subject), key=subject)]
    for group in sorted(groups, key=lambda group: min(fading.leaves_at for fading in group)):
        facts = tuple(sorted(group, key=lambda fading: fading.leaves_at))
        yield FadingSubject(facts[0].view.record.subject, facts[0].view.scope, facts)


def count_fading(binding: Binding, *, within: timedelta = HORIZON, most: int) -> int:
    """How many facts leave their band within that time, counted up to `most`."""
    return len(fading_facts(binding, within=within, most=most))


def _crossing(
    binding: Binding, column: str, falls_to: Band, begin: datetime, end: datetime, most: int
) -> list[FadingFact]:
    sql = select_sql(
        f"f.scope = any(%(scopes)s) and f.{column} > %(begin)s and f.{column} <= %(end)s"
        " and f.recorded_at <= %(as_of)s and s.id is null"
        f" and (f.valid_until is null or f.valid_until > f.{column})"
        " and not exists (select 1 from snooze z where z.scope = f.scope and z.fact = f.id and z.until > %(begin)s)"
    )
    values = judged_values(binding, begin, begin)
    values |= {"scopes": binding.scope_ids, "begin": begin, "end": end, "most": most}
    rows = fetch(f"{sql} order by f.{column}, f.id limit %(most)s", values)
    instants = {row["number"]: row[column] for row in rows}
    views = released_views(binding, rows, begin)
    return [FadingFact(view, instants[view.number], falls_to) for view in views]
