"""Proposals that wait, as the review queue shows them: what each says, the lines it rests on, what goes with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory.layers.models import Proposal
from memory.layers.review import rests_on
from memory.layers.statements import fetched
from memory.sessions.models import Session
from spaces.access import Binding

MOST_PLACES = {"fragment": 1, "fact": 1, "event": 2, "concept": 2}
MOST_LINES = 6
# With these the lines before and behind are shown too: one line alone may say little.
_WITH_NEIGHBOURS = frozenset({"fragment", "fact"})
LAYERS = {"fragment": 1, "event": 2, "concept": 3}
# For each kind of proposal, what a person may change before approving: name, label, and whether it is a long text.
EDITS: dict[str, tuple[tuple[str, str, bool], ...]] = {
    "fragment": (("text", "Text", True),),
    "event": (("title", "Title", False), ("text", "Text", True)),
    "concept": (("name", "Name", False), ("type", "Type", False)),
    "fact": (
        ("statement", "Statement", True),
        ("subject", "Subject", False),
        ("predicate", "Predicate", False),
        ("confidence", "Confidence", False),
    ),
}


@dataclass(frozen=True)
class CitedLine:
    """A line beside a proposal; one that is not cited stands there for its neighbour's sake."""

    index: int
    speaker: str
    text: str
    is_cited: bool


@dataclass(frozen=True)
class CitedPlace:
    """Lines of one session that a proposal rests on. `more` of them are not shown."""

    session: UUID
    title: str
    first: int
    last: int
    lines: list[CitedLine] = field(default_factory=list)

    @property
    def more(self) -> int:
        return max(0, self.last - self.first + 1 - sum(line.is_cited for line in self.lines))


@dataclass(frozen=True)
class ShownProposal:
    """A proposal with the name of its scope, its lines, and how many that it rests on wait and are approved with it."""

    row: Proposal
    scope: str
    places: list[CitedPlace]
    more_places: int
    needs: int

    @property
    def layer(self) -> int | None:
        """The layer it would stand in; None for a fact."""
        return LAYERS.get(self.row.kind)

    @property
    def title(self) -> str:
        """What stands for it in the list."""
        body = self.row.body
        return str(body.get("title") or body.get("name") or body.get("statement") or body.get("text") or "")

    @property
    def more(self) -> str:
        """What it says beside its title."""
        text = str(self.row.body.get("text") or "")
        return "" if text == self.title else text

    @property
    def kind(self) -> str:
        """What sort of thing it is: a decision, a preference, a person."""
        told = self.row.body.get("kind") or self.row.body.get("type") or ""
        return str(told).replace("_", " ").lower()

    @property
    def aliases(self) -> list[str]:
        return [str(alias) for alias in self.row.body.get("aliases") or ()]

    @property
    def under(self) -> int:
        """How many fragments it rests on, whether they wait or not."""
        return len(self.row.body.get("fragments") or ())


@dataclass(frozen=True)
class QueueQuery:
    """Which proposals: of one run, of one kind, behind the number `after`."""

    run: UUID | None = None
    kind: str | None = None
    after: int = 0
    limit: int = 25


def queue_of(binding: Binding, query: QueueQuery) -> list[Proposal]:
    """Proposals of the bound scopes that wait, in the order they were made; one more than the limit tells of more."""
    rows = _waiting(binding).filter(pk__gt=query.after)
    if query.run:
        rows = rows.filter(run=query.run)
    if query.kind:
        rows = rows.filter(kind=query.kind)
    return list(rows.order_by("pk")[: query.limit + 1])


def waiting_among(binding: Binding, ids: Sequence[int]) -> list[Proposal]:
    """Those of these proposals that still wait."""
    return list(_waiting(binding).filter(pk__in=ids).order_by("pk"))


def shown_proposals(binding: Binding, rows: Sequence[Proposal]) -> list[ShownProposal]:
    """Each with its lines; a fixed number of statements."""
    places = {row.pk: [_place(source) for source in row.body.get("sources", ())] for row in rows}
    first = {row.pk: places[row.pk][: MOST_PLACES[row.kind]] for row in rows}
    read = _read(binding, list(dict.fromkeys(place for found in first.values() for place in found)))
    evidence = _evidence(rows)
    return [
        ShownProposal(
            row,
            binding.names[row.scope],
            [_beside(row, read[place]) for place in first[row.pk] if place in read],
            len(places[row.pk]) - len(first[row.pk]),
            evidence[row.pk],
        )
        for row in rows
    ]


_Place = tuple[UUID, int, int]


def _waiting(binding: Binding) -> "QuerySet[Proposal]":
    return Proposal.objects.filter(scope__in=binding.scope_ids, state=Proposal.State.WAITING)


def _place(source: Sequence[Any]) -> _Place:
    session, first, last = source
    return UUID(session), int(first), int(last)


def _beside(row: Proposal, place: CitedPlace) -> CitedPlace:
    """The place as it stands beside this proposal."""
    if row.kind in _WITH_NEIGHBOURS:
        return place
    return replace(place, lines=[line for line in place.lines if line.is_cited])


def _read(binding: Binding, places: Sequence[_Place]) -> dict[_Place, CitedPlace]:
    """The lines of each place, with one before and one behind. Nothing of PHI sessions: they put up no proposals."""
    if not places:
        return {}
    sessions = Session.objects.filter(pk__in={place[0] for place in places}, scope__in=binding.scope_ids)
    titles = {
        session: title or client_id
        for session, title, client_id in sessions.exclude(classification="PHI").values_list("pk", "title", "client_id")
    }
    found = {
        place: CitedPlace(place[0], titles[place[0]], place[1], place[2]) for place in places if place[0] in titles
    }
    order = list(found)
    for row in _lines(order):
        place = order[row["number"] - 1]
        is_cited = place[1] <= row["index"] <= place[2]
        found[place].lines.append(CitedLine(row["index"], row["speaker"] or row["role"], row["text"], is_cited))
    return found


def _lines(places: Sequence[_Place]) -> list[dict[str, Any]]:
    return fetched(
        "select p.number, l.index, l.role, l.speaker, l.text"
        " from unnest(%(sessions)s::uuid[], %(firsts)s::int[], %(lasts)s::int[])"
        "  with ordinality p(session, first, last, number)"
        " cross join lateral (select * from session_line where session = p.session"
        "  and index between p.first - 1 and p.last + 1 order by index limit %(most)s) l order by p.number, l.index",
        {
            "sessions": [place[0] for place in places],
            "firsts": [place[1] for place in places],
            "lasts": [place[2] for place in places],
            "most": MOST_LINES + 2,
        },
    )


def _evidence(rows: Sequence[Proposal]) -> dict[int, int]:
    """For each proposal, how many of those that it rests on wait still."""
    keys = {row.pk: [(row.batch, key) for key in rests_on(row)] for row in rows}
    wanted = {place for places in keys.values() for place in places}
    waiting = set(
        Proposal.objects.filter(
            batch__in={batch for batch, _ in wanted},
            key__in={key for _, key in wanted},
            state=Proposal.State.WAITING,
        )
        .exclude(kind="fact")
        .values_list("batch", "key")
    )
    return {number: sum(place in waiting for place in places) for number, places in keys.items()}
