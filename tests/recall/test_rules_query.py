"""Reading a query, and widening it by words that mean nearly the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.spoken import Period
from memory.recall.rules.expansion import expand
from memory.recall.rules.querying import holds_number, holds_time_word, read_query

NAMES = {"ana": "Ana Reis", "ana reis": "Ana Reis", "bo": "Bo", "will": "Will", "田中": "田中"}


def test_a_speakers_name_weighs_half_and_is_not_expanded():
    query = read_query("Which boat did Ana buy?", NAMES)
    assert query.terms == {"boat": 1.0, "ana": 0.5, "buy": 1.0}
    assert query.words == {"boat": "boat", "buy": "buy"}


def test_an_irregular_form_is_expanded_as_it_was_written():
    assert read_query("who bought it", {}).words == {"buy": "bought"}


@pytest.mark.parametrize(
    ("asked", "speakers"),
    [
        ("What did Ana say?", ("Ana Reis",)),
        ("what is ana's boat called", ("Ana Reis",)),
        ("Did Ana Reis meet Bo or Ana?", ("Ana Reis", "Bo")),
        ("What will happen?", ()),
        ("What did Will paint?", ("Will",)),
        ("Is Banana bread mentioned?", ()),
        ("田中さんはどこに住んでいますか", ("田中",)),
    ],
)
def test_speakers_are_found_by_first_and_full_name(asked, speakers):
    assert read_query(asked, NAMES).speakers == speakers


@pytest.mark.parametrize(
    "asked", ["When was it?", "how long did it take", "Which year?", "Wann war das?", "いつですか"]
)
def test_it_asks_for_a_time(asked):
    assert read_query(asked, {}).asks_time


@pytest.mark.parametrize(
    "asked", ["How many boats?", "how often", "Wie viele Boote?", "¿Cuántos barcos?", "有多少条船"]
)
def test_it_asks_for_a_number(asked):
    assert read_query(asked, {}).asks_number


def test_a_plain_question_asks_for_neither():
    query = read_query("Where does the boat lie?", {})
    assert not query.asks_time
    assert not query.asks_number


def test_the_periods_that_a_query_names_are_read():
    assert read_query("What happened in May 2023?", {}).periods == (Period(2023, 5, None),)


@pytest.mark.parametrize("text", ["last week", "on Tuesday", "in 2019", "two days ago", "昨天", "the 3rd", "gestern"])
def test_a_text_holds_a_time_word(text):
    assert holds_time_word(text)


@pytest.mark.parametrize("text", ["the last one", "we may march", "a sunny place"])
def test_a_text_holds_no_time_word(text):
    assert not holds_time_word(text)


def test_numbers_are_told_in_digits_and_words():
    assert holds_number("I have 4")
    assert holds_number("we met Twice")
    assert not holds_number("often enough")


@given(st.text(max_size=400))
def test_any_text_can_be_asked(text):
    query = read_query(text, NAMES)
    assert set(query.words) <= set(query.terms)
    assert all(0 < weight <= 1 for weight in query.terms.values())


def test_a_very_long_query_is_cut():
    assert len(read_query("word " * 5_000, {}).text) == 4_000


VOCABULARY = [("dog", "dog"), ("puppi", "puppy"), ("car", "car"), ("hound", "hounds")]
VECTORS = np.array([[1, 0], [0.8, 0.6], [0, 1], [0.6, 0.8]], np.float32)
IDF = {"dog": 2.0, "puppi": 4.0, "car": 1.0, "hound": 1.0}


def test_near_words_come_in_by_cosine_and_rarity():
    found = expand(["dog"], IDF, VOCABULARY, VECTORS, VECTORS[:1])
    assert found == pytest.approx({"puppi": 0.4 * 0.8 * 0.5, "hound": 0.4 * 0.6})


def test_a_word_that_the_scope_never_heard_is_expanded_at_full_weight():
    found = expand(["poodl"], IDF, VOCABULARY, VECTORS, np.array([[0.8, 0.6]], np.float32))
    assert found["puppi"] == pytest.approx(0.4)


def test_the_querys_own_words_do_not_come_back():
    assert expand(["dog", "puppi"], IDF, VOCABULARY, VECTORS, VECTORS[:2]).keys() == {"hound", "car"}


def test_six_words_come_in_for_one():
    many = [(f"w{number}", f"w{number}") for number in range(9)]
    same = np.ones((9, 1), np.float32)
    idf = {lexeme: 1.0 for lexeme, _ in many}
    assert len(expand(["x"], idf, many, same, np.ones((1, 1), np.float32))) == 6


def test_nothing_comes_in_without_a_query_or_a_vocabulary():
    assert expand([], IDF, VOCABULARY, VECTORS, np.zeros((0, 2), np.float32)) == {}
    assert expand(["dog"], IDF, [], np.zeros((0, 2), np.float32), VECTORS[:1]) == {}
