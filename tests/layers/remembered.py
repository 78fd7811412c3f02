"""Memories as a distillation would leave them, made at once: sessions with lines, fragments, events, concepts."""

import itertools
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from audit.recording import SYSTEM
from common.times import now
from memory.layers.elements import new_ids
from memory.layers.indexing import index_nodes
from memory.layers.models import Link, Node, NodeIndex, NodeStrength
from memory.layers.new_nodes import NewNode, add_nodes, add_sources
from memory.sessions.models import Session, SessionLine
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction

TAUS = {1: 14.0, 2: 45.0, 3: math.inf}
_words = itertools.count()


@dataclass
class Remembered:
    """A writer of memories into one scope of a Space; each call enters the Space."""

    space: Any
    scope: int
    at: datetime = field(default_factory=now)

    def session(self, *texts: str, client_id: str = "talk", speaker: str = "", origin: str = "api") -> Session:
        """A session with these lines."""
        with entered(self.space):
            session = Session.objects.create(
                id=uuid.uuid4(),
                scope=self.scope,
                client_id=client_id,
                origin=origin,
                opened_by="seat:1",
                started_at=self.at,
                line_count=len(texts),
            )
            for index, text in enumerate(texts):
                SessionLine.objects.create(
                    session=session.pk,
                    index=index,
                    scope=self.scope,
                    role="user",
                    speaker=speaker,
                    text=text,
                    at=self.at,
                    arrived_at=self.at,
                    digest=b"0123456789abcdef",
                )
        return session

    def fragment(self, text: str, *places: tuple[Any, int, int], score: float = 1.0, **more: Any) -> int:
        """A fragment that rests on lines (session, first, last)."""
        return self.node(1, "Fragment", f"said {next(_words)}", text, score=score, places=places, **more)

    def event(self, title: str, text: str, fragments: Sequence[int], *places: tuple[Any, int, int], **more: Any) -> int:
        """An event and what hangs under it."""
        node = self.node(2, "Event", title, text, places=places, attributes={"title": title}, **more)
        self.link(*((fragment, "part_of", node) for fragment in fragments))
        return node

    def concept(self, name: str, mentioned_by: Sequence[int], *, type: str = "Topic", **more: Any) -> int:
        """A concept and what mentions it."""
        node = self.node(3, type, name, "", **more)
        self.link(*((other, "mentions", node) for other in mentioned_by))
        return node

    def node(
        self,
        layer: int,
        type: str,
        name: str,
        text: str,
        *,
        score: float = 1.0,
        tau: float | None = None,
        at: datetime | None = None,
        places: Sequence[tuple[Any, int, int]] = (),
        attributes: dict[str, Any] | None = None,
        phi_ref: str | None = None,
        classification: str | None = None,
    ) -> int:
        made = NewNode(
            layer, type, name, text, attributes or {}, classification, None, score, tau or TAUS[layer], phi_ref
        )
        with entered(self.space), memory_transaction() as act:
            node = add_nodes(self.scope, [made], at or self.at, run=None, actor="system:test")[0]
            add_sources(self.scope, None, [(node, (session.pk, first, last)) for session, first, last in places])
            index_nodes(self.scope, [node])
            act.record(SYSTEM, "test.remember")
        return node

    def link(self, *links: tuple[int, str, int]) -> None:
        with entered(self.space):
            ids = new_ids(len(links))
            for number, (subject, predicate, object) in zip(ids, links, strict=True):
                Link.objects.create(id=number, scope=self.scope, subject=subject, predicate=predicate, object=object)

    def strength(self, node: int) -> NodeStrength:
        with entered(self.space):
            return NodeStrength.objects.get(pk=node)

    def is_there(self, node: int) -> bool:
        with entered(self.space):
            return Node.objects.filter(pk=node).exists()

    def is_indexed(self, node: int) -> bool:
        with entered(self.space):
            return NodeIndex.objects.filter(pk=node).exists()


def days(number: float) -> timedelta:
    return timedelta(days=number)
