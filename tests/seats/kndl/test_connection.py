"""Where `kndl` connects to, with what token, and what it makes of every answer."""

import socket

import pytest

from tests.seats.kndl.rest import MADE, Answer, Rest, page, serving
from tests.seats.kndl.shell import REQUIRED, TOKEN, ran


@pytest.mark.parametrize(
    ("storage", "named"),
    [
        (None, "KNDL_STORAGE is not set"),
        ("", "KNDL_STORAGE is not set"),
        ("fs:/memory", "fs: storage is not read here"),
        ("sqlite:./kndl-memory.db", "sqlite: storage is not read here"),
        ("FS:./memory", "kndl import"),
        ("sqlite:x", "kndl import"),
        ("ftp://host/spaces/demo", "https://HOST/spaces/SPACE"),
        ("file:///etc/passwd", "https://HOST/spaces/SPACE"),
        ("https://host", "https://HOST/spaces/SPACE"),
        ("https://host/spaces/", "https://HOST/spaces/SPACE"),
        ("https://host/spaces/a/facts", "https://HOST/spaces/SPACE"),
        ("https://host/spaces/a?x=1", "https://HOST/spaces/SPACE"),
        ("https://host/spaces/../admin", "https://HOST/spaces/SPACE"),
        ("https://me:word@host/spaces/a", "without a user name"),
        ("https://host:port/spaces/a", "https://HOST/spaces/SPACE"),
        ("https://ho st/spaces/a", "https://HOST/spaces/SPACE"),
        ("http://memory.example/spaces/a", "plain http shows the token"),
        ("http://10.0.0.1:8000/spaces/a", "plain http shows the token"),
        ("http://127.0.0.1.example/spaces/a", "plain http shows the token"),
        ("http://localhost.example/spaces/a", "plain http shows the token"),
    ],
)
def test_a_storage_that_is_no_space_of_a_service_is_refused(run, storage, named):
    error = run("list", KNDL_STORAGE=storage).error
    assert named in error
    assert "word" not in error


@pytest.mark.parametrize(
    "storage", ["http://127.0.0.1:1/spaces/a", "http://127.0.0.1:99999/spaces/a", "https://a..b/spaces/a"]
)
def test_a_service_that_cannot_be_reached_is_an_error(run, storage):
    assert "no answer from http" in run("list", KNDL_STORAGE=storage).error


def test_plain_http_to_another_machine_is_possible_on_request(rest: Rest, run):
    rest.will(page("fact:a"))
    storage = f"http://memory.invalid:{rest.port}/spaces/demo"
    refused = run("list", KNDL_STORAGE=storage, http_proxy=f"http://127.0.0.1:{rest.port}").error
    assert "KNDL_ALLOW_HTTP=1" in refused
    assert rest.asked == []
    allowed = {"KNDL_STORAGE": storage, "KNDL_ALLOW_HTTP": "1", "http_proxy": f"http://127.0.0.1:{rest.port}"}
    assert run("list", **allowed).json == ["fact:a"]


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(rest: Rest, run):
    rest.will(page("fact:a"), page("fact:b"))
    dead = "http://127.0.0.1:1"
    assert run("list", http_proxy=dead, HTTP_PROXY=dead, all_proxy=dead).json == ["fact:a"]
    named = rest.storage.replace("127.0.0.1", "LocalHost") + "/"
    assert run("list", KNDL_STORAGE=named, http_proxy=dead).json == ["fact:b"]


def test_the_token_may_come_from_a_file(rest: Rest, run, tmp_path):
    rest.will(page())
    (tmp_path / "token").write_text(TOKEN + "\n")
    assert run("list", KNDL_TOKEN=None, KNDL_TOKEN_FILE=str(tmp_path / "token")).json == []
    assert rest.asked[0].headers["authorization"] == f"Bearer {TOKEN}"


def test_a_token_that_is_missing_double_or_broken_is_an_error_that_does_not_show_it(rest: Rest, run, tmp_path):
    (tmp_path / "token").write_text("secret\nX-Evil: 1")
    (tmp_path / "raw").write_bytes(b"\xff\xfe")
    for environ in (
        {"KNDL_TOKEN": None},
        {"KNDL_TOKEN": "two secrets"},
        {"KNDL_TOKEN": "secret\r\nX-Evil: 1"},
        {"KNDL_TOKEN": "sécret"},
        {"KNDL_TOKEN": "secret", "KNDL_TOKEN_FILE": str(tmp_path / "token")},
        {"KNDL_TOKEN": None, "KNDL_TOKEN_FILE": str(tmp_path / "token")},
        {"KNDL_TOKEN": None, "KNDL_TOKEN_FILE": str(tmp_path / "raw")},
        {"KNDL_TOKEN": None, "KNDL_TOKEN_FILE": str(tmp_path / "missing")},
    ):
        error = run("list", **environ).error
        assert "KNDL_TOKEN" in error
        assert "cret" not in error
    assert rest.asked == []


def test_a_purpose_cannot_smuggle_a_header(rest: Rest, run):
    assert "one word" in run("list", "--purpose", "care\r\nX-Evil: 1").error
    assert "one word" in run("list", KNDL_PURPOSE="pflege und träume").error
    assert rest.asked == []


