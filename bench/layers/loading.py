"""Loading a book into a scope, as many distillations would have left it there: lines, nodes, links, index."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from audit.recording import SYSTEM
from bench.layers.book import AN_EVENT, Book
from bench.layers.talk import Said
from memory.embedding import Embedder
from memory.layers.elements import copy_rows, new_ids
from memory.layers.index_rows import Indexed, add_to_index
from memory.layers.indexing import count_terms, note_embedder
from memory.layers.new_nodes import NewNode, add_nodes, add_sources
from memory.layers.rules.strength import CONCEPT, EVENT, FRAGMENT
from memory.layers.surfaces import note_words
from memory.sessions.models import Session
from spaces.databases.transactions import memory_transaction

# The oldest memories were formed so long ago that the next decay pass takes some; a pass before would have taken more.
OLDEST = timedelta(days=35)
_STEPS = 8
_TAUS = {FRAGMENT: 14.0, EVENT: 45.0, CONCEPT: float("inf")}
_LINE = ["session", "index", "scope", "role", "speaker", "text", "at", "arrived_at", "digest"]
_LINK = ["id", "scope", "subject", "predicate", "object", "attributes", "metadata", "version"]


def load(scope: int, book: Book, embedder: Embedder, at: datetime) -> int:
    """Fill an empty scope in one transaction, the youngest memories formed at the instant `at`; returns the rows."""
    with memory_transaction() as act:
        note_embedder(scope, embedder)
        sessions = _add_sessions(scope, book, at)
        ids = [
            *_add_fragments(scope, book, sessions, at),
            *_add_events(scope, book, at),
            *_add_concepts(scope, book, at),
        ]
        _add_links(scope, book, ids)
        layers = [FRAGMENT] * book.fragments + [EVENT] * len(book.events) + [CONCEPT] * len(book.concepts)
        add_to_index(scope, list(map(Indexed, ids, layers, book.words, book.vectors)))
        note_words(scope, [line.text for talk in book.talks for line in talk])
        count_terms(scope)
        act.record(SYSTEM, "bench.load", scope=scope, count=len(ids))
    return len(ids) + len(book.links) + book.fragments


def _add_sessions(scope: int, book: Book, at: datetime) -> list[uuid.UUID]:
    made = [
        Session(
            scope=scope,
            client_id=f"talk {number}",
            opened_by="system:bench",
            started_at=talk[0].at,
            line_count=len(talk),
            distilled_until=len(talk),
            last_line_at=at,
            last_said_at=talk[-1].at,
        )
        for number, talk in enumerate(book.talks)
    ]
    Session.objects.bulk_create(made)
    copy_rows("session_line", _LINE, _lines(scope, made, book.talks, at))
    return [session.pk for session in made]


def _lines(
    scope: int, sessions: Sequence[Session], talks: Sequence[Sequence[Said]], at: datetime
) -> Iterator[tuple[Any, ...]]:
    for session, talk in zip(sessions, talks, strict=True):
        for index, line in enumerate(talk):
            # No resend will ever be compared with the digest.
            yield session.pk, index, scope, line.role, line.speaker, line.text, line.at, at, bytes(16)


def _add_fragments(scope: int, book: Book, sessions: Sequence[uuid.UUID], at: datetime) -> list[int]:
    """Formed in eight steps, the oldest first; salience goes from 0.5 to 1."""
    places = [
        (session, index) for session, talk in zip(sessions, book.talks, strict=True) for index in range(len(talk))
    ]
    lines = [line for talk in book.talks for line in talk]
    nodes = [
        NewNode(
            FRAGMENT,
            "Fragment",
            f"{session}#{index}",
            line.text,
            {"kind": "statement", "role": line.role, "length": len(line.text), "speaker": line.speaker},
            None,
            line.at,
            0.5 + (number % 100) / 200,
            _TAUS[FRAGMENT],
        )
        for number, ((session, index), line) in enumerate(zip(places, lines, strict=True))
    ]
    ids = _in_steps(scope, nodes, at)
    add_sources(scope, None, [(node, (*place, place[1])) for node, place in zip(ids, places, strict=True)])
    return ids


def _add_events(scope: int, book: Book, at: datetime) -> list[int]:
    lines = [line for talk in book.talks for line in talk]
    nodes = [
        NewNode(
            EVENT,
            "Event",
            title,
            title,
            {"event_class": "episode", "title": title},
            None,
            lines[number * AN_EVENT].at,
            1.0,
            _TAUS[EVENT],
        )
        for number, title in enumerate(book.events)
    ]
    return _in_steps(scope, nodes, at)


def _add_concepts(scope: int, book: Book, at: datetime) -> list[int]:
    nodes = [NewNode(CONCEPT, "Person", name, "", {}, None, None, 1.0, _TAUS[CONCEPT]) for name in book.concepts]
    return add_nodes(scope, nodes, at, run=None, actor="system:bench")


def _add_links(scope: int, book: Book, ids: Sequence[int]) -> None:
    links = zip(new_ids(len(book.links)), book.links, strict=True)
    copy_rows(
        "link",
        _LINK,
        ((number, scope, ids[one], name, ids[other], "{}", "{}", 1) for number, (one, name, other) in links),
    )


def _in_steps(scope: int, nodes: Sequence[NewNode], at: datetime) -> list[int]:
    size = -(-len(nodes) // _STEPS)
    ids: list[int] = []
    for step in range(_STEPS):
        formed = at - OLDEST * (_STEPS - 1 - step) / (_STEPS - 1)
        ids += add_nodes(scope, nodes[step * size : (step + 1) * size], formed, run=None, actor="system:bench")
    return ids
