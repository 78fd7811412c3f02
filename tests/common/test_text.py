import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.text import lexemes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Customers were running", ["custom", "were", "run"]),
        ("the customer's score", ["the", "custom", "score"]),
        ("snake_case-foo.bar@x.com", ["snake", "case", "foo", "bar", "x", "com"]),
        ("HbA1c 8.2%", ["hba1c", "8", "2"]),
        ("résumés ÀÉ Straße ﬁne ℡ İstanbul", ["resum", "ae", "strass", "fine", "tel", "istanbul"]),
        ("日本語を", ["日本", "本語", "語を"]),
        ("本 x日本", ["本", "x", "日本"]),
        ("한국어 교육", ["한국", "국어", "교육"]),
        ("がか", ["がか"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("مُحَمَّد", ["محمد"]),
        ("— … !", []),
        ("", []),
    ],
)
def test_a_text_becomes_its_lexemes(text: str, found: list[str]):
    assert lexemes(text) == found


@pytest.mark.parametrize(
    ("one", "other"), [("Café", "CAFE"), ("e\u0301t\u00e9", "\u00e9te"), ("ＡＢＣ", "abc"), ("Ｋ", "k")]
)
def test_two_spellings_of_a_word_are_one_lexeme(one: str, other: str):
    assert lexemes(one) == lexemes(other)


@given(st.text())
def test_every_lexeme_can_be_indexed(text: str):
    for lexeme in lexemes(text):
        assert 1 <= len(lexeme) <= 255
        assert "\0" not in lexeme
        assert not any(char.isspace() for char in lexeme)


def test_an_endless_word_is_cut():
    assert [len(lexeme) for lexeme in lexemes("z" * 10_000)] == [255]
