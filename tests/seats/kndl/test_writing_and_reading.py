"""`kndl add`, `supersede`, `query`, `list` and `show`: what they ask of the service and what they print."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from tests.seats.kndl.rest import BASE, MADE, Answer, Rest, page
from tests.seats.kndl.shell import FILE, REQUIRED, TOKEN


def test_add_sends_every_flag_under_the_facts_own_field_names(rest: Rest, run):
    rest.will(Answer(201, MADE))
    words = [
        *("--subject", "customer:9281", "--predicate", "creditScore", "--object", "720", "--decay", "0.5/30d"),
        *("--valid-from", "2026-04-23T10:00:00Z", "--valid-until", "2027-01-01T00:00:00Z"),
        *("--observed-at", "2026-04-22T10:00:00Z", "--classification", "PII", "--consent", "consent:1"),
        *("--retention", "P1Y", "--inference", "rule:1", "--tenant", "other"),
        *("--derived-from", "fact:a", "fact:b", "--negated"),
    ]
    assert run("add", *REQUIRED, *words).json == {"id": "fact:made"}
    (asked,) = rest.asked
    assert (asked.method, asked.path, asked.params) == ("POST", BASE + "facts", {})
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert asked.headers["content-type"] == "application/json"
    assert len(asked.headers["idempotency-key"]) == 36
    assert asked.json() == {
        "statement": "Customer 9281 has a score of 720",
        "confidence": 0.95,
        "source": "https://a.test/1",
        "subject": "customer:9281",
        "predicate": "creditScore",
        "object": 720,
        "decay": "0.5/30d",
        "validFrom": "2026-04-23T10:00:00Z",
        "validUntil": "2027-01-01T00:00:00Z",
        "observedAt": "2026-04-22T10:00:00Z",
        "classification": "PII",
        "consent": "consent:1",
        "retention": "P1Y",
        "inference": "rule:1",
        "tenant": "other",
        "derivedFrom": ["fact:a", "fact:b"],
        "negated": True,
    }


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("720", b"720"),
        ("1.0", b"1.0"),
        ("123456789012345678901234567890.10", b"123456789012345678901234567890.10"),
        ("true", b"true"),
        ("null", b"null"),
        ('{"city": "Köln", "zip": 50667}', None),
        ("[1, 2]", None),
        ('"quoted"', b'"quoted"'),
        ("employed", b'"employed"'),
        ("12500 EUR", b'"12500 EUR"'),
        ("-5", b"-5"),
        ("-1e5", None),
        ("NaN", b'"NaN"'),
        ("007", b'"007"'),
        ("", b'""'),
        ("{not json", b'"{not json"'),
        ("-- so he said", b'"-- so he said"'),
        ("日本語", '"日本語"'.encode()),
    ],
)
def test_an_object_is_json_or_else_the_text_itself(rest: Rest, run, given, sent):
    rest.will(Answer(201, MADE))
    assert run("add", *REQUIRED, "--object", given).status == 0
    assert rest.asked[0].json()["object"] == json.loads(sent or given)
    assert sent is None or b'"object": ' + sent in rest.asked[0].body


def test_a_word_that_looks_like_a_flag_is_a_value_behind_an_equals_sign(rest: Rest, run):
    rest.will(Answer(201, MADE))
    assert run("add", *REQUIRED, "--object=--negated").status == 0
    assert rest.asked[0].json()["object"] == "--negated"


def test_valid_from_now_leaves_the_clock_to_the_service(rest: Rest, run):
    rest.will(Answer(201, MADE))
    assert run("add", *REQUIRED, "--valid-from", "now").status == 0
    assert "validFrom" not in rest.asked[0].json()


def test_warnings_of_a_write_are_shown_and_do_not_fail_it(rest: Rest, run):
    rest.will(Answer(201, {**MADE, "warnings": ["confidence 1.0 is for definitions"]}))
    assert run("add", *REQUIRED).json == {"id": "fact:made", "warnings": ["confidence 1.0 is for definitions"]}


def test_supersede_posts_the_new_fact_to_the_old_one(rest: Rest, run):
    rest.will(Answer(201, {**MADE, "supersedes": "fact:größe:1"}))
    answer = run("supersede", "--old-id", "fact:größe:1", *REQUIRED).json
    assert answer == {"id": "fact:made", "supersedes": "fact:größe:1"}
    assert rest.asked[0].path == BASE + "facts/fact:gr%C3%B6%C3%9Fe:1/supersede"
    assert set(rest.asked[0].json()) == {"statement", "confidence", "source"}


def test_writes_state_no_purpose(rest: Rest, run):
    rest.will(Answer(201, MADE))
    run("add", *REQUIRED, KNDL_PURPOSE="care")
    assert "kndl-purpose" not in rest.asked[0].headers


def test_query_follows_the_cursor_through_all_pages(rest: Rest, run):
    rest.will(page("fact:a", "fact:b", following="c1"), page("fact:c", following="c/2=="), page("fact:d"))
    answer = run("query", "--subject", "customer:9281", "--as-of", "2026-04-26T12:00:00Z").json
    assert (answer["as_of"], answer["count"]) == ("2026-04-26T12:00:00Z", 4)
    assert [fact["@id"] for fact in answer["facts"]] == ["fact:a", "fact:b", "fact:c", "fact:d"]
    first = {"subject": "customer:9281", "as_of": "2026-04-26T12:00:00Z", "limit": "500"}
    assert [asked.params for asked in rest.asked] == [first, {**first, "cursor": "c1"}, {**first, "cursor": "c/2=="}]
    assert {(asked.method, asked.path) for asked in rest.asked} == {("GET", BASE + "facts")}


def test_a_service_whose_pages_never_end_is_an_error(rest: Rest, run):
    rest.will(*[page("fact:a", following="again") for _ in range(3)])
    assert "same page" in run("query").error
    assert len(rest.asked) == 2


def test_query_sends_its_filters_and_now_is_the_default(rest: Rest, run):
    rest.will(page())
    words = shlex.split("--predicate p --text word --as-of now --min-confidence 0.3 --tenant t --purpose care")
    assert run("query", *words, KNDL_PURPOSE="billing").json["facts"] == []
    asked = rest.asked[0]
    assert asked.params == {"predicate": "p", "text": "word", "min_confidence": "0.3", "tenant": "t", "limit": "500"}
    assert asked.headers["kndl-purpose"] == "care"


def test_contradictions_follow_the_cursor_through_all_pages(rest: Rest, run):
    first = {"as_of": "2026-04-26T12:00:00Z", "count": 1, "conflicts": [{"subject": "s", "tied": False}], "next": "c1"}
    rest.will(Answer(body=first), Answer(body={**first, "conflicts": [{"subject": "t", "tied": True}], "next": None}))
    words = shlex.split("--subject s --predicate p --as-of 2026-04-26T12:00:00Z --tenant t --purpose care")
    conflicts = [{"subject": "s", "tied": False}, {"subject": "t", "tied": True}]
    assert run("contradictions", *words).json == {"count": 2, "conflicts": conflicts}
    asked = {"subject": "s", "predicate": "p", "as_of": "2026-04-26T12:00:00Z", "tenant": "t", "limit": "500"}
    assert [request.params for request in rest.asked] == [asked, {**asked, "cursor": "c1"}]
    assert {request.path for request in rest.asked} == {BASE + "contradictions"}
    assert {request.headers["kndl-purpose"] for request in rest.asked} == {"care"}


def test_provenance_prints_what_the_service_says(rest: Rest, run):
    walk = {"root": "fact:a", "depth": 0, "chain": [{"id": "fact:a", "depth": 0}], "cycle": False, "truncated": True}
    rest.will(Answer(body=walk))
    assert run("provenance", "--id", "fact:a", "--max-depth", "3", "--purpose", "care").json == walk
    (asked,) = rest.asked
    assert (asked.method, asked.path, asked.params) == ("GET", BASE + "facts/fact:a/provenance", {"max_depth": "3"})
    assert asked.headers["kndl-purpose"] == "care"


@pytest.mark.parametrize("words", [["contradictions"], ["provenance", "--id", "fact:a"]])
def test_an_answer_without_what_was_asked_for_is_an_error(rest: Rest, run, words):
    rest.will(Answer(body={"count": 0}))
    assert "KNDL_STORAGE" in run(*words).error


@pytest.mark.parametrize(
    "words",
    [["query"], ["list"], ["show", "--id", "fact:a"], ["contradictions"], ["provenance", "--id", "fact:a"]],
)
def test_the_purpose_of_the_environment_goes_with_every_read(rest: Rest, run, words):
    rest.will(page())
    run(*words, KNDL_PURPOSE="care")
    assert rest.asked[0].headers["kndl-purpose"] == "care"


def test_list_prints_the_ids_of_superseded_and_expired_facts_too(rest: Rest, run):
    rest.will(page("fact:a", following="c"), page("fact:b"))
    assert run("list", "--subject", "s").json == ["fact:a", "fact:b"]
    wanted = {"subject": "s", "include_superseded": "true", "include_expired": "true", "limit": "500"}
    assert rest.asked[0].params == wanted


def test_show_prints_the_fact_with_every_digit_and_letter(rest: Rest, run):
    body = '{"@id":"fact:a","object":[1.0,1e5,12345678901234567890123,0.10],"statement":"Größe 日本\u2028"}'
    rest.will(Answer(body=body.encode()))
    done = run("show", "--id", "fact:a", "--tenant", "t")
    assert done.json == json.loads(body)
    assert "12345678901234567890123" in done.out
    assert "0.10" in done.out
    assert "Größe 日本" in done.out
    assert (rest.asked[0].path, rest.asked[0].params) == (BASE + "facts/fact:a", {"tenant": "t"})


def test_output_is_utf8_whatever_the_terminal_says(rest: Rest, run):
    rest.will(Answer(body={"@id": "fact:a", "statement": "日本"}))
    assert "日本" in run("show", "--id", "fact:a", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0").out


def test_a_reader_that_stops_early_gets_no_traceback(rest: Rest, run):
    rest.will(page(*[f"fact:{n:0100}" for n in range(5000)]))
    environ = {"KNDL_STORAGE": rest.storage, "KNDL_TOKEN": TOKEN, "PATH": os.defpath}
    with subprocess.Popen([sys.executable, FILE, "list"], env=environ, stdout=-1, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
