"""Lineage both ways: from a memory down to the lines it rests on, and from a line up to what it became."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from common.errors import NotFound
from common.times import now
from memory.layers.models import Tombstone
from memory.layers.reading import find_memory
from memory.layers.statements import Memory, fetched, memories_by_id
from memory.layers.tracing import Step, facts_of, history_of
from memory.sessions.models import Session, SessionLine
from spaces.access import Binding
from spaces.databases.transactions import memory_transaction

MOST_BELOW = 100
MOST_LINES = 400


@dataclass(frozen=True)
class Line:
    """A line as it is shown: masked."""

    index: int
    role: str
    speaker: str
    text: str
    at: datetime


@dataclass
class Branch:
    """A memory with its history and its lines by source, and what it rests on in turn."""

    memory: Memory
    history: list[Step] = field(default_factory=list)
    lines: list[list[Line]] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    rests_on: "list[Branch]" = field(default_factory=list)
    more: bool = False


@dataclass(frozen=True)
class Became:
    """What a line became, layer by layer, the facts made of it, and how often what rested on it was forgotten."""

    fragments: list[Memory]
    events: list[Memory]
    concepts: list[Memory]
    facts: list[str]
    forgotten: int


def lineage(binding: Binding, number: int, *, most: int = MOST_BELOW) -> Branch:
    """From a memory down: a concept's events and fragments, an event's fragments, the lines under each.

    A fragment that stands under an event is not listed beside it again. At most `most` memories under each, and 400
    lines in all. Raises NotFound.
    """
    at = now()
    root = Branch(find_memory(binding, number, at=at))
    level, seen, branches = [root], {number}, [root]
    while level:
        level = _below(binding, level, seen, at, most)
        branches += level
    _fill(binding, branches)
    return root


def became(binding: Binding, session: UUID, index: int) -> Became:
    """From a line up. Raises NotFound for a line that is not there for the reader."""
    if not _readable(binding, [str(session)]) or not SessionLine.objects.filter(session=session, index=index).exists():
        raise NotFound("There is no such line.")
    rows = fetched(
        "select distinct node from node_source"
        " where session = %(session)s and first <= %(index)s and last >= %(index)s",
        {"session": session, "index": index},
    )
    direct = [row["node"] for row in rows]
    above = _above(direct)
    further = _above(above)
    found = memories_by_id(binding, sorted({*direct, *above, *further}), now())
    by_layer: dict[int, list[Memory]] = defaultdict(list)
    for number in sorted(found):
        by_layer[found[number].layer].append(found[number])
    facts = facts_of(binding, list(found))
    gone = Tombstone.objects.filter(session=session, first__lte=index, last__gte=index, lifted_at=None)
    return Became(
        by_layer[1],
        by_layer[2],
        by_layer[3],
        sorted({fact for ids in facts.values() for fact in ids}),
        gone.values("node").distinct().count(),
    )


def _above(ids: Sequence[int]) -> list[int]:
    """What fragments are part of, and what fragments and events mention."""
    rows = fetched(
        "select distinct object from link where subject = any(%(ids)s) and predicate in ('part_of', 'mentions')",
        {"ids": list(ids)},
    )
    return [row["object"] for row in rows]


def _below(binding: Binding, level: Sequence[Branch], seen: set[int], at: datetime, most: int) -> list[Branch]:
    """One step down: events first, so that their fragments are found under them."""
    parents = {branch.memory.id: branch for branch in level}
    rows = fetched(
        "select p.id parent, c.subject child from unnest(%(ids)s::bigint[]) p(id) cross join lateral ("
        " select k.subject from link k join node n on n.id = k.subject and n.merged_into is null"
        "  where k.object = p.id and k.predicate in ('part_of', 'mentions')"
        "  order by n.layer desc, k.subject desc limit %(limit)s) c",
        {"ids": list(parents), "limit": most + 1},
    )
    children = memories_by_id(binding, sorted({row["child"] for row in rows}), at)
    events = {number for number, memory in children.items() if memory.layer == 2}
    under_events = _parts_of(events)
    made = []
    counts: dict[int, int] = defaultdict(int)
    for row in rows:
        number, parent = row["child"], parents[row["parent"]]
        counts[row["parent"]] += 1
        parent.more = counts[row["parent"]] > most
        if parent.more or number not in children or number in seen or number in under_events:
            continue
        seen.add(number)
        branch = Branch(children[number])
        parent.rests_on.append(branch)
        made.append(branch)
    return made


def _parts_of(events: Iterable[int]) -> set[int]:
    rows = fetched(
        "select subject from link where object = any(%(ids)s) and predicate = 'part_of'", {"ids": list(events)}
    )
    return {row["subject"] for row in rows}


def _fill(binding: Binding, branches: Sequence[Branch]) -> None:
    """Histories, facts and lines of all branches, a statement each; that lines were read goes on record."""
    ids = [branch.memory.id for branch in branches]
    histories, facts = history_of(ids), facts_of(binding, ids)
    wanted = [
        (source.session, source.first, source.last)
        for branch in branches
        if branch.memory.layer == 1 or len(branches) == 1
        for source in branch.memory.sources
    ]
    lines = _lines(binding, wanted)
    for branch in branches:
        branch.history, branch.facts = histories[branch.memory.id], facts[branch.memory.id]
        branch.lines = [lines.get((source.session, source.first, source.last), []) for source in branch.memory.sources]
    with memory_transaction() as act:
        root = branches[0].memory
        act.record(
            binding.caller.actor,
            "memory.lineage",
            f"memory:{root.id}",
            scope=root.scope,
            purpose=binding.purpose or "",
            lines=sum(len(found) for found in lines.values()),
        )


Place = tuple[str, int, int]


def _lines(binding: Binding, places: Sequence[Place]) -> dict[Place, list[Line]]:
    readable = _readable(binding, sorted({session for session, _, _ in places}))
    wanted = [place for place in dict.fromkeys(places) if place[0] in readable]
    if not wanted:
        return {}
    sessions, firsts, lasts = (list(column) for column in zip(*wanted, strict=True))
    rows = fetched(
        "select w.place, l.index, l.role, l.speaker, l.text, l.at"
        " from unnest(%(sessions)s::uuid[], %(firsts)s::int[], %(lasts)s::int[])"
        "  with ordinality w(session, first, last, place)"
        " join session_line l on l.session = w.session and l.index between w.first and w.last"
        f" order by w.place, l.index limit {MOST_LINES}",
        {"sessions": sessions, "firsts": firsts, "lasts": lasts},
    )
    found: dict[Place, list[Line]] = defaultdict(list)
    for row in rows:
        found[wanted[row.pop("place") - 1]].append(Line(**row))
    return found


def _readable(binding: Binding, sessions: Sequence[str]) -> set[str]:
    """The sessions of the bound scopes whose lines are no PHI; those of PHI are read in their session, by its rules."""
    found = Session.objects.filter(pk__in=list(sessions), scope__in=binding.scope_ids)
    return {str(session.pk) for session in found if not session.is_phi}
