"""LOG as a timeline, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from domains.models import ContextRevision, Domain, LogLine
from domains.reading import LogQuery, authors_of, log_of

LINES = 100
LATEST = 6


@dataclass(frozen=True)
class TimelineLine:
    """A line, and who wrote it."""

    row: LogLine
    who: str


@dataclass(frozen=True)
class Timeline:
    """Lines, the newest first; `older` is where to go on, `author` who wrote the revision that was asked about."""

    lines: Sequence[TimelineLine]
    older: int | None = None
    author: str = ""

    @property
    def last(self) -> int:
        """The number of the newest line, 0 where there is none."""
        return self.lines[0].row.number if self.lines else 0


def timeline(
    domain: Domain,
    asked: LogQuery | None = None,
    *,
    before: int | None = None,
    most: int = LINES,
    beside: ContextRevision | None = None,
) -> Timeline:
    """The newest lines that are asked for, those below the number `before` if that is given.

    The author of the revision `beside` is looked up with theirs.
    """
    found = log_of(domain, asked).order_by("-number")
    if before is not None:
        found = found.filter(number__lt=before)
    rows = list(found[: most + 1])
    page = rows[:most]
    named: list[ContextRevision | LogLine] = [*page, *([beside] if beside else [])]
    names = authors_of(cast("Sequence[LogLine]", named))
    lines = [TimelineLine(row, names[_actor(row)]) for row in page]
    return Timeline(lines, page[-1].number if len(rows) > most else None, names[_actor(beside)] if beside else "")


def projects_in(domain: Domain, members: Sequence[str]) -> list[str]:
    """The projects that may be filtered by: the members, and those that once wrote."""
    wrote = LogLine.objects.filter(domain=domain).order_by().values_list("project", flat=True).distinct()
    return sorted({*members, *wrote})


def _actor(row: ContextRevision | LogLine) -> str:
    return f"{row.actor_kind}:{row.actor_id}"
