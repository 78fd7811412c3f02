"""Transcripts come in once, whatever they are, and however often; what has grown adds what is new."""

from typing import Any

import pytest

from spaces.models import Space
from tests.actors import make_scope
from tests.phi.patients import SUBJECT, consent
from tests.rest.client import Rest, seat
from tests.sessions.conftest import append, appended, line, lines_of, opened, texts
from tests.sessions.everywhere import tables_with
from tests.sessions.transcript_files import claude, imported, plain, sent, zipped

SAID = [f"remark number {number}" for number in range(8)]


def stored(rest: Rest, **query: Any) -> dict[str, list[str]]:
    """What each session says, by its client id."""
    sessions = rest.get("sessions", **query).json()["sessions"]
    return {session["client_id"]: texts(rest, session["id"], **query) for session in sessions}


@pytest.mark.parametrize(
    ("content", "client_id"), [(claude(SAID), "claude-1"), (plain(SAID, "talk-7"), "talk-7")], ids=["claude", "plain"]
)
def test_a_second_import_adds_nothing(rest: Rest, content: bytes, client_id: str):
    first = imported(rest, content)
    assert (first["status"], first["lines"], first["unchanged"], first["broken"]) == ("done", 8, 0, [])
    (session,) = first["sessions"]
    assert session["client_id"] == client_id
    before = lines_of(rest, session["id"])
    assert [each["text"] for each in before] == SAID
    second = imported(rest, content)
    assert (second["lines"], second["unchanged"], second["sessions"]) == (0, 8, [session])
    assert lines_of(rest, session["id"]) == before


def test_lines_keep_who_said_them_and_when(rest: Rest):
    (session,) = imported(rest, claude(SAID[:2]))["sessions"]
    first, second = lines_of(rest, session["id"])
    assert (first["role"], second["role"]) == ("user", "assistant")
    assert (first["at"], second["at"]) == ("2026-02-01T10:00:00Z", "2026-02-01T10:00:01Z")
    found = rest.get(f"sessions/{session['id']}").json()
    assert (found["origin"], found["started_at"]) == ("transcript", "2026-02-01T10:00:00Z")


@pytest.mark.parametrize("make", [claude, lambda texts: plain(texts, "talk-7"), plain], ids=["claude", "named", "bare"])
def test_a_transcript_that_has_grown_adds_only_what_is_new(rest: Rest, make: Any):
    assert imported(rest, make(SAID[:3]))["lines"] == 3
    grown = imported(rest, make(SAID[:6]))
    assert (grown["lines"], grown["unchanged"]) == (3, 3)
    assert imported(rest, make(SAID))["lines"] == 2
    assert list(stored(rest).values()) == [SAID]


def test_a_resumed_session_does_not_bring_the_lines_of_the_earlier_one_again(rest: Rest):
    imported(rest, claude(SAID[:4], "before"))
    resumed = imported(rest, claude(SAID[:4], "before") + claude(SAID[4:], "after", first=4))
    assert (resumed["lines"], resumed["unchanged"]) == (4, 4)
    assert stored(rest) == {"before": SAID[:4], "after": SAID[4:]}


def test_two_bare_transcripts_that_part_after_a_common_beginning_are_two_sessions(rest: Rest):
    imported(rest, plain([*SAID[:3], "one way"]))
    imported(rest, plain([*SAID[:3], "another way"]))
    assert sorted(stored(rest).values()) == sorted([[*SAID[:3], "one way"], ["another way"]])


def test_an_archive_of_several(rest: Rest):
    found = imported(rest, zipped(a=claude(SAID[:2], "a"), b=plain(SAID[2:4], "b"), notes=b"just words\n"))
    assert found["lines"] == 4
    assert sorted(session["client_id"] for session in found["sessions"]) == ["a", "b"]
    assert stored(rest) == {"a": SAID[:2], "b": SAID[2:4]}


def test_a_broken_line_is_reported_by_its_number_and_the_others_come_in(rest: Rest):
    lines = plain(SAID[:3], "talk").splitlines(keepends=True)
    found = imported(rest, b"".join([*lines[:2], b'{"role": "user", "te\n', lines[2]]), name="notes.jsonl")
    assert (found["lines"], found["broken"], found["broken_count"]) == (3, [3], 1)
    assert found["broken_lines"][0].items() >= {"file": "notes.jsonl", "line": 3}.items()


