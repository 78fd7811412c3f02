"""A recall strengthens what it returns: by the formula, fragments alone, a seat's own, once for a request."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from common.times import format_instant, now
from memory.layers.models import RecallUse
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope
from tests.layers.at_once import together
from tests.recall.conftest import asked
from tests.recall.memories import Memories
from tests.rest.client import Rest, seat
from tests.sessions.conftest import person

Ask = Callable[..., dict[str, Any]]
START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def uses(memories: Memories) -> list[tuple[int, str, str, list[int]]]:
    with entered(memories.space):
        rows = RecallUse.objects.order_by("id").values_list("scope", "actor", "purpose", "nodes")
        return [(scope, actor, purpose, list(nodes)) for scope, actor, purpose, nodes in rows]


def test_score_and_tau_grow_by_the_formula_and_a_row_says_so(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln", at=START - timedelta(days=7), score=0.8)
    with time_machine.travel(START, tick=False):
        ask("kiln", reinforce=True)
    effective = 0.8 * math.exp(-7 / 14)
    row = memories.strength(node)
    assert row.score == pytest.approx(effective + 0.1 * (1 - effective), rel=1e-12)
    assert (row.tau, row.scored_at) == (21.0, START)
    formed, recalled = memories.history(node)
    assert (recalled.kind, recalled.at, recalled.score, recalled.tau) == ("recall", START, row.score, 21.0)
    assert recalled.actor.startswith("seat:")
    with time_machine.travel(START + timedelta(days=21), tick=False):
        item = ask("kiln")["items"][0]
    assert item["strength"] == pytest.approx(row.score * math.exp(-1))
    assert formed.kind == "formed"


def test_recalls_add_up(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln", at=START, score=0.5)
    with time_machine.travel(START, tick=False):
        for _ in range(3):
            ask("kiln", reinforce=True)
    assert memories.strength(node).score == pytest.approx(1 - 0.5 * 0.9**3)
    assert memories.strength(node).tau == 35.0


def test_the_half_of_the_base_is_that_of_the_space(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln")
    memories.sql(
        "insert into layer_settings (single, review, distiller, phi_to_model, fragment_tau, event_tau,"
        " fragment_threshold, event_threshold, idle_minutes, full_lines, quiet_seconds, embedder, version)"
        " values (true, false, '', false, 20, 45, 0.05, 0.02, 30, 200, 30, '', 1)"
        " on conflict (single) do update set fragment_tau = 20"
    )
    ask("kiln", reinforce=True)
    assert memories.strength(node).tau == 24.0


def test_a_pinned_one_keeps_its_score_and_its_tau_grows(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln", score=0.4)
    memories.sql("update node_strength set pinned = true where node = %(node)s", node=node)
    ask("kiln", reinforce=True)
    row = memories.strength(node)
    assert (row.tau, row.pinned) == (21.0, True)
    assert row.score == pytest.approx(0.4)


def test_events_and_concepts_stay_as_they_are(memories: Memories, ask: Ask):
    fragment = memories.fragment("We fired the kiln")
    event = memories.event("Firing of the kiln", "The kiln was fired", [fragment])
    concept = memories.concept("Kiln", [event])
    assert {item["id"] for item in ask("kiln", reinforce=True)["items"]} == {str(fragment), str(event), str(concept)}
    assert [len(memories.history(node)) for node in (fragment, event, concept)] == [2, 1, 1]


def test_only_what_is_returned_grows(memories: Memories, ask: Ask):
    nodes = memories.fragments("The kiln", "A kiln in the yard, near the wall", "A walk by the lake")
    shown = ask("kiln", reinforce=True, limit=1)["items"]
    assert [len(memories.history(node)) for node in nodes] == [1 + (str(n) == shown[0]["id"]) for n in nodes]


def test_by_default_a_seats_recall_strengthens(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln")
    assert rest.post("recall", {"query": "kiln"}).status_code == 200
    assert [row.kind for row in memories.history(node)] == ["formed", "recall"]


@pytest.mark.parametrize("more", [{"reinforce": False}, {"reinforce": True, "as_of": format_instant(now())}])
def test_without_reinforce_and_about_the_past_nothing_grows_but_the_use_is_known(
    memories: Memories, ask: Ask, more: dict[str, Any]
):
    node = memories.fragment("We fired the kiln", at=now() - timedelta(days=3))
    before = memories.strength(node).score, memories.strength(node).tau
    assert ask("kiln", **more)["count"] == 1
    assert (memories.strength(node).score, memories.strength(node).tau) == before
    assert len(memories.history(node)) == 1
    assert [nodes for *_, nodes in uses(memories)] == [[node]]


def test_a_shared_scope_that_a_seat_reads_beside_its_own_is_not_strengthened(north: Any, memories: Memories):
    own = Memories(north, make_scope(north, "mine").pk)
    shared, mine = memories.fragment("We fired the kiln"), own.fragment("I fired the kiln")
    reader = seat(north, scope=north.scopes.get(name="mine"), reads_shared=True)
    assert asked(reader, "kiln", reinforce=True)["count"] == 2
    assert (len(memories.history(shared)), len(own.history(mine))) == (1, 2)
    assert {(scope, tuple(nodes)) for scope, _, _, nodes in uses(memories)} == {
        (memories.scope, (shared,)),
        (own.scope, (mine,)),
    }


def test_another_scope_reached_by_crossing_is_not_strengthened(north: Any, memories: Memories):
    make_scope(north, "mine")
    node = memories.fragment("We fired the kiln")
    reader = seat(north, scope=north.scopes.get(name="mine"), verbs=("memory:read", "cross_tenant"))
    assert asked(reader, "kiln", scope="shared", reinforce=True)["count"] == 1
    assert len(memories.history(node)) == 1


@pytest.mark.parametrize("who", ["owner", "teammate"])
def test_a_person_strengthens_nothing_and_leaves_no_use(trio: Trio, who: str):
    memories = Memories(trio.space, trio.space.scopes.get(owner=None).pk)
    node = memories.fragment("We fired the kiln")
    assert asked(person(trio, who), "kiln", scope="shared", reinforce=True)["count"] == 1
    assert (len(memories.history(node)), uses(memories)) == (1, [])


def test_a_recall_that_finds_nothing_is_a_use_of_nothing(memories: Memories, ask: Ask):
    ask("anything?", reinforce=True, purpose="care")
    ((scope, actor, purpose, nodes),) = uses(memories)
    assert (scope, purpose, nodes) == (memories.scope, "care", [])
    assert actor.startswith("seat:")


def test_a_clock_set_back_makes_nothing_younger_than_it_is(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln", at=START, score=0.5)
    with time_machine.travel(START - timedelta(days=2), tick=False):
        ask("kiln", reinforce=True)
    row = memories.strength(node)
    assert row.scored_at == START
    assert row.score == pytest.approx(0.55)


def test_recalls_at_the_same_moment_all_count(committed_db: None, north: Any, memories: Memories):
    node = memories.fragment("We fired the kiln", score=0.5)
    seats = [seat(north) for _ in range(4)]
    answers = together(*(lambda rest=rest: asked(rest, "kiln", reinforce=True)["count"] for rest in seats))
    assert answers == [1] * 4
    assert [row.kind for row in memories.history(node)] == ["formed"] + ["recall"] * 4
    row = memories.strength(node)
    assert row.tau == 14 + 4 * 7
    assert row.score == pytest.approx(1 - 0.5 * 0.9**4, abs=1e-4)
