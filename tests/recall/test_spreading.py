"""Steps 1 to 3 of recall, in one statement, against a model in Python."""

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.recording import SYSTEM
from common.times import now
from memory.layers.index_rows import Indexed, add_to_index
from memory.layers.models import ScopeStat
from memory.layers.new_nodes import NewNode, add_nodes
from memory.layers.vectors import halfvec_text
from memory.recall.rules.indexing import index_whole
from memory.recall.spreading import MOST_REACHED, NEAREST, Activated, spread
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.recall.memories import TAUS, TYPES, Memories

_scopes = itertools.count(1_000)
AT = now()


@dataclass
class Graph:
    """Nodes by number with what spreading needs of each, and links between them."""

    layers: list[int]
    vectors: np.ndarray[Any, Any]
    scores: list[float]
    ages: list[float]
    archived: set[int]
    links: list[tuple[int, str, int]]
    ids: list[int] = field(default_factory=list)

    def strength(self, number: int) -> float:
        return self.scores[number] * math.exp(-self.ages[number] / TAUS[self.layers[number]])

    def expected(self, query: np.ndarray[Any, Any]) -> dict[int, tuple[float, float]]:
        """Activation and strength of everything that is reached, by number: the specification, word for word."""
        live = [number for number in range(len(self.layers)) if number not in self.archived]
        cosines = {n: float(self.vectors[n] @ query) for n in live if self.layers[n] == 1}
        nearest = sorted(cosines, key=lambda n: (-cosines[n], n))[:NEAREST]
        near = {n: cosines[n] for n in nearest if cosines[n] > 0}
        one: dict[int, float] = defaultdict(float)
        two: dict[int, float] = defaultdict(float)
        for subject, predicate, other in self.links:
            if subject in near and predicate in {"part_of", "mentions"} and other in live:
                one[other] += near[subject] / 2
        for subject, predicate, other in self.links:
            if subject in one and predicate == "mentions" and other in live:
                two[other] += one[subject] / 2
        return {
            n: (near.get(n, 0.0) + one.get(n, 0.0) + two.get(n, 0.0), self.strength(n)) for n in {*near, *one, *two}
        }


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Graph, np.ndarray[Any, Any]]:
    fragments, events, concepts = draw(st.integers(1, 16)), draw(st.integers(0, 5)), draw(st.integers(0, 5))
    layers = [1] * fragments + [2] * events + [3] * concepts
    count = len(layers)
    made = np.random.default_rng(draw(st.integers(0, 10_000)))
    rows = made.normal(size=(count + 1, 8))
    # As the database holds them.
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16).astype(np.float64)
    of = {1: range(fragments), 2: range(fragments, fragments + events), 3: range(fragments + events, count)}
    links = draw(st.sets(st.sampled_from(_possible(of)), max_size=30)) if events + concepts else set()
    graph = Graph(
        layers,
        unit[:count],
        [draw(st.sampled_from([1.0, 0.6, 0.2])) for _ in layers],
        [draw(st.sampled_from([0.0, 3.0, 40.0])) for _ in layers],
        draw(st.sets(st.integers(0, count - 1), max_size=3)),
        sorted(links),
    )
    return graph, unit[count]


def _possible(of: dict[int, range]) -> list[tuple[int, str, int]]:
    under = [(fragment, "part_of", event) for fragment in of[1] for event in of[2]]
    mentions = [(subject, "mentions", concept) for subject in (*of[1], *of[2]) for concept in of[3]]
    beside = [(fragment, "next", event) for fragment in of[1] for event in of[2]]
    return under + mentions + beside


def stored(memories: Memories, graph: Graph, scope: int) -> ScopeStat:
    """Write a graph into a scope of its own, aged as it says."""
    with entered(memories.space), memory_transaction() as act:
        ids = []
        for number, layer in enumerate(graph.layers):
            node = NewNode(layer, TYPES[layer], f"node {number}", "", {}, None, None, graph.scores[number], TAUS[layer])
            ids += add_nodes(scope, [node], AT - timedelta(days=graph.ages[number]), run=None, actor="system:test")
        graph.ids = ids
        live = [number for number in range(len(ids)) if number not in graph.archived]
        add_to_index(
            scope, [Indexed(ids[n], graph.layers[n], index_whole("a"), graph.vectors[n].astype("f4")) for n in live]
        )
        act.record(SYSTEM, "test.graph")
    for number in graph.archived:
        memories.archive(ids[number], AT)
    writer = Memories(memories.space, scope)
    if graph.links:
        writer.link(*((ids[subject], predicate, ids[other]) for subject, predicate, other in graph.links))
    with entered(memories.space):
        return ScopeStat.objects.filter(scope=scope).first() or ScopeStat(scope=scope)


