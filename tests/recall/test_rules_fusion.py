"""Fusion: how the arms are weighed, what multiplies and what spreads, and that every account adds up."""

from dataclasses import replace
from datetime import UTC, datetime
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.spoken import Period
from memory.recall.rules.candidates import Candidate
from memory.recall.rules.factors import date_match, factors_of
from memory.recall.rules.fusion import fuse
from memory.recall.rules.plain import plain_order
from memory.recall.rules.querying import Query

SAID = datetime(2023, 5, 12, tzinfo=UTC)
ANYTHING = Query("boat", {"boat": 1.0})


def fragment(identity, bm=0.0, cosine=0.0, **more):
    return Candidate(identity, 1, bm, cosine, **({"length": 200} | more))


def ids(ranked):
    return [item.id for item in ranked]


def account_of(ranked, identity):
    return next(item.account for item in ranked if item.id == identity)


def test_words_and_cosine_are_shares_of_the_best():
    ranked = fuse(ANYTHING, [fragment(1, 8.0, 0.2), fragment(2, 4.0, 0.4), fragment(3, 0.0, -0.3)])
    first, second, third = (account_of(ranked, identity) for identity in (1, 2, 3))
    assert (first.words, first.cosine) == pytest.approx((1.0, 0.4))
    assert (second.words, second.cosine) == pytest.approx((0.5, 0.8))
    assert third.own == 0


def test_nothing_found_is_an_empty_list():
    assert fuse(ANYTHING, []) == []


def test_a_line_without_a_vector_counts_with_the_usual_cosine():
    ranked = fuse(ANYTHING, [fragment(1, 1, 0.9), fragment(2, 1, 0.3), fragment(3, 1, 0.1), Candidate(-1, 0, 1)])
    assert account_of(ranked, -1).cosine == account_of(ranked, 2).cosine


def test_half_of_the_strength_costs_three_tenths_of_the_score():
    ranked = fuse(ANYTHING, [fragment(1, 5, 0.5), fragment(2, 5, 0.5, strength=0.5)])
    assert ranked[1].score == pytest.approx(0.7 * ranked[0].score)


def test_a_neighbour_gains_three_tenths_of_the_better_one_beside_it():
    ranked = fuse(ANYTHING, [fragment(1, 5, 0.5), fragment(2, neighbours=(1, 3)), fragment(3, 1, 0.1)])
    assert account_of(ranked, 2).spread["neighbour"] == pytest.approx(0.3 * 1.8)
    assert account_of(ranked, 1).spread["neighbour"] == 0


def test_an_event_shares_its_best_and_without_one_the_session_does():
    hung = fuse(ANYTHING, [fragment(1, 5, 0.5, events=(7,)), fragment(2, events=(7, 8)), fragment(3, events=(8,))])
    assert account_of(hung, 2).spread["event"] == pytest.approx(0.2 * 1.8)
    assert account_of(hung, 3).spread["event"] == 0
    loose = fuse(ANYTHING, [fragment(1, 5, 0.5, line=(4, 0)), fragment(2, line=(4, 9)), fragment(3, line=(5, 0))])
    assert account_of(loose, 2).spread["event"] == pytest.approx(0.2 * 1.8)
    assert account_of(loose, 3).spread["event"] == 0


def test_the_best_part_of_a_divided_line_has_the_best_of_all_its_parts():
    parts = [fragment(1, 4, 0.1, line=(1, 1)), fragment(2, 1, 0.9, line=(1, 1)), fragment(3, 2, 0.2, line=(1, 2))]
    ranked = fuse(ANYTHING, parts)
    assert ranked[0].account.words == 1
    assert ranked[0].account.cosine == pytest.approx(0.8)
    assert [item.account.factors.get("another part") for item in ranked] == [None, None, 0.5]


@pytest.mark.parametrize(
    ("query", "candidate", "expected"),
    [
        ({}, {}, {}),
        ({}, {"role": "assistant", "length": 601}, {"long prose": 0.6}),
        ({}, {"role": "user", "length": 5_000}, {}),
        ({}, {"length": 75}, {"brief": 0.9}),
        ({"speakers": ("Ana",)}, {"speaker": "Ana"}, {"speaker": 1.2}),
        ({"speakers": ("Ana", "Bo")}, {"speaker": "Ana"}, {}),
        ({"asks_time": True}, {"has_time": True}, {"time": 1.1}),
        ({"asks_time": False}, {"has_time": True}, {}),
        ({"asks_number": True}, {"has_number": True}, {"number": 1.1}),
        ({"periods": (Period(2023, 5, None),)}, {"said_at": SAID}, {"date": 1.7}),
        ({"periods": (Period(2020, 1, None),)}, {"said_at": SAID}, {}),
    ],
)
def test_factors_apply_where_they_should(query, candidate, expected):
    assert factors_of(replace(ANYTHING, **query), fragment(1, **candidate)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("period", "match"),
    [
        (Period(2023, 5, None), 1.0),
        (Period(None, 5, None), 1.0),
        (Period(2023, 4, None), 0.0),
        (Period(2023, 5, 12), 1.0),
        (Period(2023, 5, 2), 1.0),
        (Period(2023, 5, 1), 0.4),
        (Period(2023, 5, 20), 0.4),
        (Period(2023, 5, 30), 0.0),
        (Period(2023, None, None), 0.3),
        (Period(2022, None, None), 0.0),
        (Period(2023, 2, 30), 0.0),
    ],
)
def test_a_day_matches_what_was_mentioned(period, match):
    assert date_match(period, SAID) == match


