"""Every character of whatever is typed gets its colour."""

from hypothesis import given
from hypothesis import strategies as st

from memory.kip.language.colouring import colour
from tests.kip.texts_accepted import ACCEPTED

PIECES = [
    "FIND",
    "(",
    "?s",
    ":x",
    "{a:true}",
    '"é',
    '"',
    "\\",
    "//",
    "\n",
    "1e",
    "LIMIT :n",
    "🙂",
    "\ud800",
    "\x00",
    "type",
]


def told(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in colour(text)]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join) | st.lists(st.sampled_from(PIECES)).map("".join))
def test_the_tokens_and_the_white_space_between_them_are_the_text(text):
    end = 0
    for one in colour(text):
        assert one.end > one.start >= end
        assert text[end : one.start].strip(" \t\r\n") == ""
        end = one.end
    assert text[end:].strip(" \t\r\n") == ""


def test_a_text_of_the_language_has_no_error_in_it():
    texts = [case[0] if isinstance(case, tuple) else case for rule in ACCEPTED.values() for case in rule]
    assert [text for text in texts if any(one.kind == "error" for one in colour(text))] == []


def test_each_kind_has_its_colour():
    assert told('FIND(COUNT(?s.a)) // c\nLIMIT :n "x" -1.5 true') == [
        ("keyword", "FIND"), ("punctuation", "("), ("function", "COUNT"), ("punctuation", "("), ("variable", "?s.a"),
        ("punctuation", ")"), ("punctuation", ")"), ("comment", "// c"), ("keyword", "LIMIT"), ("parameter", ":n"),
        ("string", '"x"'), ("number", "-1.5"), ("constant", "true"),
    ]  # fmt: skip


def test_a_word_before_a_colon_is_a_key_and_the_word_behind_it_none():
    assert told('{a:true, "b" : :p, LIMIT: 1, c // d\n : null}') == [
        ("punctuation", "{"), ("key", "a"), ("punctuation", ":"), ("constant", "true"), ("punctuation", ","),
        ("key", '"b"'), ("punctuation", ":"), ("parameter", ":p"), ("punctuation", ","), ("key", "LIMIT"),
        ("punctuation", ":"), ("number", "1"), ("punctuation", ","), ("key", "c"), ("comment", "// d"),
        ("punctuation", ":"), ("constant", "null"), ("punctuation", "}"),
    ]  # fmt: skip


def test_what_is_not_of_the_language_is_an_error():
    wrong = ["'x'", "find", '"open', '"\\x"', "01", "1e", ";", "?", "é", "WHEREX", "/*", '"\\ud800"', "`"]
    for text in wrong:
        assert "error" in {kind for kind, _ in told(text)}, text
