"""The bench itself: that its facts and memories are what its documentation says, and that a missed limit is told."""

from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from bench import facts, layers, limits, recall, sample
from bench.layers.book import written
from bench.layers.measuring import worked as worked_on
from bench.layers.report import layers_table
from bench.layers.shelving import put_up
from bench.layers.space import Store, seated
from bench.layers.sweeping import sweep
from bench.layers.talk import conversation, speakers_of
from bench.layers.vocabulary import vocabulary
from bench.recall import kinds
from bench.recall.measuring import answered
from bench.recall.report import recall_table
from bench.report import limits_table, step_table
from common.text import lexemes
from kndl_site.embedded import superuser_connection
from memory.embedding import embedder_named
from memory.facts.rules.record import record_from_import
from memory.layers.models import Node, NodeStrength
from spaces.databases.entering import entered
from tests.rest.client import Rest

BLOCK = [sample.fact(number) for number in range(sample.BLOCK)]
BY_ID = {fact["@id"]: fact for fact in BLOCK}


def test_every_fact_can_be_imported():
    assert len({record_from_import(fact).id for fact in BLOCK}) == sample.BLOCK


def test_there_are_ten_facts_a_subject_and_the_same_ones_each_time():
    assert set(Counter(fact["subject"] for fact in BLOCK).values()) == {sample.A_SUBJECT}
    assert [sample.fact(number) for number in range(100)] == BLOCK[:100]


def test_two_of_a_hundred_contradict_each_other_and_five_supersede():
    superseded = {fact["supersedes"] for fact in BLOCK if "supersedes" in fact}
    claims = defaultdict(list)
    for fact in BLOCK:
        if fact["@id"] not in superseded:
            claims[fact["subject"], fact["predicate"]].append(fact["object"])
    disputed = [subject for (subject, _), objects in claims.items() if len(set(objects)) > 1]
    assert disputed == list(sample.contradicting(sample.BLOCK))
    assert len(disputed) * 2 == sample.BLOCK * 2 // 100
    assert len(superseded) == pytest.approx(sample.BLOCK * 5 // 100, abs=5)
    assert superseded <= set(BY_ID)


def test_fifty_facts_stand_in_diamonds_under_one_root():
    reached, waiting = set(), [sample.root_of(0)]
    while waiting:
        fact_id = waiting.pop()
        if fact_id not in reached:
            reached.add(fact_id)
            waiting += BY_ID[fact_id].get("derivedFrom", [])
    assert len(reached) == sample.DIAMOND


def step(count: int, p50: float, p95: float, rate: int) -> dict[str, object]:
    """What was measured, all of it alike."""
    times = {"least": p50, "p50": p50, "p95": p95, "count": 9}
    reads = {
        name: dict.fromkeys(("database", "function", "rest", "bare"), times) | {"load": 0.1} for name in limits.MOST
    }
    rates = {where: {"facts": 9, "a_second": rate, "load": 0.1} for where in ("function", "rest", "bare")}
    return {"facts": count, "import": rates, "reads": reads}


def test_what_is_quick_at_every_size_keeps_all_limits():
    verdicts = facts.verdicts({"steps": [step(10_000, 1, 5, 9_000), step(1_000_000, 1.5, 5, 6_000)]})
    assert all(verdict.kept for verdict in verdicts)


@pytest.mark.parametrize(
    ("largest", "missed"),
    [
        (step(1_000_000, 1, 11, 9_000), "query a subject, database, p95"),
        (step(1_000_000, 1, 41, 9_000), "contradictions of a subject, REST, p95"),
        (step(1_000_000, 1, 301, 9_000), "page of 50 contradictions, database, p95"),
        (step(1_000_000, 4, 5, 9_000), "provenance of 50 facts, growth"),
        (step(1_000_000, 1, 5, 4_999), "import, rest"),
    ],
)
def test_a_missed_limit_is_told_as_one(largest, missed):
    verdicts = facts.verdicts({"steps": [step(10_000, 1, 5, 9_000), largest]})
    assert missed in [verdict.what for verdict in verdicts if not verdict.kept]
    row = next(line for line in limits_table(verdicts).splitlines() if missed in line)
    assert "MISSED" in row


def test_a_step_is_shown_with_its_rival_and_its_load():
    shown = step_table(step(10_000, 1, 5, 9_000))
    assert "bare SQL" in shown
    assert "9,000" in shown
    assert "1.0 / 1.0 / 5.0" in shown


TIMES = {"least": 1.0, "p50": 2.0, "p95": 4.0, "count": 9}


def recalled(**times: dict[str, float]) -> dict[str, Any]:
    """What recall was measured at, all of it alike but for these rows."""
    answers = {"times": dict.fromkeys(kinds.ROWS, TIMES) | times, "found": 0.9, "load": 0.1}
    loading = {"rows": 9_000, "a_second": 900, "load": 0.1}
    return {"fragments": 9, "scopes": 1, "loading": loading, "questions": {kinds.RANDOM_SCOPES: answers}}


def worked(**changed: Any) -> dict[str, Any]:
    """What the layers were measured at."""
    rate = {"count": 20_000, "seconds": 2.0, "cpu": 1.0, "a_second": 10_000.0, "load": 0.1}
    found = {
        "fragments": 9,
        "loading": {"rows": 0, "a_second": None, "load": 0.1},
        "ingest": {"function": rate, "REST": rate},
        "distillation": rate | {"outcome": {"lines": 9}},
        "long session": rate | {"peak_mb": 300.0, "before_mb": 200.0},
        "decay": rate | {"archived": 5},
        "reinforcement": TIMES,
        "transcripts": {"JSON Lines": rate},
    }
    return found | changed


def test_the_vocabulary_is_large_and_no_two_of_its_words_are_stemmed_alike():
    words = vocabulary()
    listed = [word for kind in vars(words).values() for word in kind.listed]
    assert len({lexeme for word in listed for lexeme in lexemes(word)}) > 20_000
    assert len(set(listed)) == len(listed)


def test_common_words_are_as_common_as_zipf_says():
    drawn = Counter(islice(vocabulary().nouns.drawn(np.random.default_rng(7)), 100_000))
    counts = [count for _, count in drawn.most_common()]
    assert counts[0] / counts[9] == pytest.approx((10 + 2.7) / (1 + 2.7), rel=0.25)
    assert counts[9] / counts[99] == pytest.approx((100 + 2.7) / (10 + 2.7), rel=0.25)
    assert len(drawn) > 6_000


def test_a_conversation_is_the_same_each_time_and_no_other_is_like_it():
    assert conversation(3, 5, 40) == conversation(3, 5, 40)
    assert {line.text for line in conversation(3, 5, 40)}.isdisjoint(
        line.text for line in conversation(3, 6, 40) if len(line.text) > 20
    )
    assert {line.speaker for line in conversation(3, 5, 40)} == set(speakers_of(3))


def test_a_book_has_events_concepts_and_links_in_proportion():
    book = written(1, 300, embedder_named("wordllama"))
    names = Counter(name for _, name, _ in book.links)
    nodes = book.fragments + len(book.events) + len(book.concepts)
    assert (book.fragments, len(book.events), len(book.concepts)) == (300, 30, 9)
    assert names["part_of"] == 300
    # Two sessions, whose last lines have none after them.
    assert names["next"] == 298
    assert 200 < names["mentions"] <= 240
    assert len(book.words) == len(book.vectors) == nodes
    assert all(one < nodes and other < nodes for one, _, other in book.links)
    assert len(set(book.links)) == len(book.links)


def test_quick_answers_keep_all_limits_of_recall():
    assert all(verdict.kept for verdict in recall.verdicts(recalled()))


@pytest.mark.parametrize(
    ("row", "times", "missed"),
    [
        (kinds.REST, {"p50": 20, "p95": 51}, "recall, REST, p95"),
        (kinds.SPREADING, {"p50": 6.1, "p95": 12}, "vectors and graph, p50"),
        (kinds.SPREADING, {"p50": 6, "p95": 12.1}, "vectors and graph, p95"),
        (kinds.WORD_SEARCH, {"p50": 2, "p95": 15.1}, "word search, p95"),
    ],
)
def test_a_slow_part_of_recall_misses_its_own_limit_only(row, times, missed):
    verdicts = recall.verdicts(recalled(**{row: times}))
    assert [verdict.what for verdict in verdicts if not verdict.kept] == [missed]


def test_quick_layers_keep_all_their_limits():
    assert all(verdict.kept for verdict in layers.verdicts(worked()))


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"ingest": {"REST": {"a_second": 4_999}}}, "ingest, REST"),
        ({"distillation": {"a_second": 999}}, "extractive distillation"),
        ({"decay": {"seconds": 3.1}}, "decay pass"),
        ({"long session": {"count": 10_000, "peak_mb": 401}}, "worker, a session of 10,000 lines"),
    ],
)
def test_slow_work_on_a_layer_misses_its_own_limit_only(changed, missed):
    verdicts = layers.verdicts(worked(**changed))
    assert [verdict.what for verdict in verdicts if not verdict.kept] == [missed]


