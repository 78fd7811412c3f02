"""A conversation that was really had and really distilled, for the pages of memories and sessions."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connections
from django.test.utils import CaptureQueriesContext

from audit.recording import SYSTEM
from common.strict import validated
from common.times import now
from memory.layers.distilling import distil
from memory.layers.models import Node, NodeStrength, Reinforcement
from memory.layers.runs import ask
from memory.sessions.rules.document import LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import current_alias, entered
from spaces.databases.transactions import attempted
from tests.pages.reading import Page

SECRET = "plum-Kettle-93"
ORCHARD = (
    ("Tilda", "We decided to prune the pear orchard in February and not in autumn."),
    ("Rune", "Good. Marek will bring the long ladder from Hollow Farm."),
    ("Tilda", f"My password for the weather station is {SECRET}."),
    ("Rune", "I prefer the hand saw, the chain saw tears the bark of young trees."),
)


def talk(space: Any, *lines: tuple[str, str], scope: str = "shared", client_id: str = "orchard") -> UUID:
    """Open a session and send its lines, as a seat does; returns its id. Nothing is distilled yet."""
    with entered(space):
        binding = Binding(space, SYSTEM_CALLER, (space.scopes.get(name=scope),))
        given = validated(SessionInput, {"client_id": client_id, "title": f"Talk of the {client_id}"})
        session, _ = attempted(lambda act: open_session(act, binding, given))
        sent = [{"role": "user", "speaker": speaker, "text": text} for speaker, text in lines or ORCHARD]
        document = validated(LinesInput, {"from_index": 0, "lines": sent})
        attempted(lambda act: append_lines(act, binding, str(session.pk), document))
    return session.pk


def distilled(space: Any, session: UUID, scope: str = "shared") -> None:
    """Distil a session, as a worker does."""
    with entered(space):
        number = space.scopes.get(name=scope).pk
        run = attempted(lambda act: ask(act, number, SYSTEM, "manual", session=session))
        assert distil(run.pk)


def said(space: Any, words: str, layer: int = 1) -> int:
    """The id of the memory of a layer that holds these words and stands."""
    with entered(space):
        standing = Node.objects.filter(layer=layer, superseded_by=None, merged_into=None)
        (found,) = [node.pk for node in standing if words in f"{node.text} {node.name}"]
    return int(found)


def grown(space: Any, node: int, days: float) -> None:
    """Let a memory be as old as that."""
    with entered(space):
        past = now() - timedelta(days=days)
        NodeStrength.objects.filter(pk=node).update(scored_at=past)
        Reinforcement.objects.filter(node=node).update(at=past)
        Node.objects.filter(pk=node).update(formed_at=past)


def statements_of(space: Any, ask: Callable[[], Page]) -> int:
    """How many statements it takes to make a page, in the Space's database and in the control database."""
    with entered(space):
        inside = connections[current_alias()]
    with CaptureQueriesContext(inside) as own, CaptureQueriesContext(connections["default"]) as control:
        assert ask().status == 200
    assert own.captured_queries
    return len(own) + len(control)