def test_secrets_are_masked_and_counted(rest: Rest, north: Any):
    found = imported(rest, plain(["the password is vK9-tulip-Qz41", "fine"], "talk"))
    assert found["masked"] == {"password": 1}
    assert stored(rest) == {"talk": ["the password is [secret: password]", "fine"]}
    assert tables_with(north, "tulip") == set()


def test_a_very_long_text_is_cut_with_a_mark(rest: Rest):
    imported(rest, plain(["word " * 50_000], "talk"))
    ((text,),) = stored(rest).values()
    assert len(text) < 200_100
    assert text.endswith(" [cut: 50,000 more characters]")


def test_what_a_client_has_sent_before_is_not_brought_again_by_its_transcript(rest: Rest):
    session = opened(rest, "talk-7")
    appended(rest, session, SAID[:3])
    grown = imported(rest, plain(SAID[:5], "talk-7"))
    assert (grown["lines"], grown["unchanged"]) == (2, 3)
    appended(rest, session, SAID[5:6], 5)
    again = imported(rest, plain(SAID[:7], "talk-7"))
    assert (again["lines"], again["unchanged"]) == (1, 6)
    assert texts(rest, session) == SAID[:7]
    assert imported(rest, plain(SAID[:7], "talk-7"))["lines"] == 0


def test_what_was_exported_can_be_imported_elsewhere_and_changes_nothing_here(rest: Rest, north: Space):
    session = opened(rest, "kept", title="About boats")
    said = [
        line("the password is vK9-tulip-Qz41"),
        line("noted", role="assistant", speaker=""),
        line("ls -l\n  total 0", role="tool", speaker=""),
        line("Größe: 3 × 4", speaker="Zoë", at="2026-03-02T09:00:00.123456Z"),
        line("be brief", role="system", speaker=""),
    ]
    appended(rest, session, said)
    file = rest.get(f"sessions/{session}/export").getvalue()
    archive = rest.get("sessions/export").getvalue()

    other = seat(north, scope=make_scope(north, "other"))
    (copy,) = imported(other, file)["sessions"]
    assert copy["client_id"] == "kept"
    assert other.get(f"sessions/{copy['id']}").json()["title"] == "About boats"
    assert lines_of(other, copy["id"]) == lines_of(rest, session)
    assert imported(other, archive)["lines"] == 0

    for again in (file, archive):
        found = imported(rest, again)
        assert (found["lines"], found["unchanged"]) == (0, 5)


def test_a_transcript_of_a_phi_session_is_sealed_there(rest: Rest, north: Space):
    consent(rest)
    session = opened(rest, "visit", classification="PHI", subject=SUBJECT, consent="consent:c1")
    assert imported(rest, plain(["a qzxrashwvk"], "visit"))["lines"] == 1
    assert imported(rest, plain(["a qzxrashwvk", "and a cough"], "visit"))["lines"] == 1
    assert tables_with(north, "qzxrashwvk") == set()
    assert texts(rest, session, purpose="treatment") == ["a qzxrashwvk", "and a cough"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"just some words\nand more", "Nothing"),
        (b'{"a": 1}\n', "Nothing"),
        (b"\x00" * 50, "Nothing"),
    ],
)
def test_what_is_no_transcript_is_refused_with_a_reason(rest: Rest, content: bytes, said: str):
    answer = sent(rest, content)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "transcript")
    assert said in answer.json()["detail"]
    assert stored(rest) == {}


@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", "application/zip"]
)
def test_any_content_type_is_taken(rest: Rest, kind: str):
    assert sent(rest, plain(SAID, "talk"), kind).json()["lines"] == 8


def test_a_file_name_comes_as_a_parameter_or_a_header(rest: Rest):
    bad = plain(SAID[:1], "talk") + b"{broken\n"
    by_header = rest.client.post(
        rest.address("transcripts"), bad, content_type="text/plain", headers={"X-Filename": "mine.jsonl"}
    )
    assert by_header.json()["broken_lines"][0]["file"] == "mine.jsonl"
    assert imported(rest, bad, name="yours.jsonl")["broken_lines"][0]["file"] == "yours.jsonl"


def test_a_seat_without_the_verb_imports_nothing(north: Space):
    assert sent(seat(north, verbs=("memory:read",)), plain(SAID)).status_code == 403


def test_imported_lines_may_be_followed_by_a_client(rest: Rest):
    (session,) = imported(rest, plain(SAID, "talk"))["sessions"]
    assert append(rest, session["id"], ["and then"], 8).json()["next_index"] == 9