def test_memories_are_shown_with_their_parts_their_rival_and_the_load():
    shown = recall_table(recalled())
    assert kinds.BARE in shown
    assert "1.0 / 2.0 / 4.0" in shown
    assert "90%" in shown
    shown = layers_table(worked())
    assert "ingest, REST" in shown
    assert "10,000" in shown
    assert "300 MB" in shown


class InProcess:
    """REST of the product in this process."""

    def post(self, route: str, document: Any, token: str) -> Any:
        answer = Rest(Client(headers={"Authorization": f"Bearer {token}"})).post(route, document)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()


@pytest.fixture
def store(committed_db: None, new_space: Any, data_dir: Path) -> Iterator[Any]:
    """Two scopes of 300 fragments each, entered and loaded."""
    space = new_space("north")
    with entered(space) as here, superuser_connection(data_dir, here.alias) as bare:
        made = Store(InProcess(), space, here.alias, bare, [seated(space, f"bench {n}", book=n) for n in (0, 1)], 300)
        for one in made.scopes:
            put_up(str(space.pk), one.book, [one.scope], 300)
        yield made


def test_questions_find_what_they_are_about_and_every_part_of_recall_is_timed(store):
    found = answered(store, 4, lambda line: None)
    assert found[kinds.RANDOM_SCOPES]["found"] > 0.5
    for answers in found.values():
        assert all(answers["times"][row]["p95"] > 0 for row in kinds.ROWS if row != kinds.EMBEDDING)


def test_every_kind_of_work_on_the_layers_is_done_and_swept_up(store):
    found = worked_on(store, Namespace(lines=60, rounds=3, large=0), lambda line: None)
    assert found["distillation"]["outcome"]["fragments"] > 30
    assert found["long session"]["peak_mb"] > found["long session"]["before_mb"] > 10
    assert found["decay"]["count"] == 2 * (300 + 30)
    assert found["decay"]["archived"] > 0
    sweep(store)
    assert set(Node.objects.values_list("scope", flat=True)) == {one.scope for one in store.scopes}
    assert Node.objects.count() == 2 * (300 + 30 + 9)
    assert not NodeStrength.objects.exclude(archived_at=None).exists()
