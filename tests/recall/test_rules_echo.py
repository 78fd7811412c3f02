"""What came out of recall and comes back in a conversation is recognised; what is new stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.rules.echo import Echoes

RECALLED = [
    "I moved to Porto last week.",
    "Great! My sister keeps eleven bees. They sting.",
    "Tea, please.",
    "昨日は友達と一緒に海へ行きました。",
]


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Porto last week.",
        "i moved to porto LAST week",
        "“I moved to Porto last week.”",
        "- I moved to Porto last week",
        "* **I moved to Porto last week.**",
        "> I moved to Porto last week.",
        "1. Ana: I moved to Porto last week.",
        "[2023-05-01] Ana: I moved to Porto last week.",
        "Ana said on 1 May: I moved to Porto last week.",
        "You told me: 'I moved to Porto last week.'",
        "I moved to\u00a0Porto last week.\n- My sister keeps eleven bees.\n",
        "Great! My sister keeps eleven bees. They sting.",
        "昨日は友達と一緒に海へ行きました。",
        "「昨日は友達と一緒に海へ行きました」",
    ],
)
def test_nothing_new_remains_of_a_repetition(text):
    assert Echoes(RECALLED).without(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Porto last year.",
        "Tea, please.",
        "She moved to Porto last week, and hates it.",
        "I moved to Porto",
        "海へ行きました。",
        "Nobody said any of this.",
        "",
        "  spaces  stay \n",
    ],
)
def test_what_is_no_repetition_stays_as_it_is(text):
    assert Echoes(RECALLED).without(text) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("I moved to Porto last week. The flat has a balcony.", "The flat has a balcony."),
        ("Good news! I moved to Porto last week.\nAlso: I sold the car.", "Good news! Also: I sold the car."),
        ("- My sister keeps eleven bees.\n- She sold the honey", "- She sold the honey"),
        ("昨日は友達と一緒に海へ行きました。今日は山へ行きます。", "今日は山へ行きます。"),
    ],
)
def test_only_the_new_sentences_remain(text, rest):
    assert Echoes(RECALLED).without(text) == rest


def test_a_sentence_that_adds_something_stays_whole():
    text = "When you said I moved to Porto last week, did you mean the old town or rather the quarter near the sea?"
    assert Echoes(RECALLED).without(text) == text


def test_without_recalled_texts_everything_is_new():
    assert Echoes([]).without("I moved to Porto last week.") == "I moved to Porto last week."


SENTENCES = st.lists(st.from_regex(r"\A[a-z]{1,6}( [a-z]{1,6}){3,7}[.!?]\Z"), min_size=1, max_size=4).map(" ".join)


@given(SENTENCES)
def test_every_text_of_long_sentences_is_an_echo_of_itself(text):
    assert Echoes([text]).without(text) == ""


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=5))
def test_what_remains_holds_nothing_that_was_not_said(text, recalled):
    assert set(Echoes(recalled).without(text)) <= set(text)


def test_one_index_serves_many_lines_and_memories():
    recalled = [f"I went to the shop number {number} and bought {number} red apples there." for number in range(500)]
    echoes = Echoes(recalled)
    gone = [echoes.without(f"So. {recalled[number % 500]} Then line {number} came along.") for number in range(1_000)]
    assert all(rest == f"So. Then line {number} came along." for number, rest in enumerate(gone))


@pytest.mark.parametrize("unit", [". ", "a b c d ", "\n", "。", "- ", "1. "])
def test_no_text_takes_long(unit):
    begun = time.process_time()
    Echoes([unit * 1_000, "a b c d a b c d"]).without((unit * 60_000)[:60_000])
    assert time.process_time() - begun < 2
