"""Conversations on their way through distillation, with a distiller of few words: what a test asks for, it proposes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connections

from audit.recording import SYSTEM
from common.strict import validated
from common.times import format_instant
from memory.layers.distilling import distil
from memory.layers.models import Distillation, DistilledRange, LayerSettings, Node, NodeStrength
from memory.layers.rules.proposals import (
    ConceptProposal,
    EventProposal,
    FactProposal,
    FragmentProposal,
    Known,
    Line,
    LineRange,
    Proposals,
)
from memory.layers.runs import ask
from memory.layers.undoing import undo_run
from memory.sessions.models import Session
from memory.sessions.rules.document import LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted, memory_transaction
from spaces.models import Scope

SPOKEN = datetime(2026, 3, 2, 9, tzinfo=UTC)
TABLES = ("node", "node_strength", "node_index", "node_source", "node_fact", "link", "reinforcement", "term_df")


@dataclass
class Plain:
    """A plug-in: each line a fragment, and what the test's own functions make of the fragments."""

    events: Callable[[Sequence[FragmentProposal]], Sequence[EventProposal]] = lambda fragments: ()
    concepts: Callable[[Sequence[FragmentProposal]], Sequence[ConceptProposal]] = lambda fragments: ()
    facts: Callable[[Sequence[FragmentProposal]], Sequence[FactProposal]] = lambda fragments: ()
    before: Callable[[Sequence[Line]], object] = lambda lines: None
    name: str = "extractive"
    given: list[list[str]] = field(default_factory=list)

    def distil(self, lines: Sequence[Line], known: Known) -> Proposals:
        self.given.append([line.text for line in lines])
        self.before(lines)
        fragments = [
            FragmentProposal(
                f"f{line.session}.{line.index}",
                line.text,
                "statement",
                LineRange(line.session, line.index, line.index),
                line.speaker,
                line.at,
            )
            for line in lines
        ]
        return Proposals(fragments, self.events(fragments), self.concepts(fragments), self.facts(fragments))


def episode(fragments: Sequence[FragmentProposal]) -> list[EventProposal]:
    """One event of everything; what happened is what was said first."""
    first = fragments[0]
    return [EventProposal("e1", "a talk", first.text, "episode", SPOKEN, SPOKEN, [item.key for item in fragments])]


def topic(name: str) -> Callable[[Sequence[FragmentProposal]], list[ConceptProposal]]:
    """A topic that every fragment mentions."""
    return lambda fragments: [ConceptProposal("c1", "Topic", name, fragments=[item.key for item in fragments])]


def fact(object: Any, predicate: str = "lives_in", **more: Any) -> Callable[[Sequence[FragmentProposal]], Any]:
    """A fact about Ana in each batch, resting on its last fragment."""

    def made(fragments: Sequence[FragmentProposal]) -> list[FactProposal]:
        given: dict[str, Any] = {"confidence": 0.9, "decay": None, "fragment": fragments[-1].key} | more
        return [FactProposal("person:ana", predicate, object, f"Ana {predicate} {object}", **given)]

    return made


@dataclass
class Talk:
    """One scope of a Space; each call enters the Space."""

    space: Any
    distiller: Plain = field(default_factory=Plain)

    @property
    def scope(self) -> Scope:
        return Scope.objects.filter(space=self.space, owner=None).order_by("pk")[0]

    @property
    def binding(self) -> Binding:
        return Binding(self.space, SYSTEM_CALLER, (self.scope,))

    def say(
        self, *texts: str, client: str = "talk", speaker: str = "Ana", at: datetime = SPOKEN, role: str = "user"
    ) -> Session:
        """Add lines to a session, which is opened with the first of them."""
        binding = self.binding
        with entered(self.space):
            with memory_transaction() as act:
                session, _ = open_session(act, binding, validated(SessionInput, {"client_id": client}))
            lines = [{"role": role, "speaker": speaker, "text": text, "at": format_instant(at)} for text in texts]
            for start in range(0, len(lines), 5_000):
                given = {"from_index": session.line_count + start, "lines": lines[start : start + 5_000]}
                with memory_transaction() as act:
                    append_lines(act, binding, str(session.pk), validated(LinesInput, given))
            return Session.objects.get(pk=session.pk)

    def ask(self, **more: Any) -> Distillation:
        scope = self.scope.pk
        with entered(self.space), memory_transaction() as act:
            return ask(act, scope, SYSTEM, Distillation.Trigger.MANUAL, **more)

    def work(self, run: Any, distiller: Any = None) -> bool:
        """What a worker does when it hears of a run."""
        with entered(self.space):
            return distil(getattr(run, "pk", run), distiller or self.distiller)

    def distilled(self, distiller: Any = None, **more: Any) -> Distillation:
        """A run over what waits, done."""
        run = self.ask(**more)
        assert self.work(run, distiller)
        return self.found(run)

    def undo(self, run: Distillation) -> dict[str, int]:
        binding = self.binding
        with entered(self.space):
            return attempted(lambda act: undo_run(act, binding, run.pk))

    def found(self, run: Any) -> Distillation:
        with entered(self.space):
            return Distillation.objects.get(pk=getattr(run, "pk", run))

    def settings(self, **changes: Any) -> None:
        with entered(self.space):
            LayerSettings.objects.update_or_create(single=True, defaults=changes)

    def texts(self, layer: int = 1) -> list[str]:
        """What the memories of a layer say, in the order they were formed."""
        with entered(self.space):
            rows = Node.objects.filter(layer=layer, superseded_by=None, merged_into=None).order_by("pk")
            return [row.text or row.name for row in rows]

    def node(self, text: str) -> Node:
        with entered(self.space):
            return Node.objects.get(text=text, layer=1)

    def strength(self, text: str) -> NodeStrength:
        with entered(self.space):
            return NodeStrength.objects.get(node__text=text, layer=1)

    def ledger(self) -> list[tuple[int, int, int]]:
        """(generation, first, last) of every range, in order."""
        with entered(self.space):
            rows = DistilledRange.objects.order_by("session", "generation", "first")
            return list(rows.values_list("generation", "first", "last"))

    def update(self, run: Any, **changes: Any) -> None:
        """Change a run's row, as time or a fault would."""
        with entered(self.space):
            Distillation.objects.filter(pk=getattr(run, "pk", run)).update(**changes)

    def dump(self, *tables: str) -> dict[str, list[str]]:
        """Every row of these tables as text, in a fixed order; ids of rows that nothing names are left out."""
        found = {}
        with entered(self.space) as here, connections[here.alias].cursor() as cursor:
            for table in tables or TABLES:
                left_out = " - 'id'" if table not in ("node", "link") else ""
                cursor.execute(f"select (to_jsonb(t){left_out})::text from {table} t order by 1")
                found[table] = [row[0] for row in cursor.fetchall()]
        return found

    def rows(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        with entered(self.space) as here, connections[here.alias].cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()


def ids(sessions: Sequence[Session]) -> list[UUID]:
    return [session.pk for session in sessions]
