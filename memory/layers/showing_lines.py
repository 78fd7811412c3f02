"""What the lines of a session became, line by line, for the page of the session."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.layers.models import Distillation, Tombstone
from memory.layers.rules.strength import EVENT, FRAGMENT
from memory.layers.statements import Memory, fetched, memories_by_id
from memory.sessions.models import Session
from memory.sessions.opening import OpenLine
from spaces.access import Binding

MOST = 1_000


@dataclass(frozen=True)
class ShownLine:
    """A line and what became of it: fragments, the events whose first line among those shown it is with the lines from
    first to last that they rest on here, and whether what it became was forgotten."""

    line: OpenLine
    fragments: list[Memory] = field(default_factory=list)
    events: list[tuple[Memory, int, int]] = field(default_factory=list)
    is_forgotten: bool = False
    waits: bool = False


def shown_lines(binding: Binding, session: Session, lines: Sequence[OpenLine], at: datetime) -> list[ShownLine]:
    """Each line with what rests on it, as far as the reader may know of it; a fixed number of statements."""
    if not lines:
        return []
    first, last = lines[0].index, lines[-1].index
    rows = fetched(
        "select node, first, last from node_source where session = %(session)s and first <= %(last)s"
        " and last >= %(first)s order by first, node, last limit %(most)s",
        {"session": session.pk, "first": first, "last": last, "most": MOST},
    )
    found = memories_by_id(binding, sorted({row["node"] for row in rows}), at)
    fragments: dict[int, list[Memory]] = defaultdict(list)
    events: dict[int, tuple[int, int]] = {}
    for row in rows:
        memory = found.get(row["node"])
        if memory is None:
            continue
        if memory.layer == FRAGMENT:
            for index in range(max(row["first"], first), min(row["last"], last) + 1):
                fragments[index].append(memory)
        elif memory.layer == EVENT:
            begin, end = events.get(memory.id, (row["first"], row["last"]))
            events[memory.id] = (min(begin, row["first"]), max(end, row["last"]))
    begun: dict[int, list[tuple[Memory, int, int]]] = defaultdict(list)
    for number, (begin, end) in events.items():
        begun[max(begin, first)].append((found[number], begin, end))
    forgotten = _forgotten(session, first, last)
    return [
        ShownLine(
            line,
            fragments[line.index],
            begun[line.index],
            not fragments[line.index] and line.index in forgotten,
            line.index >= session.distilled_until,
        )
        for line in lines
    ]


def open_run(session: Session) -> Distillation | None:
    """A run that waits for this session or works on it."""
    states = (Distillation.State.PENDING, Distillation.State.RUNNING)
    return Distillation.objects.filter(session=session.pk, state__in=states).order_by("-asked_at").first()


def _forgotten(session: Session, first: int, last: int) -> set[int]:
    gone = Tombstone.objects.filter(
        session=session.pk, layer=FRAGMENT, first__lte=last, last__gte=first, lifted_at=None
    ).values_list("first", "last")[:MOST]
    return {index for begin, end in gone for index in range(max(begin or 0, first), min(end or 0, last) + 1)}
