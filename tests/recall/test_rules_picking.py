"""Which lexemes of a question are looked up alone, and which only together."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.rules.picking import LEAST_WEIGHT, MOST_COMMON, picked

SIZES = {"rare": 200, "together": 800}


def own(*lexemes: str) -> dict[str, float]:
    return dict.fromkeys(lexemes, 1.0)


def test_rare_lexemes_stand_alone():
    assert picked(own("kiln", "glaze"), {"kiln": 3, "glaze": 12}, 10_000, **SIZES) == [("kiln",), ("glaze",)]


def test_a_lexeme_that_nothing_holds_takes_no_room():
    assert ("kiln",) in picked(own("zebu", "kiln"), {"kiln": 200}, 10_000, **SIZES)


def test_common_lexemes_stand_in_pairs_beside_a_rare_one():
    groups = picked(own("kiln", "day", "good"), {"kiln": 3, "day": 900, "good": 800}, 10_000, **SIZES)
    assert groups == [("kiln",), ("good", "day")]


def test_the_only_common_lexeme_is_left_to_what_the_rare_ones_find():
    assert picked(own("kiln", "day"), {"kiln": 3, "day": 5_000}, 10_000, **SIZES) == [("kiln",)]


def test_where_pairs_would_find_too_much_three_stand_together():
    holding = {"day": 9_000, "good": 9_000, "home": 4_000}
    assert picked(own(*holding), holding, 10_000, **SIZES) == [("home", "day", "good")]


def test_a_common_lexeme_stands_alone_when_nothing_else_was_asked():
    assert picked(own("day"), {"day": 9_000}, 10_000, **SIZES) == [("day",)]


def test_words_that_only_mean_nearly_the_same_never_keep_what_was_asked_from_being_looked_up():
    groups = picked({"day": 1.0, "date": 0.3}, {"day": 9_000, "date": 4}, 10_000, **SIZES)
    assert groups == [("date",), ("day",)]


def test_words_that_only_mean_nearly_the_same_do_not_take_the_room_of_what_was_asked():
    groups = picked({"kiln": 1.0, "oven": 0.3}, {"kiln": 150, "oven": 140}, 10_000, **SIZES)
    assert groups == [("kiln",)]


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=3),
        st.tuples(st.sampled_from([0.2, 0.5, 1.0]), st.integers(0, 5_000)),
        min_size=1,
        max_size=20,
    )
)
def test_something_that_was_asked_is_always_looked_up_and_the_budgets_hold(drawn):
    weights = {lexeme: weight for lexeme, (weight, _) in drawn.items()}
    holding = {lexeme: count for lexeme, (_, count) in drawn.items()}
    groups = picked(weights, holding, 5_000, **SIZES)
    asked = {lexeme for lexeme, weight in weights.items() if weight >= LEAST_WEIGHT}
    assert not asked or any(asked & set(group) for group in groups)
    alone = sum(holding[lexeme] for group in groups if len(group) == 1 for lexeme in group)
    assert alone <= 800 or len(groups) == 1 or alone <= 5_000
    wholes = [group for group in groups if len(group) > 1]
    expected = sum(prod(holding[lexeme] / 5_000 for lexeme in group) * 5_000 for group in wholes)
    assert expected <= 4_000 or len(wholes) == 1
    assert all(len(group) <= MOST_COMMON for group in wholes)


@pytest.mark.parametrize("memories", [1, 200_000])
def test_no_lexeme_stands_twice_in_a_group(memories):
    groups = picked(own("a", "b", "c"), {"a": memories, "b": memories, "c": memories}, memories, **SIZES)
    assert all(len(set(group)) == len(group) for group in groups)
