"""Runs of distillation as pages show them: what each took and what came of it, as far as the reader may know."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q

from common.actors import shown_names
from memory.facts.reading import facts_by_id
from memory.facts.views import FactView
from memory.layers.models import Distillation, DistilledRange, Node, NodeFact, Proposal, Reinforcement
from memory.layers.statements import Memory, fetched, memories_by_id
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

State = Distillation.State
OPEN = (State.PENDING, State.RUNNING)
MOST_RANGES = 200
MOST_MEMORIES = 100
MOST_FACTS = 50
_OUTCOMES = ("fragments", "events", "concepts", "facts", "reinforced")


@dataclass(frozen=True)
class ShownRun:
    """A run with the name of its scope and of who asked, the title of its one session, and how much waits for review.

    `session` is None where the run is over a scope, or over a session that is not there for the reader. `planned` lines
    are known from when it began.
    """

    run: Distillation
    scope: str
    asked_by: str
    session: str | None
    waiting: int

    @property
    def is_open(self) -> bool:
        return self.run.state in OPEN

    @property
    def planned(self) -> int:
        return sum(last - first + 1 for _, first, last in self.run.plan or ())

    @property
    def lines(self) -> int:
        """Lines that are in the ledger."""
        return int(self.run.outcome.get("lines", 0))

    @property
    def seconds(self) -> float | None:
        """How long it took from its begin to its end, waits between tries included."""
        if self.run.started_at is None or self.run.finished_at is None:
            return None
        return (self.run.finished_at - self.run.started_at).total_seconds()

    @property
    def came(self) -> list[tuple[int, str]]:
        """What came out, in the order of the layers: how many, and what they are called."""
        outcome = self.run.outcome
        return [(outcome[name], _singular(name, outcome[name])) for name in _OUTCOMES if outcome.get(name)]


@dataclass(frozen=True)
class Taken:
    """Lines of a session that the ledger says a run distilled."""

    session: UUID
    title: str
    scope: int
    first: int
    last: int
    at: datetime


@dataclass(frozen=True)
class Made:
    """What a run made that is there yet: memories by layer with how many there are in all, those it reinforced, facts,
    and its proposals by state."""

    formed: dict[int, list[Memory]]
    counts: dict[int, int]
    reinforced: list[Memory]
    facts: list[FactView]
    proposals: dict[str, int]


def runs_of(
    binding: Binding, *, state: str | None = None, before: Distillation | None = None, limit: int
) -> list[Distillation]:
    """Runs of the bound scopes, the latest first."""
    rows = Distillation.objects.filter(scope__in=binding.scope_ids)
    if state:
        rows = rows.filter(state=state)
    if before is not None:
        rows = rows.filter(Q(asked_at__lt=before.asked_at) | Q(asked_at=before.asked_at, pk__lt=before.pk))
    return list(rows.order_by("-asked_at", "-pk")[:limit])


def shown_runs(binding: Binding, runs: Sequence[Distillation]) -> list[ShownRun]:
    """Each run with what is said beside it; a fixed number of statements."""
    names = shown_names(run.asked_by for run in runs)
    titles = _titles(binding, [run.session for run in runs if run.session])
    waiting = dict(
        Proposal.objects.filter(run__in=[run.pk for run in runs], state=Proposal.State.WAITING)
        .values_list("run")
        .annotate(Count("pk"))
    )
    return [
        ShownRun(
            run,
            binding.names[run.scope],
            names[run.asked_by],
            titles.get(run.session) if run.session else None,
            waiting.get(run.pk, 0),
        )
        for run in runs
    ]


def taken_by(binding: Binding, run: Distillation) -> list[Taken]:
    """The ledger of a run, in its order, without sessions that are not there for the reader."""
    rows = list(DistilledRange.objects.filter(run=run).order_by("id")[:MOST_RANGES])
    titles = _titles(binding, [row.session for row in rows])
    return [
        Taken(row.session, titles[row.session], row.scope, row.first, row.last, row.at)
        for row in rows
        if row.session in titles
    ]


def made_by(binding: Binding, run: Distillation, at: datetime) -> Made:
    """What came of a run and is there yet, strength as of the instant `at`."""
    nodes = Node.objects.filter(run=run.pk, scope=run.scope)
    ids = [
        number
        for layer in (1, 2, 3)
        for number in nodes.filter(layer=layer).order_by("pk").values_list("pk", flat=True)[:MOST_MEMORIES]
    ]
    again = (
        Reinforcement.objects.filter(run=run.pk, kind=Reinforcement.Kind.DUPLICATE)
        .order_by("node")
        .values_list("node", flat=True)
        .distinct()[:MOST_MEMORIES]
    )
    facts = list(NodeFact.objects.filter(run=run.pk).order_by("id").values_list("fact", flat=True)[:MOST_FACTS])
    reinforced = list(again)
    memories = memories_by_id(binding, sorted({*ids, *reinforced}), at)
    return Made(
        formed={
            layer: [memories[number] for number in ids if number in memories and memories[number].layer == layer]
            for layer in (1, 2, 3)
        },
        counts=dict(nodes.values_list("layer").annotate(Count("pk"))),
        reinforced=[memories[number] for number in reinforced if number in memories],
        facts=facts_by_id(binding, facts) if facts else [],
        proposals=dict(Proposal.objects.filter(run=run).values_list("state").annotate(Count("pk"))),
    )


def _titles(binding: Binding, sessions: Sequence[UUID]) -> dict[UUID, str]:
    """What the released ones of these sessions are called."""
    if not sessions:
        return {}
    rows = fetched(
        "select s.id, coalesce(nullif(s.title, ''), s.client_id) title from"
        " (select z.*, case when z.classification = 'PHI' then true end sealed from session z"
        f"  where z.id = any(%(ids)s) and z.scope = any(%(scopes)s)) s where {released_sql('s')}",
        gate_values(binding) | {"ids": list(set(sessions)), "scopes": binding.scope_ids},
    )
    return {row["id"]: row["title"] for row in rows}


def _singular(name: str, count: int) -> str:
    return name.removesuffix("s") if count == 1 and name.endswith("s") else name
