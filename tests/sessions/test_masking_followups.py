"""A line that is the secret, since the line before asked for it."""

import pytest

from memory.sessions.masking import mask_followup

ANSWERS = [
    ("what's the password?", "hunter2-Blue", "[secret: password]"),
    ("What is the wifi password again?", "Sure, it's Walrus_22!", "Sure, it's [secret: password]"),
    ("what's the password for the wifi?", "`Blue-Horse`", "`[secret: password]`"),
    ("what's the password?", "correct horse battery staple", "[secret: password]"),
    ("any idea what the password is?", "try Walrus22", "try [secret: password]"),
    ("Password:", "Copper77", "[secret: password]"),
    ("Wie ist das Passwort?", "Blaubeere7", "[secret: password]"),
    ("send me the code", "839201", "[secret: one-time code]"),
    ("Please enter the code we sent you", "839 201", "[secret: one-time code]"),
    ("can you read me the code?", "here: 482 913", "here: [secret: one-time code]"),
    ("What's your PIN?", "4711", "[secret: PIN]"),
    ("What's your PIN?", "it's 4711, don't lose it", "it's [secret: PIN], don't lose it"),
    ("please share the api key", "zKq83jdLw02kdPq8", "[secret: token]"),
]


@pytest.mark.parametrize(("previous", "text", "expected"), ANSWERS)
def test_an_answer_to_a_question_for_a_secret_is_masked(previous, text, expected):
    masked = mask_followup(previous, text)

    assert masked.text == expected
    assert sum(masked.counts.values()) == 1
    assert mask_followup(previous, masked.text) == (masked.text, {})


@pytest.mark.parametrize(
    ("previous", "text"),
    [
        ("what's the password?", "I don't know"),
        ("what's the password?", "ask Tom"),
        ("what's the password?", "not sure, maybe the one with the dog"),
        ("what's the password?", "it is on the fridge"),
        ("what's the password?", "see https://wiki.example.org/wifi"),
        ("Did you change the password?", "yes"),
        ("I forgot the password", "Me too"),
        ("what is your password policy?", "12 characters"),
        ("send me the code", "ok"),
        ("send me the code", "in a minute"),
        ("what's the error code?", "40404"),
        ("what is the zip code", "94110"),
        ("Could you review the code?", "1200 lines, wow"),
        ("give me the source code", "1234"),
        ("How was the trip?", "839201"),
        ("", "839201"),
    ],
)
def test_other_answers_and_other_questions_change_nothing(previous, text):
    assert mask_followup(previous, text) == (text, {})


def test_what_the_line_holds_besides_is_masked_as_ever():
    masked = mask_followup("how was it?", "fine, my PIN is 4711")

    assert masked == ("fine, my PIN is [secret: PIN]", {"PIN": 1})
