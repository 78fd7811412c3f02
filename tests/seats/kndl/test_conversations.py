"""`kndl remember` and `kndl recall`: what they ask of the service and what they print."""

import json
import subprocess
import sys

import pytest

from seats.kndl import kndl
from tests.seats.kndl.rest import BASE, Answer, Rest
from tests.seats.kndl.shell import FILE, ROOT, TOKEN

DONE = {"status": "done", "sessions": [{"id": "1", "client_id": "a"}], "lines": 2, "unchanged": 0, "masked": {}}
NOT_ONE = Answer(
    400,
    {"title": "Invalid", "detail": "no", "errors": [{"field": "transcript", "detail": "Nothing in this file is one."}]},
    "application/problem+json",
)


@pytest.fixture
def talk(tmp_path):
    """A transcript on the disk."""
    file = tmp_path / "talk 1.jsonl"
    file.write_bytes(b'{"role": "user", "text": "hello"}\n\xff\n')
    return file


def test_remember_sends_the_file_as_it_is_and_prints_what_became_of_it(rest: Rest, run, talk):
    rest.will(Answer(body=DONE))
    assert run("remember", str(talk), "--tenant", "other").json == DONE
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("POST", BASE + "transcripts")
    assert asked.params == {"name": "talk 1.jsonl", "tenant": "other"}
    assert asked.headers["content-type"] == "application/octet-stream"
    assert asked.body == talk.read_bytes()


def test_remember_waits_for_a_large_one(rest: Rest, run, talk):
    waiting = {"id": "job-1", "status": "waiting", "lines": 0}
    rest.will(Answer(202, waiting), Answer(body=waiting | {"status": "running"}), Answer(body=DONE | {"id": "job-1"}))
    assert run("remember", str(talk)).json == DONE | {"id": "job-1"}
    assert [asked.path for asked in rest.asked] == [BASE + "transcripts", *[BASE + "transcripts/job-1"] * 2]


def test_remember_says_why_a_large_one_failed(rest: Rest, run, talk):
    rest.will(Answer(202, {"id": "j", "status": "waiting"}), Answer(body={"status": "failed", "reason": "It is torn."}))
    assert run("remember", str(talk)).error == "error: It is torn.\n"


def test_a_text_that_is_no_transcript_is_remembered_by_paragraphs(rest: Rest, run, tmp_path):
    (tmp_path / "notes.txt").write_text("The boat is\nat berth 12.\n \n\n\nBen has “the keys”.\n", "utf-8")
    rest.will(NOT_ONE, Answer(body=DONE))
    assert run("remember", str(tmp_path / "notes.txt")).json == DONE
    assert rest.asked[1].lines() == [
        {"role": "user", "text": "The boat is\nat berth 12."},
        {"role": "user", "text": "Ben has “the keys”."},
    ]


@pytest.mark.parametrize("content", [b"\xff\xfe\xff", b"", b" \n\n ", b'{"a": 1}\n', b'[{"a": 1}]', b"a\0b"])
def test_what_is_neither_transcript_nor_text_is_an_error(rest: Rest, run, tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    rest.will(NOT_ONE)
    assert "Nothing in this file is one." in run("remember", str(tmp_path / "file")).error
    assert len(rest.asked) == 1


def test_remember_reads_standard_input(rest: Rest):
    rest.will(Answer(body=DONE))
    done = subprocess.run(
        [sys.executable, str(FILE), "remember", "-"],
        input=b"piped\n",
        env={"KNDL_STORAGE": rest.storage, "KNDL_TOKEN": TOKEN},
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == DONE
    assert (rest.asked[0].body, rest.asked[0].params) == (b"piped\n", {"name": "standard input"})


def test_any_other_refusal_is_told_as_it_is(rest: Rest, run, talk):
    rest.will(Answer(403, {"title": "Forbidden", "detail": "no verb"}, "application/problem+json"))
    assert "no verb (403)" in run("remember", str(talk)).error


def test_a_file_that_is_not_there_is_an_error(rest: Rest, run):
    assert "nowhere.jsonl" in run("remember", "nowhere.jsonl").error
    assert rest.asked == []


def test_long_paragraphs_become_several_lines():
    lines = kndl.text_lines(b"x" * 250_000).splitlines()
    assert [len(json.loads(line)["text"]) for line in lines] == [100_000, 100_000, 50_000]


def test_recall_asks_and_prints_the_items(rest: Rest, run):
    items = {"items": [{"id": 7, "layer": 1, "text": "Ana sails in May", "score": 0.5, "sources": []}]}
    rest.will(Answer(body=items), Answer(body=items))
    assert run("recall", "When does Ana sail?").json == items
    words = ["--limit", "3", "--no-reinforce", "--explain", "--purpose", "care", "--tenant", "other"]
    assert run("recall", "When?", *words).json == items
    first, second = rest.asked
    assert (first.method, first.path, first.params) == ("POST", BASE + "recall", {})
    assert first.json() == {"query": "When does Ana sail?", "reinforce": True}
    assert second.json() == {"query": "When?", "reinforce": False, "limit": 3, "explain": True}
    assert (second.headers["kndl-purpose"], second.params) == ("care", {"tenant": "other"})


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["recall"], "QUERY"),
        (["recall", ""], "QUERY"),
        (["recall", "a", "b"], "QUERY is given twice"),
        (["recall", "a", "--limit", "many"], "--limit needs a whole number"),
        (["recall", "a", "--limit", "-1"], "--limit needs a whole number"),
        (["recall", "a", "--reinforce"], "--reinforce"),
        (["remember"], "FILE"),
        (["remember", "a", "--purpose", "care"], "--purpose"),
    ],
)
def test_a_wrong_command_line_asks_nothing(rest: Rest, run, words, named):
    assert named in run(*words).error
    assert rest.asked == []