def test_a_month_reaches_ten_days_into_the_next_over_new_year_too():
    assert date_match(Period(2022, 12, None), datetime(2023, 1, 10, tzinfo=UTC)) == 0.5
    assert date_match(Period(None, 12, None), datetime(2023, 1, 10, tzinfo=UTC)) == 0.5
    assert date_match(Period(2022, 12, None), datetime(2023, 1, 11, tzinfo=UTC)) == 0.0


LINES = [fragment(number, 20 - number, 0.5) for number in range(1, 13)]


def test_an_event_stands_behind_three_fragments_and_names_lines_that_stand_before_it():
    event = Candidate(100, 2, 50.0, activation=1.0, members=(2, 9, 1))
    ranked = fuse(ANYTHING, [*LINES, event])
    assert ids(ranked)[:5] == [1, 2, 3, 100, 4]
    assert ranked[3].best_fragments == (1, 2)
    assert ranked[3].score == ranked[2].score


def test_an_event_waits_for_a_fragment_of_its_own():
    ranked = fuse(ANYTHING, [*LINES, Candidate(100, 2, 50.0, activation=1.0, members=(5, 11))])
    assert ids(ranked)[:7] == [1, 2, 3, 4, 5, 6, 100]
    assert ranked[6].best_fragments == (5,)


def test_an_event_whose_fragments_have_faded_stands_by_itself():
    ranked = fuse(ANYTHING, [*LINES, Candidate(100, 2, 50.0, activation=1.0)])
    assert ids(ranked).index(100) == 3
    assert ranked[3].best_fragments == ()


def test_concepts_never_take_more_than_a_quarter_and_leave_the_fragments_alone():
    many = [Candidate(100 + number, 3, 9.0, activation=1.0, members=(1,)) for number in range(9)]
    ranked = fuse(ANYTHING, [*LINES, *many])
    assert sum(item.layer == 3 for item in ranked[:16]) == 4
    assert [item.id for item in ranked if item.layer == 1] == ids(fuse(ANYTHING, LINES))


def test_a_concept_with_few_words_does_not_shrink_the_words_of_lines():
    ranked = fuse(ANYTHING, [*LINES, Candidate(100, 3, 500.0)])
    assert account_of(ranked, 1).words == 1


def test_concepts_alone_are_ranked_too():
    assert ids(fuse(ANYTHING, [Candidate(1, 3, 2.0), Candidate(2, 3, 4.0)])) == [2, 1]


CANDIDATES = st.lists(
    st.builds(
        Candidate,
        id=st.integers(1, 40),
        layer=st.integers(0, 3),
        bm=st.floats(0, 30),
        cosine=st.none() | st.floats(-1, 1),
        strength=st.floats(0, 1),
        role=st.sampled_from(["user", "assistant"]),
        length=st.integers(0, 2_000),
        speaker=st.sampled_from(["Ana", "Bo"]),
        said_at=st.just(SAID) | st.none(),
        has_time=st.booleans(),
        has_number=st.booleans(),
        line=st.none() | st.tuples(st.integers(1, 3), st.integers(0, 5)),
        neighbours=st.lists(st.integers(1, 40), max_size=2).map(tuple),
        events=st.lists(st.integers(1, 40), max_size=2).map(tuple),
        members=st.lists(st.integers(1, 40), max_size=4).map(tuple),
        activation=st.floats(0, 5),
    ),
    max_size=25,
    unique_by=lambda candidate: candidate.id,
)
QUERIES = st.builds(
    Query,
    text=st.just("boat"),
    terms=st.just({"boat": 1.0}),
    speakers=st.sampled_from([(), ("Ana",), ("Ana", "Bo")]),
    asks_time=st.booleans(),
    asks_number=st.booleans(),
    periods=st.sampled_from([(), (Period(2023, None, None),), (Period(None, 5, 3), Period(2022, 5, None))]),
)


@given(QUERIES, CANDIDATES)
def test_the_terms_of_an_account_give_its_score_and_the_scores_the_order(query, candidates):
    ranked = fuse(query, candidates)
    for item in ranked:
        terms = item.account
        own = (terms.words + terms.cosine + terms.activation) * prod(terms.factors.values())
        score = (own + sum(terms.spread.values())) * terms.strength
        assert item.score == (score if terms.limit is None else min(score, terms.limit))
    scores = [item.score for item in ranked]
    assert scores == sorted(scores, reverse=True)
    assert sorted(ids(ranked)) == sorted(candidate.id for candidate in candidates)


@given(QUERIES, CANDIDATES)
def test_the_order_does_not_hang_on_the_order_of_the_candidates(query, candidates):
    assert fuse(query, candidates) == fuse(query, candidates[::-1])


@given(QUERIES, CANDIDATES)
def test_what_stands_for_an_event_stands_before_it(query, candidates):
    seen: set[int] = set()
    for item in fuse(query, candidates):
        assert set(item.best_fragments) <= seen
        assert len(item.best_fragments) <= 2
        seen.add(item.id)


def test_the_plain_order_puts_spreading_before_words_before_recent_lines_each_once():
    order = plain_order([(1, 0.2), (2, 0.9)], [(3, 4.0), (2, 9.0)], [(-1, 1.0), (3, 8.0)])
    assert [(row.id, row.step) for row in order] == [
        (2, "spreading"), (1, "spreading"), (3, "words"), (-1, "recent lines"),
    ]  # fmt: skip


def test_the_plain_order_breaks_ties_by_id():
    assert [row.id for row in plain_order([(2, 1.0), (1, 1.0)], [], [])] == [1, 2]
