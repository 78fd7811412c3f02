"""Cutting a run's lines into batches that fit into memory and into a worker's lease."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.layers.elements import run_sql
from memory.sessions.models import Session


@dataclass(frozen=True)
class Room:
    """The most that one batch takes; bytes are those of the stored lines."""

    lines: int
    size: int


USUAL = Room(500, 1_000_000)
# A model answers a few requests of this size within the time that a worker holds a run.
FOR_A_MODEL = Room(50, 24_000)


@dataclass(frozen=True)
class Part:
    """Lines `first` to `last` of a session, as one batch takes them."""

    session: Session
    first: int
    last: int

    @property
    def lines(self) -> int:
        return self.last - self.first + 1


def batches_of(plan: Sequence[tuple[UUID, int, int]], room: Room) -> Iterator[list[Part]]:
    """The lines of a plan that are not distilled yet, in batches; a PHI session shares none with another.

    Where a new pass over a session has begun since the plan was made, it is begun here.
    """
    waiting: list[Part] = []
    lines = size = 0
    for session_id, _, last in plan:
        session = Session.objects.select_related("key").filter(pk=session_id).first()
        if session is None:
            continue
        for part, weight in _parts(session, min(last, session.line_count - 1), room):
            if waiting and (session.is_phi or lines + part.lines > room.lines or size + weight > room.size):
                yield waiting
                waiting, lines, size = [], 0, 0
            if session.is_phi:
                yield [part]
                continue
            waiting.append(part)
            lines, size = lines + part.lines, size + weight
    if waiting:
        yield waiting


def _parts(session: Session, last: int, room: Room) -> Iterator[tuple[Part, int]]:
    """A session in parts that fit, each with its size; a line that is too large by itself is a part of its own."""
    first = session.distilled_until
    while first <= last:
        end, weight = _fitting(session.pk, first, min(last, first + room.lines - 1), room.size)
        yield Part(session, first, end), weight
        first = end + 1


def _fitting(session: UUID, first: int, last: int, size: int) -> tuple[int, int]:
    """How far lines from `first` on fit into `size`, and what they take."""
    rows = run_sql(
        'select "index", total from (select "index", sum(octet_length(text) + coalesce(octet_length(sealed), 0))'
        ' over (order by "index") total from session_line'
        ' where session = %(session)s and "index" between %(first)s and %(last)s) l'
        ' where total <= %(size)s or "index" = %(first)s order by "index" desc limit 1',
        {"session": session, "first": first, "last": last, "size": size},
    )
    return (int(rows[0][0]), int(rows[0][1])) if rows else (last, 0)
