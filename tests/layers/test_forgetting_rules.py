"""How what was forgotten is known again."""

import time

from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.forgetting import Spans, same_form, unsaid, without

SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 8)).map(lambda p: (p[0], p[0] + p[1])), max_size=8)


@given(SPANS, st.integers(0, 50), st.integers(0, 20))
def test_shared_lines_are_counted_as_a_set_of_lines_would(spans, first, length):
    lines = {line for begin, end in spans for line in range(begin, end + 1)}
    assert Spans(spans).shared_with(first, first + length) == len(lines & set(range(first, first + length + 1)))


def test_case_spaces_and_compatible_letters_make_no_other_text():
    assert same_form(" My ﬁrst\n  Bike ") == same_form("my first bike")
    assert same_form("my first bike") != same_form("my second bike")


def test_punctuation_quotes_dashes_and_accents_make_no_other_text():
    told = same_form("The café's key – under the blue pot.")
    assert (
        same_form("“The cafe\u0301’s key”: under, the blue-pot!!")
        == same_form("the cafes key under the blue pot")
        == told
    )
    assert same_form("हिन्दी") != same_form("हनद")
    assert same_form("?!") != same_form("…")


def test_numbers_and_their_signs_stay_apart():
    forms = [same_form(text) for text in ("It is 15", "It is 1.5", "It is -15", "It is −1.5", "C", "C++", "C#")]
    assert len(set(forms)) == len(forms)
    assert same_form("It is −15.") == same_form("it is -15")


@given(st.text(max_size=60))
def test_a_form_is_its_own_form(text):
    assert same_form(same_form(text)) == same_form(text)


def test_sentences_that_say_it_are_left_out_alone_or_together():
    gone = {same_form("The key is red. It hangs there.")}
    assert unsaid("Ada: the key is red; it hangs there", gone.__contains__) == ""
    assert unsaid("Look! The key is red. It hangs there! Good.", gone.__contains__) == "Look! Good."
    assert unsaid("The key is red. It hangs here.", gone.__contains__) == "The key is red. It hangs here."


def test_a_forgotten_text_is_cut_out_wherever_it_is_repeated():
    said = "The door code is 4471 (yes?)"
    assert without(f"We spoke. {said.upper()} Then we left.", [said]) == "We spoke. … Then we left."


def test_a_short_text_is_part_of_too_many_others_to_be_cut_out():
    assert without("I like tea and teapots.", ["tea"]) == "I like tea and teapots."


@given(st.text(max_size=200), st.lists(st.text(min_size=12, max_size=40), max_size=3))
def test_nothing_forgotten_is_left_word_for_word(text, forgotten):
    left = without(text + "".join(forgotten), forgotten)
    assert not any(gone in left for gone in forgotten if "…" not in gone)


def test_cutting_takes_no_longer_on_hostile_text():
    begun = time.monotonic()
    without("a" * 200_000, ["a" * 5_000 + "b"] * 20)
    assert time.monotonic() - begun < 1
