"""The words of recall: stop words, irregular forms, what is indexed of a line, and BM25."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.text import lexemes
from memory.recall.rules import bm25
from memory.recall.rules.indexing import (
    IndexInput,
    compose,
    context_applies,
    head_of,
    index_fragment,
    index_whole,
    own_text,
    questions_of,
    tail_of,
    weighted,
)
from memory.recall.rules.irregular import base_form
from memory.recall.rules.stopwords import STOP_WORDS, is_stop_word, terms


def test_words_that_say_nothing_alone_are_left_out():
    assert terms("What did you do with the boat?") == ["boat"]


@pytest.mark.parametrize("written", ["don't", "she's", "they’ll", "I'm", "What's", "we've", "dont"])
def test_a_contraction_is_a_stop_word_with_either_apostrophe_or_none(written):
    assert terms(written) == []


@pytest.mark.parametrize("word", ["don", "won", "shed", "well", "may", "march", "us-based"])
def test_a_word_that_only_looks_like_a_cut_contraction_stays(word):
    assert terms(word)


def test_stop_words_are_recognised_before_stemming():
    assert terms("his") == []
    assert terms("doe") == lexemes("doe")


@pytest.mark.parametrize(
    ("one", "other"),
    [("bought", "buying"), ("went", "goes"), ("children", "child's"), ("taught", "teaches"), ("sang", "singing")],
)
def test_irregular_forms_meet_their_base(one, other):
    assert terms(one) == terms(other) != []


def test_a_form_that_is_more_often_a_name_or_another_word_stays_itself():
    assert base_form("rose") == "rose"
    assert base_form("lives") == "lives"


def test_chinese_japanese_and_korean_stay_as_they_are_analysed():
    for text in ("我昨天买了一辆自行车", "昨日は海に行きました", "어제 바다에 갔어요"):
        assert terms(text) == lexemes(text)


def test_accents_are_folded_and_words_with_them_survive():
    assert terms("Café Señor") == ["cafe", "senor"]


@given(st.text(max_size=300))
def test_terms_are_some_of_what_stemming_may_give_and_never_fail(text):
    assert all(term and len(term) <= 255 for term in terms(text))


def test_about_150_words_are_listed_all_in_lower_case():
    assert 120 <= len(STOP_WORDS) <= 220
    assert all(word == word.lower() and is_stop_word(word) for word in STOP_WORDS)


def test_a_lines_own_words_the_question_before_and_what_is_near_are_counted_apart():
    indexed = index_fragment(
        IndexInput(
            "Ana", "Two years, in Porto.", "Nice flat! How long was the lease?", "Porto sounds sunny.", "may 2023"
        )
    )
    assert indexed.lexemes["porto"] == (1, 0, 1)
    assert indexed.lexemes["leas"] == (0, 1, 1)
    assert indexed.lexemes["flat"] == (0, 0, 1)
    assert indexed.lexemes["may"] == (0, 0, 1)
    assert indexed.lexemes["ana"] == (1, 0, 0)


def test_the_length_is_the_weighted_sum_of_all_counts():
    indexed = index_fragment(IndexInput("Bo", "Red kite.", "Which kite?", "Windy today.", "june 2024"))
    assert indexed.length == pytest.approx(sum(weighted(counts) for counts in indexed.lexemes.values()))


@pytest.mark.parametrize("longer", ["previous", "text"])
def test_no_context_passes_between_lines_of_which_one_is_long(longer):
    given = {"previous": "Was it green?", "text": "Blue."} | {longer: "Was it grey? " * 60}
    indexed = index_fragment(IndexInput("", given["text"], given["previous"]))
    assert all(asked == near == 0 for _, asked, near in indexed.lexemes.values())


def test_context_applies_up_to_600_characters():
    assert context_applies("x" * 600, "y" * 600)
    assert not context_applies("x" * 601, "y")
    assert not context_applies("x", None)


def test_only_sentences_that_end_in_a_question_mark_are_questions():
    assert questions_of("I moved. Where to? Guess. 本当ですか？") == "Where to? 本当ですか？"
    assert questions_of("No question here.") == ""
    assert len(questions_of("why " * 300 + "?")) == 300


def test_tail_and_head_are_300_characters():
    text = "a" * 300 + "b" * 300
    assert (tail_of(text), head_of(text)) == ("b" * 300, "a" * 300)


def test_a_line_without_a_speaker_is_embedded_as_it_is():
    assert own_text("", "Hello there") == "Hello there"
    assert own_text("Ana", "Hello there") == "Ana: Hello there"


def test_an_event_has_only_own_words():
    assert index_whole("Move to Porto", "Ana moved").lexemes == {
        "move": (2, 0, 0),
        "porto": (1, 0, 0),
        "ana": (1, 0, 0),
    }


def test_composed_vectors_are_of_unit_length_and_lean_towards_the_own_words():
    own, tail, head = (np.eye(3, dtype=np.float32)[[axis, axis]] for axis in range(3))
    mixed = compose(own, tail, head)
    assert np.allclose(np.linalg.norm(mixed, axis=1), 1)
    assert np.allclose(mixed[0] / mixed[0][0], [1, 0.6, 0.4])


def test_a_fragment_without_words_or_context_has_a_vector_of_zeros():
    nothing = np.zeros((2, 4), np.float32)
    assert not compose(nothing, nothing, nothing).any()


def test_a_rare_lexeme_weighs_more_and_none_weighs_nothing():
    assert bm25.idf(100, 1) > bm25.idf(100, 50) > bm25.idf(100, 100) > 0
    assert bm25.idf(0, 0) > 0


@given(st.floats(0, 1e4), st.floats(0, 1e4), st.floats(0, 1e4))
def test_a_frequency_saturates(frequency, length, average):
    assert 0 <= bm25.saturation(frequency, length, average) <= 1 + bm25.K1


def test_bm25_adds_what_each_shared_lexeme_is_worth():
    worth = bm25.idf(10, 2) * bm25.saturation(1.5, 8, 10)
    found = bm25.score({"kite": 0.5, "sea": 1.0}, {"kite": 1.5, "hill": 3}, 8, 10, {"kite": bm25.idf(10, 2)})
    assert found == pytest.approx(0.5 * worth)
