"""A run of distillation: what it takes, what it leaves, and that it does each line once."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connections

from audit.recording import SYSTEM
from common.errors import NotFound, Unprocessable
from common.times import now
from memory.layers import committing, distilling, parts
from memory.layers.distilling import distil
from memory.layers.indexing import index_nodes
from memory.layers.models import Distillation, DistilledRange, Node
from memory.layers.parts import Room
from memory.layers.rules.proposals import DistillerRefused
from memory.layers.runs import retry
from memory.sessions.models import Session
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.layers.told import Plain, Talk, episode, topic

SAID = [f"The lamp in room {number} was repaired by Tomas" for number in range(12)]


@pytest.fixture
def talk(north: Any) -> Talk:
    return Talk(north)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of five lines."""
    monkeypatch.setattr(distilling, "USUAL", Room(5, 1_000_000))


def test_lines_become_fragments_with_their_sources_links_and_words(talk: Talk):
    session = talk.say(*SAID[:3])
    run = talk.distilled(Plain(events=episode, concepts=topic("lamps")))
    assert (run.state, run.outcome) == ("done", {"lines": 3, "fragments": 3, "events": 1, "concepts": 1})
    assert talk.texts() == SAID[:3]
    sources = talk.rows("select session, first, last from node_source join node n on n.id = node where n.layer = 1")
    assert sorted(sources) == [(session.pk, index, index) for index in range(3)]
    links = talk.rows("select predicate, count(*) from link group by 1 order by 1")
    assert links == [("mentions", 3), ("next", 2), ("part_of", 3)]
    assert talk.rows("select layer, count(*) from node_index group by 1 order by 1") == [(1, 3), (2, 1), (3, 1)]
    assert talk.rows("select df from term_df where term = 'lamp'") == [(5,)]


def test_a_run_takes_what_is_there_when_it_begins_and_leaves_the_rest_to_the_next(talk: Talk):
    talk.say(*SAID[:2])
    run = talk.distilled(Plain(before=lambda lines: talk.say(SAID[2])))
    assert run.outcome["lines"] == 2
    assert talk.distilled().outcome["lines"] == 1
    assert talk.ledger() == [(0, 0, 1), (0, 2, 2)]
    assert talk.rows("select count(*) from link where predicate = 'next'") == [(2,)]


def test_a_session_can_be_distilled_alone(talk: Talk):
    first, _ = talk.say(SAID[0], client="a"), talk.say(SAID[1], client="b")
    talk.distilled(session=first.pk)
    assert talk.texts() == [SAID[0]]


def test_batches_hold_so_many_lines_of_one_session_or_several(talk: Talk, small: None):
    talk.say(*SAID[:3], client="a")
    talk.say(*SAID[3:], client="b")
    talk.distilled()
    assert [len(lines) for lines in talk.distiller.given] == [3, 5, 4]
    assert [text for lines in talk.distiller.given for text in lines] == SAID


def test_batches_hold_so_many_bytes_and_a_longer_line_alone(talk: Talk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(distilling, "USUAL", Room(500, 100))
    talk.say("short one", "long " * 50, "short two", "short three")
    talk.distilled()
    assert [len(lines) for lines in talk.distiller.given] == [1, 1, 2]
    assert talk.ledger() == [(0, 0, 0), (0, 1, 1), (0, 2, 3)]


def test_of_runs_that_wait_a_second_is_the_first(talk: Talk):
    session = talk.say(*SAID)
    assert talk.ask().pk == talk.ask().pk
    assert talk.ask(session=session.pk).pk == talk.ask(session=session.pk).pk != talk.ask().pk


def test_a_run_is_asked_for_a_session_of_its_scope(talk: Talk):
    with pytest.raises(NotFound):
        talk.ask(session=uuid.uuid4())
    with pytest.raises(Unprocessable, match="Name the session"):
        talk.ask(again=True)


def test_one_run_of_a_scope_is_under_way_at_a_time(talk: Talk):
    session = talk.say(*SAID[:2])
    alone, all_of_it = talk.ask(session=session.pk), talk.ask()
    seen = []
    assert talk.work(alone, Plain(before=lambda lines: seen.append(talk.work(all_of_it))))
    assert seen == [False]
    assert talk.work(all_of_it)
    assert talk.texts() == SAID[:2]


@pytest.mark.usefixtures("committed_db")
def test_workers_that_hear_of_it_at_once_do_it_once(talk: Talk, small: None):
    talk.say(*SAID)
    run = talk.ask()

    def one(_: int) -> bool:
        try:
            return talk.work(run, Plain())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(one, range(4))) == [False, False, False, True]
    assert talk.texts() == SAID
    assert talk.ledger() == [(0, 0, 4), (0, 5, 9), (0, 10, 11)]


