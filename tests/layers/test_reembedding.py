"""Moving a Space's memories to another embedder while it goes on being used."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from common.errors import Conflict, Invalid, NotFound
from common.times import now
from memory.embedding import EmbedderUnavailable, choosing, embedder_named
from memory.layers import near, reembedding
from memory.layers.governing.standing import archive_nodes, restore_nodes
from memory.layers.indexing import embedder_of
from memory.layers.models import LayerSettings, NodeStrength, Reembedding, ScopeStat, StagedVector
from memory.layers.near import drop_near_index, keep_near_indexes
from memory.layers.reembedding import begin, move, stop
from spaces.access import SYSTEM_CALLER
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Space
from tests.actors import make_scope
from tests.layers.told import Plain, Talk, episode, topic
from tests.rest.client import seat

SAID = [f"The {word} of the mill was painted" for word in ("door", "roof", "wheel", "fence", "gate", "sluice", "loft")]


@dataclass
class Hashed:
    """An embedder of 24 dimensions from the words of a text; `before` is called with what it is asked."""

    name: str = "hashed:24"
    dimensions: int = 24
    calls: list[int] = field(default_factory=list)
    before: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(len(texts))
        if self.before:
            self.before()
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Hashed:
    """The embedder that a Space is moved to; batches are of three memories."""
    made = Hashed()
    monkeypatch.setitem(choosing._made, made.name, made)
    monkeypatch.setattr(reembedding, "BATCH", 3)
    return made


@pytest.fixture
def talk(north: Any) -> Talk:
    talk = Talk(north)
    talk.say(*SAID)
    talk.distilled(Plain(events=episode, concepts=topic("mills")))
    return talk


def begun(talk: Talk, spec: str = "hashed:24") -> Reembedding:
    with entered(talk.space), memory_transaction() as act:
        return begin(act, SYSTEM_CALLER, spec)


def moved(talk: Talk, job: Reembedding) -> bool:
    with entered(talk.space):
        return move(job.pk)


def stopped(talk: Talk, job: Reembedding) -> None:
    with entered(talk.space), memory_transaction() as act:
        stop(act, SYSTEM_CALLER, job.pk)


def found(talk: Talk, job: Reembedding) -> Reembedding:
    with entered(talk.space):
        return Reembedding.objects.get(pk=job.pk)


def lengths(talk: Talk) -> list[tuple[int, int]]:
    """How many vectors there are of each length."""
    return talk.rows(
        "select vector_dims(embedding::vector), count(*) from node_index where embedding is not null group by 1"
    )


def test_every_vector_is_one_of_the_new_embedder_and_the_scope_says_so(talk: Talk, other: Hashed):
    job = begun(talk)
    assert job.total == 9
    assert moved(talk, job)
    done = found(talk, job)
    assert (done.state, done.done, lengths(talk)) == ("done", 9, [(24, 9)])
    with entered(talk.space):
        stat = ScopeStat.objects.get()
        assert (stat.embedder, stat.dimensions, StagedVector.objects.count()) == ("hashed:24", 24, 0)
        assert LayerSettings.objects.get().embedder == "hashed:24"


def test_there_is_one_at_a_time_and_its_embedder_is_one_that_can_be_had(talk: Talk, other: Hashed):
    begun(talk)
    with pytest.raises(Conflict, match="already"):
        begun(talk)
    with pytest.raises(Invalid, match="embedder"):
        begun(talk, "nothing-of-that-name")


def test_the_tick_comes_at_once(talk: Talk, other: Hashed):
    Space.objects.filter(pk=talk.space.pk).update(next_due_at=None)
    begun(talk)
    assert Space.objects.get(pk=talk.space.pk).next_due_at <= now()


class Killed(BaseException):
    """Nothing cleans up after it."""


@pytest.mark.parametrize("after", [1, 2, 3])
def test_killed_after_any_batch_it_goes_on_from_what_is_staged(talk: Talk, other: Hashed, after: int):
    def kill() -> None:
        if len(other.calls) > after:
            raise Killed

    job, other.before = begun(talk), kill
    with pytest.raises(Killed):
        moved(talk, job)
    staged = talk.rows("select count(*) from staged_vector")[0][0]
    assert lengths(talk) == [(256, 9)]
    assert not moved(talk, job), "its lease still holds"
    other.before = None
    with entered(talk.space):
        Reembedding.objects.update(lease_until=now() - timedelta(seconds=1))
    other.calls.clear()
    assert moved(talk, job)
    assert lengths(talk) == [(24, 9)]
    assert found(talk, job).done == 9
    assert staged > 0


def test_stopped_it_leaves_the_old_vectors_and_nothing_staged(talk: Talk, other: Hashed):
    job = begun(talk)

    def stopping() -> None:
        if len(other.calls) == 3:
            stopped(talk, job)

    other.before = stopping
    assert not moved(talk, job)
    assert (found(talk, job).state, lengths(talk)) == ("stopped", [(256, 9)])
    assert talk.rows("select count(*) from staged_vector") == [(0,)]
    with pytest.raises(NotFound):
        stopped(talk, job)


def test_one_that_the_embedder_refuses_is_put_off_with_the_reason(talk: Talk, other: Hashed):
    def away() -> None:
        raise EmbedderUnavailable("The endpoint is away.")

    job, other.before = begun(talk), away
    assert not moved(talk, job)
    put_off = found(talk, job)
    assert (put_off.state, put_off.reason) == ("running", "The endpoint is away.")
    assert not moved(talk, job), "it is not time yet"
    other.before = None
    with entered(talk.space):
        Reembedding.objects.update(next_try_at=now())
    assert moved(talk, job)


def test_what_is_distilled_meanwhile_is_moved_too(talk: Talk, other: Hashed):
    def saying() -> None:
        other.before = None
        talk.say("The weir was mended", client="b")
        talk.distilled()

    job, other.before = begun(talk), saying
    assert moved(talk, job)
    assert lengths(talk) == [(24, 10)]


def test_a_batch_that_was_embedded_before_the_switch_is_put_off_and_done_with_the_new_one(talk: Talk, other: Hashed):
    job = begun(talk)
    talk.say("The weir was mended", client="b")
    run = talk.ask()
    assert not talk.work(run, Plain(before=lambda lines: moved(talk, job)))
    assert "another embedder" in talk.found(run).reason
    talk.update(run, state="pending", next_try_at=None)
    assert talk.work(run)
    assert lengths(talk) == [(24, 10)]


def test_a_scope_without_memories_begins_with_the_new_embedder(talk: Talk, other: Hashed):
    job = begun(talk)
    assert moved(talk, job)
    scope = make_scope(talk.space, "new")
    with entered(talk.space):
        assert embedder_of(scope.pk) is other


def test_what_is_archived_has_no_vector_and_gets_one_of_the_new_embedder_when_it_comes_back(talk: Talk, other: Hashed):
    node, scope = talk.node(SAID[0]).pk, talk.scope.pk
    with entered(talk.space), memory_transaction() as act:
        archive_nodes(scope, [node], now(), "system:test")
        act.record(SYSTEM_CALLER.actor, "test.archive")
    job = begun(talk)
    assert job.total == 8
    assert moved(talk, job)
    with entered(talk.space), memory_transaction() as act:
        restore_nodes(scope, [node], now(), "system:test")
        act.record(SYSTEM_CALLER.actor, "test.restore")
    assert lengths(talk) == [(24, 9)]
    with entered(talk.space):
        assert NodeStrength.objects.get(pk=node).archived_at is None


def test_what_is_forgotten_meanwhile_leaves_no_vector_behind(talk: Talk, other: Hashed):
    job = begun(talk)
    node = talk.node(SAID[0]).pk

    def forgetting() -> None:
        if len(other.calls) == 3:
            assert talk.rows("select 1 from staged_vector where node = %(node)s", node=node)
            assert seat(talk.space).post(f"memories/{node}/forget", {}).status_code == 200
            assert not talk.rows("select 1 from staged_vector where node = %(node)s", node=node)

    other.before = forgetting
    assert moved(talk, job)
    assert lengths(talk) == [(24, 8)]


def test_a_scope_with_an_index_of_its_own_is_moved_to_another_length(
    talk: Talk, other: Hashed, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(near, "FROM_ROWS", 5)
    monkeypatch.setattr(near, "DOWN_TO", 3)
    scope = talk.scope.pk
    with entered(talk.space):
        keep_near_indexes()
        assert ScopeStat.objects.get().near_bound is not None
    job = begun(talk)
    assert moved(talk, job)
    assert lengths(talk) == [(24, 9)]
    with entered(talk.space):
        assert ScopeStat.objects.get().near_bound is None
        keep_near_indexes()
        assert ScopeStat.objects.get().near_bound is not None
        drop_near_index(scope)


def test_back_and_forth_it_comes_to_the_same_vectors(talk: Talk, other: Hashed):
    vectors = "select node, embedding::text from node_index order by node"
    before = talk.rows(vectors)
    assert moved(talk, begun(talk))
    assert moved(talk, begun(talk, "wordllama"))
    assert talk.rows(vectors) == before
    assert embedder_named("wordllama").dimensions == 256


def test_a_message_that_comes_twice_or_late_changes_nothing(talk: Talk, other: Hashed):
    job = begun(talk)
    assert moved(talk, job)
    assert not moved(talk, job)
