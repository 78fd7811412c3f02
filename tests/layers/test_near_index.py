"""Indexes of a large scope's own: made, used, renewed and dropped by themselves."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from audit.recording import SYSTEM
from common.times import now
from memory.embedding import default_embedder
from memory.layers import near
from memory.layers.index_rows import Indexed, add_to_index
from memory.layers.indexing import note_embedder
from memory.layers.models import NodeIndex, Reembedding, ScopeStat
from memory.layers.near import drop_near_index, has_large_scopes, keep_near_indexes
from memory.layers.new_nodes import NewNode, add_nodes
from memory.layers.vectors import halfvec_text
from memory.recall.rules.indexing import index_whole
from memory.recall.spreading import spread
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.layers.told import Talk

INDEXES = "select indexname from pg_indexes where indexname like 'near%%' order by 1"


@pytest.fixture
def talk(north: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    monkeypatch.setattr(near, "FROM_ROWS", 300)
    monkeypatch.setattr(near, "DOWN_TO", 200)
    talk = Talk(north)
    yield talk
    # A database serves many tests, and only its rows go with each.
    with entered(north):
        drop_near_index(talk.scope.pk)


def many(talk: Talk, count: int) -> list[int]:
    """Fragments with vectors in a few heaps, as those of texts lie."""
    choose = np.random.default_rng(count)
    heaps = choose.normal(size=(20, 256))
    vectors = (heaps[choose.integers(20, size=count)] + choose.normal(size=(count, 256))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scope = talk.scope.pk
    with entered(talk.space), memory_transaction() as act:
        note_embedder(scope, default_embedder())
        made = [NewNode(1, "Fragment", "made", f"row {number}", {}, None, None, 1.0, 14.0) for number in range(count)]
        ids = add_nodes(scope, made, now(), run=None, actor="system:test")
        words = index_whole("row")
        add_to_index(scope, [Indexed(node, 1, words, vector) for node, vector in zip(ids, vectors, strict=True)])
        act.record(SYSTEM, "test.remember")
    return ids


def kept(talk: Talk) -> ScopeStat:
    with entered(talk.space):
        if has_large_scopes():
            keep_near_indexes()
        return ScopeStat.objects.get(scope=talk.scope.pk)


def test_a_small_scope_has_none(talk: Talk):
    many(talk, 250)
    assert kept(talk).near_bound is None
    assert talk.rows(INDEXES) == []


def test_a_large_one_has_one_up_to_a_bound_and_it_finds_what_a_scan_finds(talk: Talk):
    ids = many(talk, 400)
    stat = kept(talk)
    assert stat.near_bound == ids[-1]
    assert talk.rows(INDEXES) == [(f"near_{stat.scope}_{ids[-1]}",)]
    younger = many(talk, 30)
    found = wanted = 0
    with entered(talk.space):
        rows = list(NodeIndex.objects.order_by("pk"))
        for row in [*random.Random(3).sample(rows, 20), NodeIndex.objects.get(pk=younger[7])]:
            vector = halfvec_text(np.array(row.embedding, np.float32))
            exact = {item.id for item in spread(ScopeStat(scope=stat.scope), vector, now(), as_of=None, before=None)}
            fast = {item.id for item in spread(stat, vector, now(), as_of=None, before=None)}
            assert row.pk in fast
            found, wanted = found + len(exact & fast), wanted + len(exact)
    assert found / wanted >= 0.9


def test_it_is_renewed_when_the_younger_are_many_and_the_old_one_goes(talk: Talk):
    many(talk, 400)
    before = kept(talk).near_bound
    many(talk, 299)
    assert kept(talk).near_bound == before
    ids = many(talk, 1)
    stat = kept(talk)
    assert stat.near_bound == ids[-1]
    assert talk.rows(INDEXES) == [(f"near_{stat.scope}_{ids[-1]}",)]


def test_a_scope_that_has_shrunk_has_none(talk: Talk):
    many(talk, 400)
    kept(talk)
    with entered(talk.space):
        ScopeStat.objects.update(rows=199)
    assert kept(talk).near_bound is None
    assert talk.rows(INDEXES) == []


def test_what_was_left_of_one_that_was_cut_off_is_cleared_away(talk: Talk, monkeypatch: pytest.MonkeyPatch):
    many(talk, 400)

    def cut(*given: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(near, "memory_transaction", cut)
        with entered(talk.space), pytest.raises(KeyboardInterrupt):
            keep_near_indexes()
    assert len(talk.rows(INDEXES)) == 1
    many(talk, 5)
    stat = kept(talk)
    assert talk.rows(INDEXES) == [(f"near_{stat.scope}_{stat.near_bound}",)]


def test_while_a_space_is_moved_to_another_embedder_none_is_made(talk: Talk):
    many(talk, 400)
    with entered(talk.space):
        Reembedding.objects.create(embedder="other", asked_by="system:test")
    assert kept(talk).near_bound is None


def test_one_that_is_built_while_its_scope_is_moved_is_dropped(talk: Talk, monkeypatch: pytest.MonkeyPatch):
    many(talk, 400)
    real = near._create

    def moved(*given: Any) -> str:
        ScopeStat.objects.update(embedder="other")
        return real(*given)

    monkeypatch.setattr(near, "_create", moved)
    assert kept(talk).near_bound is None
    assert talk.rows(INDEXES) == []


def test_it_can_be_dropped_by_name_of_its_scope(talk: Talk):
    many(talk, 400)
    stat = kept(talk)
    with entered(talk.space):
        drop_near_index(stat.scope)
        drop_near_index(stat.scope)
        assert ScopeStat.objects.get().near_bound is None
    assert talk.rows(INDEXES) == []
