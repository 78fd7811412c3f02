"""Recall as of an earlier instant, and of what was spoken before one."""

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from common.times import format_instant, now
from tests.recall.conftest import node_ids
from tests.recall.memories import Memories

Ask = Callable[..., dict[str, Any]]
NOW = now()


def ago(days: float) -> str:
    return format_instant(NOW - timedelta(days=days))


def test_only_what_was_formed_by_then_is_there(memories: Memories, ask: Ask):
    early = memories.fragment("We fired the kiln", at=NOW - timedelta(days=9))
    late = memories.fragment("They fired the kiln", at=NOW - timedelta(days=1))
    late_event = memories.event("Firing", "The kiln was fired", [early, late], at=NOW - timedelta(days=1))
    memories.concept("Kiln", [late_event], at=NOW - timedelta(days=1))
    assert node_ids(ask("kiln", as_of=ago(5))) == [str(early)]
    assert ask("kiln", as_of=ago(10))["items"] == []
    assert len(ask("kiln", as_of=ago(0))["items"]) == 4


def test_strength_is_what_it_was_then(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln", at=NOW - timedelta(days=28), score=0.9)
    insert = (
        "insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
        " values (%(node)s, %(scope)s, 'recall', %(at)s, 0.5, 21, %(pinned)s, 'seat:1')"
    )
    memories.sql(insert, node=node, scope=memories.scope, at=NOW - timedelta(days=14), pinned=False)
    memories.sql(insert, node=node, scope=memories.scope, at=NOW - timedelta(days=2), pinned=True)

    def strength(days: float) -> Any:
        item = ask("kiln", as_of=ago(days), explain=True)["items"][0]
        assert item["explanation"]["spreading"]["strength"] == item["strength"]
        return item["strength"]

    assert strength(21) == pytest.approx(0.9 * math.exp(-7 / 14))
    assert strength(14) == pytest.approx(0.5)
    assert strength(7) == pytest.approx(0.5 * math.exp(-7 / 21))
    assert strength(1) == pytest.approx(0.5)
    assert strength(-100) == pytest.approx(0.5)


def test_what_comes_is_forecast(memories: Memories, ask: Ask):
    memories.fragment("We fired the kiln", at=NOW)
    found = ask("kiln", as_of=ago(-14))
    assert found["as_of"] == ago(-14)
    assert found["items"][0]["strength"] == pytest.approx(math.exp(-1))


def test_of_two_that_were_set_at_the_same_instant_the_last_counts(memories: Memories, ask: Ask):
    node = memories.fragment("We fired the kiln", at=NOW - timedelta(days=3))
    for score in (0.2, 0.7):
        memories.sql(
            "insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
            " values (%(node)s, %(scope)s, 'set', %(at)s, %(score)s, 14, false, '')",
            node=node,
            scope=memories.scope,
            at=NOW - timedelta(days=2),
            score=score,
        )
    assert ask("kiln", as_of=ago(2))["items"][0]["strength"] == pytest.approx(0.7)


def test_an_event_that_was_archived_since_is_reached_as_of_then(memories: Memories, ask: Ask):
    fragment = memories.fragment("We fired the kiln", at=NOW - timedelta(days=9))
    event = memories.event("Outing", "A day by the lake", [fragment], at=NOW - timedelta(days=9))
    memories.archive(event, NOW - timedelta(days=1))
    assert set(node_ids(ask("kiln", as_of=ago(5)))) == {str(fragment), str(event)}
    assert node_ids(ask("kiln")) == [str(fragment)]


def test_before_keeps_to_what_was_spoken_before(memories: Memories, ask: Ask):
    early = memories.fragment("We fired the kiln", said_at=NOW - timedelta(days=9))
    late = memories.fragment("They fired the kiln", said_at=NOW - timedelta(days=1))
    event = memories.event("Firing", "The kiln was fired", [early, late], said_at=NOW - timedelta(days=1))
    both = memories.concept("Kiln", [early, late])
    later = memories.concept("Kiln shelves", [late, event])
    unsaid = memories.fragment("Nobody knows when the kiln was built")
    narrowed = ask("kiln shelves", before=ago(5), limit=100)
    assert set(node_ids(narrowed)) == {str(early), str(both)}
    at_once = ask("kiln shelves", before=format_instant(NOW - timedelta(days=1)), limit=100)
    assert str(late) not in node_ids(at_once)
    every = ask("kiln shelves", limit=100)
    assert set(node_ids(every)) == {str(n) for n in (early, late, event, both, later, unsaid)}


def test_before_and_as_of_narrow_together(memories: Memories, ask: Ask):
    early = {"said_at": NOW - timedelta(days=9), "at": NOW - timedelta(days=8)}
    wanted = memories.fragment("We fired the kiln", **early)
    memories.fragment("They fired the kiln", **early | {"at": NOW - timedelta(days=1)})
    memories.fragment("She fired the kiln", **early | {"said_at": NOW - timedelta(days=8.5)})
    assert node_ids(ask("kiln", as_of=ago(5), before=ago(8.7))) == [str(wanted)]


def test_the_lines_of_a_memory_that_was_said_again_later_are_narrowed_too(memories: Memories, ask: Ask):
    first = memories.session("first", "We fired the kiln", at=NOW - timedelta(days=9))
    second = memories.session("second", "We fired the kiln", at=NOW - timedelta(days=1))
    said = {"said_at": NOW - timedelta(days=9)}
    node = memories.write(memories.node(1, "We fired the kiln", **said), places=[(first, 0, 0)])[0]
    memories.sql(
        "insert into node_source (node, scope, session, first, last, position)"
        " values (%(node)s, %(scope)s, %(session)s, 0, 0, 1)",
        node=node,
        scope=memories.scope,
        session=second.pk,
    )
    names = [[s["client_id"] for s in ask("kiln", before=b)["items"][0]["sources"]] for b in (ago(5), ago(0))]
    assert names == [["first"], ["first", "second"]]


def test_the_ten_nearest_are_those_of_then(memories: Memories, ask: Ask):
    memories.fragments(*(f"The pottery kiln is hot, {n} said" for n in range(12)), at=NOW - timedelta(days=1))
    old = memories.fragment("An oven for clay", at=NOW - timedelta(days=9), said_at=NOW - timedelta(days=9))
    for narrowed in ({"as_of": ago(5)}, {"before": ago(5)}):
        item = ask("pottery kiln", explain=True, **narrowed)["items"][0]
        assert (item["id"], item["explanation"]["spreading"]["rank"]) == (str(old), 1)