def spreading(memories: Memories, stat: ScopeStat, query: Any, **more: datetime | None) -> list[Activated]:
    with entered(memories.space):
        text = halfvec_text(np.asarray(query, dtype="f4"))
        return spread(stat, text, AT, as_of=more.get("as_of"), before=more.get("before"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=graphs())
def test_the_statement_says_what_the_model_says(memories: Memories, made: tuple[Graph, Any]):
    graph, query = made
    stat = stored(memories, graph, next(_scopes))
    found = spreading(memories, stat, query)
    expected = {graph.ids[n]: value for n, value in graph.expected(query).items()}
    assert {item.id for item in found} == set(expected)
    for item in found:
        activation, strength = expected[item.id]
        assert item.activation == pytest.approx(activation, abs=2e-3)
        assert item.strength == pytest.approx(strength, rel=1e-9)
        assert item.activation == pytest.approx((item.cosine or 0.0) + item.one_hop + item.two_hops)
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


def simple(layers: list[int], links: list[tuple[int, str, int]], **more: Any) -> Graph:
    """A graph whose fragments all lie in the direction of the query."""
    vectors = np.tile(np.eye(1, 8), (len(layers), 1))
    ones, zeros = [1.0] * len(layers), [0.0] * len(layers)
    return Graph(layers, vectors, more.get("scores", ones), more.get("ages", zeros), more.get("archived", set()), links)


def by_number(graph: Graph, found: list[Activated]) -> dict[int, Activated]:
    return {graph.ids.index(item.id): item for item in found}


def test_each_hop_halves_and_paths_that_meet_add_up(memories: Memories):
    graph = simple([1, 1, 2, 3], [(0, "part_of", 2), (1, "part_of", 2), (2, "mentions", 3), (0, "mentions", 3)])
    found = by_number(graph, spreading(memories, stored(memories, graph, next(_scopes)), np.eye(1, 8)[0]))
    assert found[2].activation == pytest.approx(0.5 + 0.5)
    assert found[3].activation == pytest.approx(1.0 / 2 + 0.5)
    assert found[3].one_hop == pytest.approx(0.5)
    assert found[3].two_hops == pytest.approx(0.5)
    assert [found[number].hops for number in range(4)] == [0, 0, 1, 1]


def test_nothing_is_reached_through_what_is_archived(memories: Memories):
    graph = simple([1, 2, 3], [(0, "part_of", 1), (1, "mentions", 2)], archived={1})
    found = by_number(graph, spreading(memories, stored(memories, graph, next(_scopes)), np.eye(1, 8)[0]))
    assert set(found) == {0}


def test_another_scope_is_never_reached_even_by_a_link(memories: Memories):
    graph, other = simple([1], []), simple([1, 2], [])
    stat, _ = stored(memories, graph, next(_scopes)), stored(memories, other, next(_scopes))
    memories.link((graph.ids[0], "part_of", other.ids[1]))
    Memories(memories.space, stat.scope).link((graph.ids[0], "mentions", other.ids[1]))
    assert [item.id for item in spreading(memories, stat, np.eye(1, 8)[0])] == graph.ids


def test_a_fragment_that_points_away_or_has_no_direction_activates_nothing(memories: Memories):
    graph = simple([1, 1, 2], [(0, "part_of", 2), (1, "part_of", 2)])
    graph.vectors = np.array([-np.eye(1, 8)[0], np.zeros(8), np.zeros(8)])
    assert spreading(memories, stored(memories, graph, next(_scopes)), np.eye(1, 8)[0]) == []


def test_a_query_without_a_word_reaches_nothing(memories: Memories):
    graph = simple([1, 2], [(0, "part_of", 1)])
    assert spreading(memories, stored(memories, graph, next(_scopes)), np.zeros(8)) == []


def test_the_nearest_are_there_however_many_concepts_they_mention(memories: Memories):
    many = 3 * MOST_REACHED
    links = [(0, "mentions", 2 + number) for number in range(many)] + [(1, "mentions", 2)]
    graph = simple([1, 1] + [3] * many, links, scores=[0.01, 0.01] + [1.0] * many)
    found = by_number(graph, spreading(memories, stored(memories, graph, next(_scopes)), np.eye(1, 8)[0]))
    assert {0, 1, 2} <= set(found)
    assert len(found) == NEAREST + MOST_REACHED


def test_a_strength_that_has_all_but_gone_is_nothing_and_no_error(memories: Memories):
    graph = simple([1], [], ages=[20_000.0])
    assert [item.strength for item in spreading(memories, stored(memories, graph, next(_scopes)), np.eye(1, 8)[0])] == [
        0.0
    ]


def test_a_scope_without_memories_reaches_nothing(memories: Memories):
    assert spreading(memories, ScopeStat(scope=next(_scopes)), np.eye(1, 8)[0]) == []