@pytest.mark.usefixtures("committed_db")
def test_of_two_runs_that_begin_at_once_one_is_passed_by(talk: Talk):
    session = talk.say(*SAID)
    runs = [talk.ask(session=session.pk), talk.ask()]

    def one(run: Distillation) -> bool:
        try:
            return talk.work(run, Plain())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert True in list(pool.map(one, runs))
    for run in runs:
        talk.work(run)
    assert talk.texts() == SAID
    assert {talk.found(run).state for run in runs} == {"done"}


class Killed(BaseException):
    """Nothing cleans up after it."""


STEPS = [
    (distilling, "prepare"),
    (distilling, "hold"),
    (distilling, "require_embedder"),
    (distilling, "_advance"),
    (distilling, "_enter"),
    (distilling, "commit_batch"),
    (committing, "add_nodes"),
    (committing, "add_to_index"),
    (committing, "add_sources"),
    (committing, "repeat_nodes"),
    (committing, "note_words"),
    (committing, "write_learnt"),
    (distilling, "count_terms"),
    (distilling, "finish"),
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("module", "step"), STEPS, ids=[step for _, step in STEPS])
def test_killed_at_any_step_nothing_is_missing_and_nothing_done_twice(
    talk: Talk, small: None, monkeypatch: pytest.MonkeyPatch, module: Any, step: str, after: bool
):
    talk.say(*SAID)
    run, real = talk.ask(), getattr(module, step)

    def killed(*given: Any, **named: Any) -> Any:
        if after:
            real(*given, **named)
        raise Killed

    monkeypatch.setattr(module, step, killed)
    with pytest.raises(Killed):
        talk.work(run)
    monkeypatch.setattr(module, step, real)
    assert not talk.work(run), "its lease still holds"
    talk.update(run, lease_until=now() - timedelta(seconds=1))
    is_done = talk.found(run).state == "done"
    assert talk.work(run) is not is_done
    assert talk.found(run).state == "done"
    assert talk.texts() == SAID
    assert talk.ledger() == [(0, 0, 4), (0, 5, 9), (0, 10, 11)]


def test_a_worker_whose_run_was_taken_over_commits_nothing_more(talk: Talk, small: None):
    talk.say(*SAID)
    run = talk.ask()

    def overtaken(lines: Any) -> None:
        if lines[0].index == 5:
            talk.update(run, lease_until=now() - timedelta(seconds=1))
            assert talk.work(run, Plain())

    assert not talk.work(run, Plain(before=overtaken))
    assert talk.texts() == SAID
    assert (talk.found(run).state, talk.found(run).outcome["lines"]) == ("done", 12)


def test_lost_late_and_doubled_messages_change_nothing(talk: Talk):
    talk.say(*SAID[:2])
    run = talk.distilled()
    assert not talk.work(run)
    assert not talk.work(uuid.uuid4())
    assert talk.texts() == SAID[:2]


def test_a_range_is_in_the_ledger_once(talk: Talk):
    session = talk.say(SAID[0])
    run = talk.distilled()
    with entered(talk.space), pytest.raises(IntegrityError):
        DistilledRange.objects.create(
            run=run, scope=run.scope, session=session.pk, generation=0, first=0, last=9, at=now()
        )


def refusing(reason: str = "The model is away.") -> Plain:
    def refuse(lines: Any) -> None:
        raise DistillerRefused(reason)

    return Plain(before=refuse)


def test_lines_that_a_distiller_refuses_stay_pending_with_the_reason(talk: Talk):
    talk.say(*SAID)
    run = talk.ask()
    assert not talk.work(run, refusing())
    found = talk.found(run)
    assert (found.state, found.reason, found.attempts) == ("failed", "The model is away.", 1)
    with entered(talk.space):
        assert Session.objects.get().distilled_until == 0


def test_each_next_try_is_twice_as_far_off_up_to_six_hours(talk: Talk):
    talk.say(SAID[0])
    run, waits = talk.ask(), []
    for _ in range(11):
        talk.update(run, state="pending", next_try_at=None)
        talk.work(run, refusing())
        waits.append(round((talk.found(run).next_try_at - now()) / timedelta(minutes=1)))
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]


