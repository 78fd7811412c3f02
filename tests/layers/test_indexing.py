"""The index says what the memories say: words, their frequencies, vectors; and forgets what they forget."""

from typing import Any

import numpy as np
import pytest
from django.db import connections
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.recording import SYSTEM
from memory.layers import indexing
from memory.layers.indexing import count_terms, unindex_nodes
from memory.layers.rules.tsvector import tsvector_bytes, tsvector_literal
from memory.layers.vectors import halfvec_bytes, nearest, vectors_of
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.layers.told import Plain, Talk, episode
from tests.rest.client import seat

SAID = ["The weirs were mended in April", "Bo went to the weir", "Nobody has seen the old heron since"]


@pytest.fixture
def talk(north: Any) -> Talk:
    talk = Talk(north)
    talk.say(*SAID)
    talk.distilled()
    return talk


def counted(talk: Talk) -> dict[str, int]:
    return dict(talk.rows("select term, df from term_df"))


def really(talk: Talk) -> dict[str, int]:
    """In how many rows each lexeme really is."""
    return dict(talk.rows("select split_part(lexeme, ':', 2), count(*) from node_index, unnest(search) group by 1"))


def within(talk: Talk, work: Any) -> None:
    with entered(talk.space), memory_transaction() as act:
        work(talk.scope.pk)
        act.record(SYSTEM, "test.index")


def test_each_term_is_counted_in_the_rows_that_hold_it_with_a_word_as_it_was_written(talk: Talk):
    assert counted(talk) == really(talk)
    words = dict(talk.rows("select term, word from term_df where word <> ''"))
    assert (words["weir"], words["heron"], words["go"]) == ("weir", "heron", "went")


def test_a_small_scope_is_counted_each_time_and_a_large_one_when_it_has_grown_by_a_tenth(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(indexing, "_SMALL", 2)
    talk.say(*[f"Heron number {word} stood there" for word in ("seven", "eight")], client="b")
    talk.distilled()
    assert counted(talk) == really(talk)
    talk.rows("update scope_stat set rows = 100, counted = 100 returning 1")
    talk.say("A grey heron flew", client="c")
    talk.distilled()
    assert counted(talk)["heron"] == really(talk)["heron"] - 1
    within(talk, lambda scope: count_terms(scope, anew=True))
    assert counted(talk) == really(talk)


def test_what_is_taken_out_leaves_the_totals_and_what_is_forgotten_its_words_too(talk: Talk):
    node = talk.node(SAID[2]).pk
    within(talk, lambda scope: unindex_nodes(scope, [node], forgotten=True))
    rows, length = talk.rows("select rows, length from scope_stat")[0]
    assert (rows, length) == talk.rows("select count(*), sum(length) from node_index")[0]
    assert counted(talk) == really(talk)
    within(talk, lambda scope: unindex_nodes(scope, [node]))
    assert talk.rows("select rows, length from scope_stat") == [(rows, length)]


def test_words_of_what_was_forgotten_are_not_noted_when_its_lines_come_again(talk: Talk):
    assert seat(talk.space).post(f"memories/{talk.node(SAID[2]).pk}/forget", {}).status_code == 200
    session = talk.rows("select id from session")[0][0]
    talk.distilled(Plain(events=episode), session=session, again=True)
    assert talk.texts() == SAID[:2]
    assert talk.rows("select 1 from term_df where word = 'heron'") == []


def test_a_text_without_a_word_has_no_vector_and_is_kept(talk: Talk):
    talk.say("\U0001f980 \U0001f980", client="b")
    talk.distilled()
    assert talk.rows("select count(*) from node_index") == [(4,)]
    with entered(talk.space):
        ids, vectors = vectors_of(talk.scope.pk, 1)
    assert len(ids) == len(vectors)


_CHARACTERS = st.characters(exclude_characters="\x00", exclude_categories=["Cs"])
LEXEMES = st.dictionaries(st.text(_CHARACTERS, min_size=1, max_size=20), st.floats(0, 2_000), max_size=12)


def test_words_are_received_as_they_are_written(talk: Talk):
    with entered(talk.space) as here, connections[here.alias].cursor() as cursor:

        @settings(max_examples=60, deadline=None)
        @given(LEXEMES)
        def same(frequencies: dict[str, float]) -> None:
            cursor.execute("select %s::tsvector::text", [tsvector_literal(7, frequencies)])
            written = cursor.fetchone()[0]
            assert received(cursor, tsvector_bytes(7, frequencies)) == written

        same()


def received(cursor: Any, sent: bytes) -> str:
    """What PostgreSQL makes of a tsvector in its binary form."""
    cursor.execute("create temporary table if not exists received (v tsvector)")
    cursor.execute("truncate received")
    with cursor.copy("copy received from stdin (format binary)") as copy:
        copy.set_types(["bytea"])
        copy.write_row((sent,))
    cursor.execute("select v::text from received")
    return str(cursor.fetchone()[0])


def test_vectors_come_back_as_they_went(talk: Talk):
    with entered(talk.space):
        ids, vectors = vectors_of(talk.scope.pk, 1)
        assert len(vectors_of(talk.scope.pk, 1, most=2)[0]) == 2
        assert len(vectors_of(talk.scope.pk, 2)[0]) == 0
    assert list(ids) == sorted(ids)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    sent = halfvec_bytes(vectors[0])
    assert np.array_equal(np.frombuffer(sent[4:], ">f2").astype(np.float32), vectors[0])
    assert halfvec_bytes(np.zeros(3, np.float32)) is None


def test_the_nearest_come_best_first_and_ties_by_number():
    vectors = np.eye(3, dtype=np.float32)[[0, 1, 1, 2]]
    ids = np.array([10, 12, 11, 13])
    found = nearest(np.eye(3, dtype=np.float32)[[1]], ids, vectors, 3)
    assert [node for node, _ in found[0]][:2] == [11, 12]
    assert nearest(vectors, ids[:0], vectors[:0], 3) == [[], [], [], []]
