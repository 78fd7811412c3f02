"""Step 4 of recall: BM25 in SQL against the rule in Python, and what counts as the same word."""

import itertools
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.recording import SYSTEM
from common.times import now
from memory.layers.index_rows import Indexed, add_to_index
from memory.layers.indexing import count_terms
from memory.layers.models import ScopeStat
from memory.layers.new_nodes import NewNode, add_nodes
from memory.recall import words as searching
from memory.recall.rules import bm25
from memory.recall.rules.indexing import IndexInput, index_fragment, weighted
from memory.recall.rules.stopwords import terms as terms_of
from memory.recall.words import Match, ScopeWords, matches, words_of_scope
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.recall.memories import Memories

_scopes = itertools.count(5_000)
LEXICON = [
    "kiln",
    "glaze",
    "clay",
    "oven",
    "market",
    "ferry",
    "don't",
    "C'è",
    "naïve",
    "back\\slash",
    "陶器",
    "窯",
    "a:b",
]
lines = st.lists(st.sampled_from(LEXICON), min_size=0, max_size=8).map(" ".join)
fragments = st.builds(IndexInput, speaker=st.sampled_from(["", "Ida"]), text=lines, previous=lines, following=lines)


def indexed(memories: Memories, inputs: list[IndexInput], scope: int) -> dict[int, Any]:
    """Write fragments with these words into a scope of their own; returns the words by id."""
    with entered(memories.space), memory_transaction() as act:
        nodes = [NewNode(1, "Fragment", f"f{n}", "", {}, None, None, 1.0, 14.0) for n in range(len(inputs))]
        ids = add_nodes(scope, nodes, memories.at, run=None, actor="system:test")
        words = [index_fragment(item) for item in inputs]
        add_to_index(scope, [Indexed(i, 1, w, np.zeros(8, "f4")) for i, w in zip(ids, words, strict=True)])
        count_terms(scope)
        act.record(SYSTEM, "test.words")
    return dict(zip(ids, words, strict=True))


def searched(memories: Memories, scope: int, terms: dict[str, float], **more: Any) -> tuple[list[Match], ScopeWords]:
    with entered(memories.space):
        stat = ScopeStat.objects.filter(scope=scope).first() or ScopeStat(scope=scope)
        known = words_of_scope(stat, list(terms))
        given_times = {"as_of": None, "before": None} | more
        return matches(scope, terms, known, explained=True, **given_times), known


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(inputs=st.lists(fragments, min_size=1, max_size=12), query=st.lists(st.sampled_from(LEXICON), min_size=1))
def test_the_statement_says_what_the_rule_says(memories: Memories, inputs: list[IndexInput], query: list[str]):
    scope = next(_scopes)
    held = indexed(memories, inputs, scope)
    terms = {term: 0.5 if place % 2 else 1.0 for place, term in enumerate(terms_of(" ".join(query)))}
    found, known = searched(memories, scope, terms)
    frequencies = {
        node: {lexeme: round(10 * weighted(counts)) / 10 for lexeme, counts in words.lexemes.items()}
        for node, words in held.items()
    }
    expected = {
        node: bm25.score(terms, frequencies[node], round(10 * words.length) / 10, known.average, dict(known.idf))
        for node, words in held.items()
        if set(terms) & set(words.lexemes)
    }
    assert {match.id for match in found} == set(expected)
    for match in found:
        assert match.bm == pytest.approx(expected[match.id], rel=1e-9)
        assert set(match.terms) == set(terms) & set(held[match.id].lexemes)
        assert sum(match.terms.values()) == pytest.approx(match.bm)
    assert [(-match.bm, match.id) for match in found] == sorted((-match.bm, match.id) for match in found)
    assert known.average == pytest.approx(sum(round(10 * words.length) for words in held.values()) / 10 / len(held))
    holding = {term: sum(term in words.lexemes for words in held.values()) for term in terms}
    assert dict(known.holding) == holding


