import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.identifiers import check_fact_id, file_name, made_id, made_phi_id, slug

NOON = datetime(2026, 4, 23, 10, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
IDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="/?#%\\"), min_size=1, max_size=150
).map(lambda rest: unicodedata.normalize("NFC", "fact:" + rest))


@pytest.mark.parametrize("text", ["fact:a", "fact:a:b-C.9~*", "fact:..", "fact:日本", "fact:" + "x" * 500])
def test_an_id_of_the_right_form_stays_as_it_is(text: str):
    assert check_fact_id(text) == text


def test_two_spellings_of_an_id_are_one():
    assert check_fact_id("fact:e\u0301") == check_fact_id("fact:\u00e9") == "fact:\u00e9"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fact:", "1 to 500"),
        ("fact:" + "x" * 501, "1 to 500"),
        ("", "begin"),
        ("a", "begin"),
        ("Fact:a", "begin"),
        (" fact:a", "begin"),
        ("fact-a", "begin"),
        *[(f"fact:a{char}b", "white space") for char in "/?#%\\ \t\n\0\x1f\x7f\x85\u00a0\u2028\u3000\ud800"],
        ("fact:a\n", "white space"),
    ],
)
def test_another_form_is_refused_with_its_reason(text: str, reason: str):
    with pytest.raises(ValueError, match=reason):
        check_fact_id(text)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("customer:9281", "customer-9281"),
        ("creditScore", "creditscore"),
        ("Ünïcode—x", "ünïcode-x"),
        ("U\u0308n", "ün"),
        ("日本", "日本"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("--a__b--", "a-b"),
        ("a/../b?c#d%e\\f", "a-b-c-d-e-f"),
        ("a" * 100, "a" * 80),
        ("a" * 79 + " b", "a" * 79),
        ("—", "fact"),
        ("", "fact"),
    ],
)
def test_a_slug_keeps_the_letters_and_digits_of_any_script(text: str, made: str):
    assert slug(text) == made


@given(TEXT)
def test_every_slug_is_fit_for_an_id_and_is_its_own_slug(text: str):
    made = slug(text)

    assert check_fact_id("fact:" + made).endswith(made)
    assert 1 <= len(made) <= 80
    assert slug(made) == made


@pytest.mark.parametrize(
    ("subject", "predicate", "start"),
    [
        ("customer:9281", "creditScore", "fact:customer-9281:creditscore-20260423t100000z-2cc6751a"),
        ("customer:9281", None, "fact:customer-9281-20260423t100000z-2cc6751a"),
        (None, "creditScore", "fact:creditscore-20260423t100000z-2cc6751a"),
        (None, None, "fact:20260423t100000z-2cc6751a"),
    ],
)
def test_a_made_id_says_what_it_is_about_and_when(subject: str | None, predicate: str | None, start: str):
    statement = "Customer 9281 has a credit score of 720"

    assert made_id(subject, predicate, statement, NOON, "7f") == start + "7f"
    assert made_id(subject, predicate, statement, NOON.astimezone(timezone(timedelta(hours=2))), "7f") == start + "7f"


def test_two_identical_writes_of_one_instant_have_two_ids():
    assert made_id("s", "p", "x", NOON, "1") != made_id("s", "p", "x", NOON, "2")


@given(TEXT | st.none(), TEXT | st.none(), TEXT, st.datetimes(timezones=st.just(UTC)))
def test_every_made_id_is_an_id(subject: str | None, predicate: str | None, statement: str, recorded_at: datetime):
    made = made_id(subject, predicate, statement, recorded_at, "0123456789abcdef")

    assert check_fact_id(made) == made


def test_the_made_id_of_a_phi_fact_tells_nothing():
    assert made_phi_id("0123456789abcdef") == "fact:phi-0123456789abcdef"


def test_a_file_is_named_after_its_fact():
    name = "fact-customer-9281-creditscore-20260423t100000z-2cc6751a.fact.json"

    assert file_name("fact:customer-9281:creditscore-20260423t100000z-2cc6751a") == name


@pytest.mark.parametrize("char", ["x", "é", "日", "😀"])
def test_a_name_too_long_for_a_file_system_is_cut_and_stays_distinct(char: str):
    names = {file_name("fact:" + char * 499 + last) for last in "ab"}

    assert len(names) == 2
    assert all(len(name.encode()) <= 255 and name.endswith(".fact.json") for name in names)


@given(IDS)
def test_no_file_name_leads_out_of_its_folder(fact_id: str):
    name = file_name(check_fact_id(fact_id))

    assert "/" not in name
    assert "\\" not in name
    assert name.startswith("fact-")
