"""What starts a distillation, by a clock that the test moves."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from kombu.exceptions import OperationalError

from audit.recording import SYSTEM
from memory.layers import tasks
from memory.layers.models import Distillation
from memory.layers.rules.proposals import DistillerRefused
from memory.layers.runs import ask
from memory.layers.triggers import start_due
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted
from spaces.models import Space
from spaces.ticking import tick
from tests.layers.at_once import together
from tests.layers.told import Plain, Talk

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
LONG = [f"note {number} about the orchard" for number in range(200)]


@pytest.fixture
def talk(north: Any) -> Talk:
    return Talk(north)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


def looked(talk: Talk) -> list[Any]:
    """The runs that a tick hands to workers."""
    started: list[Any] = []
    with entered(talk.space):
        start_due(lambda space, run: started.append(run))
    return started


def runs(talk: Talk) -> list[tuple[str, bool]]:
    """Each run's trigger, and whether it is of one session."""
    with entered(talk.space):
        rows = Distillation.objects.order_by("asked_at").values_list("trigger", "session")
        return [(trigger, session is not None) for trigger, session in rows]


def due(talk: Talk) -> timedelta:
    """How long after noon the tick comes back."""
    return Space.objects.get(pk=talk.space.pk).next_due_at - NOON


def test_a_scope_is_distilled_when_all_its_sessions_were_idle_for_half_an_hour(talk: Talk, clock: Any):
    talk.say("the hens lay again", client="a")
    clock.shift(timedelta(minutes=20))
    talk.say("so do the ducks", client="b")
    clock.shift(timedelta(minutes=29, seconds=59))
    assert looked(talk) == []
    clock.shift(timedelta(seconds=1))
    (run,) = looked(talk)
    assert runs(talk) == [("idle", False)]
    assert talk.work(run)
    assert talk.found(run).outcome["lines"] == 2


def test_idle_is_counted_from_arrival_and_not_from_when_it_was_said(talk: Talk, clock: Any):
    talk.say("the hens lay again", at=NOON - timedelta(days=900))
    assert looked(talk) == []
    clock.shift(timedelta(minutes=30))
    assert len(looked(talk)) == 1


def test_a_full_and_quiet_session_is_distilled_alone(talk: Talk, clock: Any):
    talk.say(*LONG[:199], client="full")
    clock.shift(timedelta(minutes=1))
    talk.say("a word", client="other")
    assert looked(talk) == []
    talk.say(LONG[199], client="full")
    clock.shift(timedelta(seconds=29))
    assert looked(talk) == []
    clock.shift(timedelta(seconds=1))
    (run,) = looked(talk)
    assert runs(talk) == [("full", True)]
    assert talk.work(run)
    assert talk.found(run).outcome["lines"] == 200


def test_settings_say_how_long_and_how_many(talk: Talk, clock: Any):
    talk.settings(idle_minutes=2, full_lines=10, quiet_seconds=5)
    talk.say(*LONG[:10], client="full")
    talk.say("a word", client="other")
    clock.shift(timedelta(seconds=5))
    assert len(looked(talk)) == 1
    clock.shift(timedelta(minutes=2))
    assert len(looked(talk)) == 2


def test_looking_again_asks_for_nothing_more(talk: Talk, clock: Any):
    talk.say("the hens lay again")
    clock.shift(timedelta(minutes=31))
    first = looked(talk)
    assert looked(talk) == first
    assert talk.work(first[0])
    assert looked(talk) == []
    assert runs(talk) == [("idle", False)]


def test_what_waits_for_its_next_try_is_not_asked_for_anew(talk: Talk, clock: Any):
    def refuse(lines: Any) -> None:
        raise DistillerRefused("not now")

    talk.say("the hens lay again")
    clock.shift(timedelta(minutes=31))
    (run,) = looked(talk)
    assert not talk.work(run, Plain(before=refuse))
    assert looked(talk) == []
    clock.shift(timedelta(seconds=60))
    assert looked(talk) == [run]
    assert talk.work(run)
    assert talk.texts() == ["the hens lay again"]


def test_a_run_whose_worker_has_gone_is_handed_out_again(talk: Talk, clock: Any):
    talk.say("the hens lay again")
    run = talk.ask()
    with pytest.raises(KeyboardInterrupt):
        talk.work(run, Plain(before=_interrupted))
    assert looked(talk) == []
    assert due(talk) <= timedelta(minutes=1)
    clock.shift(timedelta(minutes=5))
    assert looked(talk) == [run.pk]


def _interrupted(lines: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("committed_db")
def test_two_that_look_at_once_make_one_run(talk: Talk):
    talk.settings(idle_minutes=0)
    talk.say("the hens lay again")
    found = together(*[lambda: looked(talk)] * 3)
    assert {len(started) for started in found} == {1}
    assert runs(talk) == [("idle", False)]


@pytest.mark.usefixtures("committed_db")
def test_one_that_asks_and_one_that_looks_at_once_make_one_run(talk: Talk):
    talk.settings(idle_minutes=0)
    talk.say("the hens lay again")
    together(lambda: looked(talk), lambda: _asked_over(talk))
    assert len(runs(talk)) == 1


def _asked_over(talk: Talk) -> None:
    with entered(talk.space):
        attempted(lambda act: ask(act, talk.scope.pk, SYSTEM, "manual"))


def test_the_tick_comes_back_when_the_next_session_will_be_due(talk: Talk, clock: Any):
    def hinted() -> timedelta:
        Space.objects.filter(pk=talk.space.pk).update(next_due_at=None)
        looked(talk)
        return due(talk)

    talk.say("the hens lay again", client="a")
    clock.shift(timedelta(minutes=10))
    talk.say("so do the ducks", client="b")
    assert hinted() == timedelta(minutes=40)
    talk.say(*LONG, client="c")
    assert hinted() == timedelta(minutes=10, seconds=30)


def test_whoever_asks_has_the_tick_come_at_once(talk: Talk, clock: Any):
    talk.say("the hens lay again")
    Space.objects.filter(pk=talk.space.pk).update(next_due_at=None)
    talk.ask()
    assert due(talk) == timedelta(0)


@pytest.mark.usefixtures("committed_db")
def test_without_a_broker_the_next_tick_has_it_done(talk: Talk, monkeypatch: pytest.MonkeyPatch):
    woken: list[Any] = []

    def down(*given: Any, **named: Any) -> None:
        raise OperationalError("no broker")

    talk.say("the hens lay again")
    run = talk.ask()
    monkeypatch.setattr(tasks.run_distillation, "apply_async", down)
    tick()
    assert talk.found(run).state == "pending"
    monkeypatch.setattr(tasks.run_distillation, "apply_async", lambda ids, **named: woken.append(ids))
    Space.objects.filter(pk=talk.space.pk, next_due_at__isnull=False).update(next_due_at=NOON)
    tick()
    assert woken == [(str(talk.space.pk), str(run.pk))]
    for _ in range(3):
        tasks.run_distillation(*woken[0])
    assert talk.found(run).state == "done"
    assert talk.texts() == ["the hens lay again"]