def test_a_word_of_the_line_itself_outweighs_one_that_only_stands_beside_it(memories: Memories):
    scope = next(_scopes)
    own, asked, near = (
        IndexInput("", "the kiln is hot"),
        IndexInput("", "yes, very", previous="Is the kiln hot?"),
        IndexInput("", "yes, very", following="the kiln is hot"),
    )
    ids = list(indexed(memories, [near, asked, own], scope))
    found, _ = searched(memories, scope, {"kiln": 1.0})
    assert [match.id for match in found] == [ids[2], ids[1], ids[0]]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("She was running along the quay", "runs"),
        ("Er trinkt einen Café au lait", "cafe"),
        ("La niña pidió un préstamo", "NINA"),
        ("昨日は陶器を買いました", "陶器"),
        ("제주도에 갔어요", "제주도"),
        ("They bought three geese", "goose"),
        ("It's Ida's kiln", "idas ida"),
    ],
)
def test_it_is_the_same_word_however_it_is_written(memories: Memories, said: str, asked: str):
    node = memories.fragment(said)
    memories.fragments("nothing of the kind", "an altogether different matter")
    assert memories.ids(asked)[0] == node


@pytest.mark.parametrize(
    "asked", ["'", "\\", "a & b | !c", "<->", "x:*", "')); drop table node; --", "%(scope)s %s {}"]
)
def test_signs_that_mean_something_to_a_search_are_only_signs(memories: Memories, asked: str):
    node = memories.fragment("x marks a b and c on the scope of this node table")
    assert set(memories.ids(asked)) <= {node}


def test_a_rare_word_is_found_among_many_that_hold_the_common_ones(memories: Memories, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(searching, "_RARE", 2)
    monkeypatch.setattr(searching, "_TOGETHER", 6)
    scope = next(_scopes)
    common = [IndexInput("", "good day at the harbour")] * 20
    inputs = [*common, IndexInput("", "a zeppelin over the town"), IndexInput("", "harbour day")]
    ids = list(indexed(memories, inputs, scope))
    terms = {"zeppelin": 1.0, "day": 1.0, "harbour": 1.0}
    found, _ = searched(memories, scope, terms)
    assert found[0].id == ids[20]
    assert found[1].id == ids[21]
    assert searched(memories, scope, {"day": 1.0})[0][0].id == ids[21]


def test_at_most_a_hundred_come_back_the_best_of_all(memories: Memories):
    scope = next(_scopes)
    ids = list(indexed(memories, [IndexInput("", "kiln " + "oven " * turn) for turn in range(130)], scope))
    found, _ = searched(memories, scope, {"kiln": 1.0})
    assert [match.id for match in found] == ids[:100]


def test_another_scope_is_never_searched(memories: Memories):
    here, there = next(_scopes), next(_scopes)
    indexed(memories, [IndexInput("", "a kiln")], there)
    own = list(indexed(memories, [IndexInput("", "a kiln and an oven")], here))
    assert [match.id for match in searched(memories, here, {"kiln": 1.0})[0]] == own
    assert searched(memories, next(_scopes), {"kiln": 1.0})[0] == []


def test_scope_numbers_that_begin_alike_are_kept_apart(memories: Memories):
    indexed(memories, [IndexInput("", "a kiln")], 71)
    assert searched(memories, 7, {"kiln": 1.0})[0] == []
    assert searched(memories, 7, {"1:kiln": 1.0})[0] == []


def test_an_earlier_time_narrows_the_search(memories: Memories):
    old, new = now() - timedelta(days=9), now() - timedelta(days=1)
    first = memories.fragment("the kiln was cold", at=old, said_at=old)
    second = memories.fragment("the kiln was hot", at=new, said_at=new)
    between = now() - timedelta(days=5)
    scope = memories.scope
    assert {match.id for match in searched(memories, scope, {"kiln": 1.0})[0]} == {first, second}
    for narrowed in ({"as_of": between}, {"before": between}):
        assert [match.id for match in searched(memories, scope, {"kiln": 1.0}, **narrowed)[0]] == [first]
