"""Sessions leave as files: JSON Lines each, or an archive of all that is made while it is sent."""

import io
import json
import zipfile
from typing import Any

from audit.recording import Actor
from memory.sessions import exporting
from memory.sessions.exporting import exported_archive
from spaces.access import Caller, bind
from spaces.databases.entering import entered
from tests.actors import make_scope
from tests.rest.client import Rest, seat
from tests.sessions.conftest import appended, line, opened


def archive(rest: Rest) -> dict[str, list[dict[str, Any]]]:
    answer = rest.get("sessions/export")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as found:
        assert found.testzip() is None
        return {name: [json.loads(each) for each in found.read(name).splitlines()] for name in found.namelist()}


def test_a_session_is_a_file_of_json_lines(rest: Rest):
    session = opened(rest, "a/b: plan", title="Plans", started_at="2026-01-02T00:00:00Z")
    appended(rest, session, [line("hello", model="m-1", role="user"), line("the password is vK9-tulip-Qz41")])
    answer = rest.get(f"sessions/{session}/export")
    first, second = [json.loads(each) for each in answer.getvalue().splitlines()]
    said = {"session": "a/b: plan", "title": "Plans", "role": "user", "speaker": "Ana", "text": "hello"}
    assert first == said | {"at": "2026-03-02T09:00:00Z", "model": "m-1"}
    assert second["text"] == "the password is [secret: password]"
    assert answer["Content-Disposition"] == f'attachment; filename="2026-01-02-a-b-plan-{session[:8]}.jsonl"'
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_all_sessions_of_a_scope_are_an_archive_with_a_file_each(rest: Rest, north: Any):
    for name in ("one", "two", "../three"):
        appended(rest, opened(rest, name), [f"said in {name}"])
    opened(rest, "empty")
    other = seat(north, scope=make_scope(north, "other"))
    appended(other, opened(other, "foreign"), ["not ours"])
    found = archive(rest)
    assert len(found) == 4
    assert sorted(lines[0]["session"] for lines in found.values() if lines) == ["../three", "one", "two"]
    assert not any("/" in name or name.startswith(".") for name in found)


def test_a_long_session_leaves_in_pieces(rest: Rest, north: Any):
    session = opened(rest)
    for start in range(0, 3_000, 1_000):
        appended(rest, session, [f"{number} " + "pad " * 20 for number in range(start, start + 1_000)], start)
    assert rest.get(f"sessions/{session}/export").getvalue().count(b"\n") == 3_000
    ((_, lines),) = archive(rest).items()
    assert [int(each["text"].split()[0]) for each in lines] == list(range(3_000))


def test_an_archive_is_begun_before_all_of_it_was_read(rest: Rest, north: Any):
    for number in range(3):
        appended(rest, opened(rest, f"chat-{number}"), ["hello"])
    caller = Caller(Actor("seat", "s"), "seat", space_id=north.pk, scope_id=north.scopes.get().pk)
    with entered(north):
        pieces = exported_archive(bind(caller, north, []))
        assert next(pieces).startswith(b"PK")
    rest_of_it = b"".join(pieces)
    assert rest_of_it.count(b"PK\x01\x02") == 3


def test_a_session_that_grows_while_the_archive_is_made_is_in_it_once(rest: Rest, north: Any, monkeypatch: Any):
    monkeypatch.setattr(exporting, "_PAGE", 1)
    ids = {name: opened(rest, name) for name in "abc"}
    for name, session in ids.items():
        appended(rest, session, [f"said in {name}"])
    caller = Caller(Actor("seat", "s"), "seat", space_id=north.pk, scope_id=north.scopes.get().pk)
    with entered(north):
        pieces = exported_archive(bind(caller, north, []))
    content = next(pieces)
    for session in ids.values():
        appended(rest, session, ["more"], 1)
    with zipfile.ZipFile(io.BytesIO(content + b"".join(pieces))) as found:
        assert sorted(name[11:12] for name in found.namelist()) == ["a", "b", "c"]