def test_what_was_refused_halfway_goes_on_from_there(talk: Talk, small: None):
    talk.say(*SAID)
    run = talk.ask()

    def refuse(lines: Any) -> None:
        if lines[0].index == 5:
            raise DistillerRefused("The answer was cut off.")

    assert not talk.work(run, Plain(before=refuse))
    assert talk.texts() == SAID[:5]
    with entered(talk.space), memory_transaction() as act:
        retry(act, SYSTEM, run.pk, [talk.scope.pk])
    talk.say("One more line came meanwhile")
    assert talk.work(run)
    assert talk.distiller.given == [SAID[5:10], [*SAID[10:], "One more line came meanwhile"]]


def test_what_breaks_off_is_put_off_and_raised(talk: Talk):
    def broken(lines: Any) -> None:
        raise ZeroDivisionError("nobody thought of that")

    talk.say(SAID[0])
    run = talk.ask()
    with pytest.raises(ZeroDivisionError):
        talk.work(run, Plain(before=broken))
    found = talk.found(run)
    assert (found.state, found.reason) == ("failed", "It broke off. The log of the service says why.")


def test_a_space_without_its_model_says_so(talk: Talk, north: Any):
    talk.settings(distiller="llm")
    talk.say(SAID[0])
    run = talk.ask()
    with entered(north):
        assert not distil(run.pk)
    assert "KNDL_LLM_BASE_URL" in talk.found(run).reason


def test_the_same_lines_distilled_again_add_nothing_and_the_ledger_says_twice(talk: Talk):
    session = talk.say(*SAID[:3])
    plug_in = Plain(events=episode, concepts=topic("lamps"))
    talk.distilled(plug_in)
    before = talk.dump("node", "node_strength", "node_source", "link")
    run = talk.distilled(plug_in, session=session.pk, again=True)
    assert talk.dump("node", "node_strength", "node_source", "link") == before
    assert run.outcome == {"lines": 3}
    assert talk.ledger() == [(0, 0, 2), (1, 0, 2)]


def test_a_new_pass_that_is_asked_for_in_the_middle_begins_at_the_first_line(talk: Talk, small: None):
    session = talk.say(*SAID)
    run = talk.ask()

    def anew(lines: Any) -> None:
        if lines[0].index == 5:
            talk.ask(session=session.pk, again=True)

    assert not talk.work(run, Plain(before=anew))
    assert "new pass" in talk.found(run).reason
    assert talk.work(talk.ask(session=session.pk))
    assert talk.texts() == SAID
    assert talk.ledger() == [(0, 0, 4), (1, 0, 4), (1, 5, 9), (1, 10, 11)]


def test_a_new_pass_before_a_dead_worker_is_replaced_does_not_hold_the_scope_up(talk: Talk, small: None):
    session = talk.say(*SAID[:6])
    talk.distilled()
    talk.say(*SAID[6:])
    run = talk.ask()
    talk.update(run, state="running", plan=[[str(session.pk), 6, 11]], lease=uuid.uuid4(), lease_until=now())
    talk.ask(session=session.pk, again=True)
    assert talk.work(run)
    assert talk.texts() == SAID
    assert [row for row in talk.ledger() if row[0] == 1] == [(1, 0, 4), (1, 5, 9), (1, 10, 11)]


def test_a_concept_that_is_proposed_twice_in_a_batch_is_one(talk: Talk):
    def both(fragments: Any) -> Any:
        one, other = topic("lamps")(fragments), topic("lamps")(fragments)
        return [*one, *(type(item)("c2", item.type, item.name, fragments=item.fragments) for item in other)]

    talk.say(*SAID[:2])
    talk.distilled(Plain(concepts=both))
    assert talk.texts(3) == ["lamps"]


def test_what_is_stored_can_be_indexed_again_and_is_the_same(talk: Talk, north: Any):
    talk.say("Did the glazier come?", *SAID[:2], "Thanks for the help")
    talk.distilled(Plain(events=episode, concepts=topic("lamps")))
    before = talk.rows("select node, length, search::text, embedding::text from node_index order by node")
    with entered(north), memory_transaction() as act:
        index_nodes(talk.scope.pk, list(Node.objects.values_list("pk", flat=True)))
        act.record(SYSTEM, "test.index")
    assert talk.rows("select node, length, search::text, embedding::text from node_index order by node") == before


def test_parts_that_are_distilled_are_not_cut_again(talk: Talk, north: Any):
    session = talk.say(*SAID)
    talk.distilled()
    with entered(north):
        assert list(parts.batches_of([(session.pk, 0, 11)], Room(5, 1_000))) == []
