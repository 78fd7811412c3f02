"""An error says what is wrong, where, and what to do next."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.kip.language.errors import HTTP_STATUS, NAMES, KipError
from memory.kip.language.parsing import parse
from memory.kip.language.words import KEYWORDS, SIGNS
from tests.kip.texts_accepted import Q, S, attributes, concept, filtered, where
from tests.kip.texts_refused import REFUSED, TOO_MUCH

PIECES = [*KEYWORDS, *SIGNS, "?s", "?s.a", '"x"', "1", "-0.5", ":p", ":q", "//c\n", "'", "a", '"', "\n"]


def refused(text: str, **parameters) -> KipError:
    with pytest.raises(KipError) as caught:
        parse(text, parameters)
    return caught.value


def test_a_message_has_line_column_and_a_caret_under_the_place():
    error = refused('// a comment\nFIND(?s) WHERE {\n\t?s {type: "Station" name: "Hill"}\n}')
    first, source, caret = error.message.split("\n")
    assert first.startswith("3:22: `name` has no place here.")
    assert source[caret.index("^") :].startswith('name: "Hill"')
    assert error.at == 51


def test_a_long_line_is_quoted_around_the_place():
    error = refused(f"FIND(?s) WHERE {{ {S * 50} oops }}")
    _, source, caret = error.message.split("\n")
    assert len(source) < 120
    assert source[caret.index("^") :].startswith("oops")


def test_the_end_of_the_text_is_a_place_too():
    error = refused("FIND(?s)\n")
    assert error.message.startswith("1:9: The text ends where it should go on. Expected: WHERE.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("find(?s) WHERE { " + S + " }", "Did you mean FIND?"),
        ("FIND(?s) WHER { " + S + " }", "Did you mean WHERE?"),
        (Q + " LIMITS 5", "Did you mean LIMIT?"),
        (Q + ";", "Leave it out"),
        (Q + " " + Q, "A text is one statement"),
        (where("?s {name: 'a'}"), 'Write "…"'),
        (where('?s {type: "A", name: "b",}'), "Put"),
        (where(f"{S}, {S}"), "without a comma"),
        (where('?s {kind: "A"}'), "FILTER(?x.attributes.kind == …)"),
        (where('?s {id: "a", type: "A"}'), "Leave type and name out"),
        (attributes("{ a: x }"), 'Put a string in double quotes, "x"'),
        (attributes("{ a: 1, a: 2 }"), "Say each key once"),
        (attributes("{ a: 01 }"), "no leading + or 0"),
        (filtered("?s.a = 1"), "Compare with =="),
        (filtered("?s.a & ?s.b"), "&&"),
        (Q + " LIMIT5", "Did you mean LIMIT?"),
        (Q.replace("WHERE {", "WHERE{"), "Put white space after WHERE"),
        ("FIND(?s .name) " + Q[8:], "without white space around the dots"),
        ('UPSERT { CONCEPT { {type: "A"} } }', 'Write {type: "…", name: "…"} or {id: "…"}.'),
        (concept("SET METADATA {}"), "ATTRIBUTES or PROPOSITIONS"),
        (where("?s {name: :n}"), 'Send "n" in `parameters`'),
        ('SEARCH CONCEPT "x" MODE "fuzzy"', '"keyword", "semantic" or "hybrid"'),
        (where('(?s, "p"{1,50}, ?o)'), "{1,10}"),
    ],
)
def test_a_hint_says_what_to_write_instead(text: str, said: str):
    assert said in refused(text).hint


def test_a_parameter_of_the_wrong_kind_is_named():
    error = refused(Q + " LIMIT :n", n="ten")
    assert "A number is expected here, and :n is a string." in error.message
    assert "inside a string" in refused(where('?s {name: "Hi :n"}'), n="x").message


def test_every_refusal_has_a_place_and_a_hint():
    for cases in [*REFUSED.values(), *TOO_MUCH.values()]:
        for case in cases:
            text, parameters = case if isinstance(case, tuple) else (case, {})
            error = refused(text, **parameters)
            assert error.hint
            assert "^" in error.message or "256 KiB" in error.message


def code_of(text: str, parameters: dict[str, str] | None = None) -> str | None:
    """None for a text of the language."""
    try:
        parse(text, parameters)
    except KipError as error:
        return error.code
    return None


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | st.text(max_size=30), st.booleans())
def test_whatever_is_sent_is_a_tree_or_a_syntax_error(text, has_parameter):
    assert code_of(text, {"p": "x"} if has_parameter else None) in (None, "KIP_1001")


def test_a_text_with_a_piece_left_out_is_a_tree_or_a_syntax_error():
    text = concept('SET ATTRIBUTES { a: [1, {b: "c"}] } SET PROPOSITIONS { ("p", ?c) }') + " WITH METADATA { d: null }"
    codes = {code_of(text[:start] + text[start + length :]) for start in range(len(text)) for length in (1, 3)}
    assert codes == {None, "KIP_1001"}


def test_every_code_has_a_name_a_status_and_a_hint_of_its_own():
    assert set(NAMES) == set(HTTP_STATUS)
    for code in NAMES:
        error = KipError(code, "What is wrong.")
        assert error.as_json() == {"code": code, "name": NAMES[code], "message": "What is wrong.", "hint": error.hint}
        assert error.hint
    assert (KipError("KIP_3004", "x").http_status, KipError("KIP_2001", "x").http_status) == (403, 400)


def test_an_error_is_located_once():
    error = KipError("KIP_3001", "?o is bound nowhere.", at=5, hint="Bind it.", data={"a": 1}).located(Q)
    assert error.message == f"1:6: ?o is bound nowhere.\n  {Q}\n       ^"
    assert error.located("another text") is error
    assert error.as_json()["data"] == {"a": 1}
    nowhere = KipError("KIP_4003", "x")
    assert nowhere.located(Q) is nowhere