def test_a_problem_is_told_with_its_fields(rest: Rest, run):
    problem = {
        "type": "invalid",
        "title": "Invalid",
        "status": 400,
        "detail": "The fact was not written.",
        "errors": [
            {"field": "confidence", "detail": "must be at most 1"},
            {"field": "object.zip", "detail": "is too long"},
        ],
    }
    rest.will(Answer(400, problem, "application/problem+json"))
    lines = run("add", *REQUIRED).error.splitlines()
    assert lines == [
        "error: Invalid: The fact was not written. (400)",
        "  confidence: must be at most 1",
        "  object.zip: is too long",
    ]
    assert len(rest.asked) == 1


def test_a_conflict_names_its_winner(rest: Rest, run):
    problem = {"type": "already_superseded", "title": "Conflict", "detail": "Already superseded.", "winner": "fact:w"}
    rest.will(Answer(409, problem, "application/problem+json"))
    assert "winner: fact:w" in run("supersede", "--old-id", "fact:a", *REQUIRED).error


@pytest.mark.parametrize(
    "body",
    [
        b"<html><h1>Server Error</h1></html>", b"", b"\xff\xfe", b"[]", b"7", b'{"errors": 7}', b"null",
        b'{"title": "Bad", "errors": {"a": 1}}', b'{"title": "Bad", "errors": [1, null, "x"]}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_failure_without_a_readable_reason_is_told_by_its_status(rest: Rest, run, body):
    rest.will(Answer(500, body, "text/html"))
    error = run("query").error
    assert "500" in error
    assert "<html>" not in error
    assert len(rest.asked) == 1


@pytest.mark.parametrize("body", [b"<html>Welcome to the hotel</html>", b"", b"[]", b"{}", b'{"facts": 7}', b"NaN"])
@pytest.mark.parametrize("words", [["query"], ["list"], ["add", *REQUIRED]])
def test_an_answer_that_is_not_the_services_is_an_error(rest: Rest, run, words, body):
    rest.will(Answer(200, body, "text/html"))
    assert "check KNDL_STORAGE" in run(*words).error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("words", [["query"], ["add", *REQUIRED]])
def test_a_redirect_takes_the_token_nowhere(rest: Rest, run, status, words):
    with serving() as other:
        other.will(page("fact:stolen"))
        elsewhere = f"http://localhost:{other.port}/api/v1/spaces/demo/facts"
        rest.will(Answer(status, {}, headers={"Location": elsewhere}))
        error = run(*words).error
        assert elsewhere in error
        assert other.asked == []
    assert len(rest.asked) == 1


def test_no_answer_steers_the_terminal(rest: Rest, run):
    rest.will(Answer(400, {"title": "\x1b[2Jgone\x9b1m\x07\r"}, "application/problem+json"))
    assert run("query").error == "error: \\x1b[2Jgone\\x9b1m\\x07\\x0d (400)\n"


@pytest.mark.parametrize("cut", ["before", "middle"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_read_whose_connection_breaks_is_tried_once_more(rest: Rest, run, cut, chunked):
    broken = Answer(body=page("fact:a").body, cut=cut, chunked=chunked)
    rest.will(broken, page("fact:a"), broken, broken)
    assert run("list").json == ["fact:a"]
    assert "no answer" in run("list").error
    assert len(rest.asked) == 4


def test_a_write_whose_connection_breaks_is_repeated_under_the_same_key(rest: Rest, run):
    rest.will(Answer(cut="before"), Answer(201, MADE), Answer(201, MADE))
    assert run("add", *REQUIRED).json == {"id": "fact:made"}
    first, second = rest.asked
    assert first.body == second.body
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    run("add", *REQUIRED)
    assert rest.asked[2].headers["idempotency-key"] != first.headers["idempotency-key"]


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_gets_the_moment_it_asks_for_and_one_more_try(rest: Rest, run, status):
    busy = Answer(status, {"title": "Busy"}, "application/problem+json", {"Retry-After": "0"})
    rest.will(busy, Answer(201, MADE), busy, busy)
    assert run("add", *REQUIRED).json == {"id": "fact:made"}
    assert rest.asked[0].headers["idempotency-key"] == rest.asked[1].headers["idempotency-key"]
    assert "Busy" in run("add", *REQUIRED).error
    assert len(rest.asked) == 4


@pytest.mark.parametrize("after", [None, "31", "3600", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "٣"])
def test_a_busy_service_that_asks_for_too_much_is_not_waited_for(rest: Rest, run, after):
    headers = {} if after is None else {"Retry-After": after.encode().decode("latin-1")}
    rest.will(Answer(503, {"title": "Busy"}, "application/problem+json", headers))
    error = run("query").error
    assert "Busy (503)" in error
    assert after in (None, "٣") or after in error
    assert len(rest.asked) == 1


def test_a_silent_service_is_left_after_a_while(rest: Rest):
    code = "from seats.kndl import kndl; kndl.TIMEOUT = 0.2; import sys; sys.exit(kndl.main())"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environ = {"KNDL_STORAGE": f"http://127.0.0.1:{silent.getsockname()[1]}/spaces/a", "KNDL_TOKEN": TOKEN}
        assert "timed out" in ran(["list"], environ, "-c", code).error
