"""Memories put straight into a scope: nodes with their index, links, lines; and recall as a function."""

import itertools
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from audit.recording import SYSTEM
from common.times import now
from memory.layers.elements import copy_rows, new_ids, run_sql
from memory.layers.indexing import count_terms, embedder_of, index_nodes, note_embedder
from memory.layers.models import NodeStrength, Reinforcement
from memory.layers.new_nodes import NewNode, add_nodes, add_sources
from memory.layers.surfaces import note_words
from memory.recall.recalling import Asked, Recalled, recall
from memory.sessions.models import Session, SessionLine
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction

TYPES = {1: "Fragment", 2: "Event", 3: "Topic"}
TAUS = {1: 14.0, 2: 45.0, 3: math.inf}
_names = itertools.count()


@dataclass
class Memories:
    """A writer of memories into one scope of a Space; each call enters the Space."""

    space: Any
    scope: int
    at: datetime = field(default_factory=lambda: now() - timedelta(minutes=1))

    def fragments(self, *texts: str, **more: Any) -> list[int]:
        """Fragments with these texts; `more` goes to each. Session and index are given by `place`, of the first."""
        place = more.pop("place", None)
        nodes = [self.node(1, text, **more) for text in texts]
        places = [(place[0], place[1] + turn, place[1] + turn) for turn in range(len(texts))] if place else []
        return self.write(*nodes, at=more.get("at"), places=places)

    def fragment(self, text: str, **more: Any) -> int:
        return self.fragments(text, **more)[0]

    def event(self, title: str, text: str, fragments: Sequence[int], **more: Any) -> int:
        """An event with these fragments under it."""
        node = self.write(self.node(2, text, name=title, title=title, **more), at=more.get("at"))[0]
        self.link(*((fragment, "part_of", node) for fragment in fragments))
        return node

    def concept(self, name: str, mentioned_by: Sequence[int], **more: Any) -> int:
        """A concept and what mentions it."""
        node = self.write(self.node(3, "", name=name, **more), at=more.get("at"))[0]
        self.link(*((other, "mentions", node) for other in mentioned_by))
        return node

    def node(self, layer: int, text: str, **more: Any) -> NewNode:
        given = {"role": "user", "length": len(text)} if layer == 1 else {}
        given |= {key: more[key] for key in ("speaker", "role", "title") if key in more}
        return NewNode(
            layer,
            TYPES[layer],
            more.get("name") or f"said {next(_names)}",
            text,
            given,
            more.get("classification"),
            more.get("said_at"),
            more.get("score", 1.0),
            more.get("tau", TAUS[layer]),
            more.get("phi_ref"),
        )

    def write(self, *nodes: NewNode, at: datetime | None = None, places: Sequence[Any] = ()) -> list[int]:
        """Write nodes, index them, and count the words of the scope."""
        with entered(self.space), memory_transaction() as act:
            ids = add_nodes(self.scope, nodes, at or self.at, run=None, actor="system:test")
            note_embedder(self.scope, embedder_of(self.scope))
            add_sources(
                self.scope,
                None,
                [(n, (s.pk, a, b)) for n, (s, a, b) in zip(ids, places, strict=False) if s is not None],
            )
            index_nodes(self.scope, ids)
            note_words(self.scope, [node.text for node in nodes])
            count_terms(self.scope)
            act.record(SYSTEM, "test.remember")
        return ids

    def link(self, *links: tuple[int, str, int]) -> None:
        with entered(self.space), memory_transaction() as act:
            columns = ("id", "scope", "subject", "predicate", "object", "attributes", "metadata", "version")
            ids = new_ids(len(links))
            copy_rows(
                "link", columns, [(i, self.scope, *one, "{}", "{}", 1) for i, one in zip(ids, links, strict=True)]
            )
            act.record(SYSTEM, "test.link")

    def session(self, client_id: str, *texts: str, at: datetime | None = None) -> Session:
        """A session whose lines are distilled already."""
        count = len(texts)
        with entered(self.space):
            session = Session.objects.create(
                id=uuid.uuid4(),
                scope=self.scope,
                client_id=client_id,
                opened_by="seat:1",
                started_at=at or self.at,
                line_count=count,
                distilled_until=count,
            )
            SessionLine.objects.bulk_create(
                SessionLine(
                    session=session.pk,
                    index=index,
                    scope=self.scope,
                    role="user",
                    text=text,
                    at=at or self.at,
                    arrived_at=self.at,
                    digest=b"0" * 16,
                )
                for index, text in enumerate(texts)
            )
        return session

    def sql(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        with entered(self.space):
            return run_sql(statement, values)

    def archive(self, node: int, at: datetime | None = None) -> None:
        self.sql("update node_strength set archived_at = %(at)s where node = %(node)s", node=node, at=at or now())
        self.sql("delete from node_index where node = %(node)s", node=node)

    def strength(self, node: int) -> NodeStrength:
        with entered(self.space):
            return NodeStrength.objects.get(pk=node)

    def history(self, node: int) -> list[Reinforcement]:
        with entered(self.space):
            return list(Reinforcement.objects.filter(node=node).order_by("id"))

    def recall(self, text: str, **more: Any) -> Recalled:
        """The whole order for a question to this scope."""
        with entered(self.space):
            return recall([self.scope], Asked(text, more.pop("at", now()), **more))

    def ids(self, text: str, **more: Any) -> list[int]:
        return [place.id for place in self.recall(text, **more).order]
