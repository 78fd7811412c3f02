"""What was said and is not distilled yet is found by its words, and in no other way."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from audit.recording import SYSTEM
from common.times import now, parse_instant
from memory.layers.distilling import distil
from memory.layers.runs import ask as ask_for_run
from memory.recall import recent
from memory.sessions.models import Session
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.phi.patients import SUBJECT, consent
from tests.recall.conftest import asked, texts
from tests.recall.memories import Memories
from tests.rest.client import Rest, seat
from tests.sessions.conftest import AT, appended, line, opened

Ask = Callable[..., dict[str, Any]]


def distilled(space: Any) -> None:
    with entered(space):
        with memory_transaction() as act:
            run = ask_for_run(act, space.scopes.get().pk, SYSTEM, "manual")
        assert distil(run.pk)


def test_a_line_is_found_before_it_is_distilled_and_as_a_memory_after(north: Any, rest: Rest, ask: Ask):
    session = opened(rest)
    appended(rest, session, ["We booked the night ferry to Gotland", "Supper was plain"])
    item = ask("which ferry did we book?")["items"][0]
    assert (item["layer"], item["type"], item["text"]) == (0, "Line", "We booked the night ferry to Gotland")
    assert item["id"] == f"session://{session}#L0-L0"
    assert item["sources"] == [{"session": session, "client_id": "chat-1", "from": 0, "to": 0}]
    assert (item["speaker"], item["said_at"]) == ("Ana", "2026-03-02T09:00:00Z")
    assert item["strength"] == 1.0
    distilled(north)
    after = ask("which ferry did we book?")["items"]
    assert after[0]["layer"] == 1
    assert all(found["layer"] > 0 for found in after)


def test_of_a_session_that_is_distilled_in_part_only_the_rest_is_a_recent_line(north: Any, rest: Rest, ask: Ask):
    session = opened(rest)
    appended(rest, session, ["The ferry to Gotland leaves at nine in the evening"])
    distilled(north)
    appended(rest, session, ["The ferry to Gotland was cancelled"], start=1)
    lines = [item for item in ask("ferry to Gotland")["items"] if item["layer"] == 0]
    assert [item["text"] for item in lines] == ["The ferry to Gotland was cancelled"]


def test_a_line_that_shares_no_word_is_not_found(rest: Rest, ask: Ask):
    appended(rest, opened(rest), ["Supper was plain"])
    assert ask("which ferry did we book?")["items"] == []


def test_a_secret_is_masked(rest: Rest, ask: Ask):
    appended(rest, opened(rest), ["the password of the boathouse is vK9-tulip-Qz41"])
    assert texts(ask("boathouse password")) == ["the password of the boathouse is [secret: password]"]
    assert ask("tulip")["items"] == []


def test_phi_is_never_a_recent_line(north: Any, rest: Rest):
    consent(rest)
    nurse = seat(north, purposes=["treatment"])
    phi: dict[str, Any] = {"classification": "PHI", "subject": SUBJECT, "consent": "consent:c1"}
    appended(nurse, opened(nurse, "visit", **phi), ["the rash is back", "it itches at night"])
    assert asked(nurse, "rash itches at night", purpose="treatment")["items"] == []


def test_what_a_tool_printed_is_no_line_of_the_conversation(rest: Rest, ask: Ask):
    appended(rest, opened(rest), [line("ferry timetable: 21:00", "tool"), "the ferry is at nine"])
    assert texts(ask("ferry")) == ["the ferry is at nine"]


def test_before_narrows_it_and_as_of_leaves_it_out(rest: Rest, ask: Ask):
    later = "2026-03-05T09:00:00Z"
    appended(rest, opened(rest), ["the ferry is at nine", line("the ferry is at ten", at=later)])
    assert texts(ask("ferry", before="2026-03-03T00:00:00Z")) == ["the ferry is at nine"]
    assert ask("ferry", before=AT)["items"] == []
    assert ask("ferry", as_of="2026-03-06T00:00:00Z")["items"] == []


def test_the_newest_sessions_are_looked_through_first(memories: Memories, rest: Rest, ask: Ask, monkeypatch: Any):
    monkeypatch.setattr(recent, "MOST_SCANNED", 2)
    for name in ("first", "second", "third"):
        appended(rest, opened(rest, name), [f"the ferry of the {name} talk"])
    with entered(memories.space):
        for age, name in enumerate(("third", "second", "first")):
            Session.objects.filter(client_id=name).update(last_line_at=now() - timedelta(days=age))
    assert sorted(texts(ask("ferry"))) == ["the ferry of the second talk", "the ferry of the third talk"]


def test_a_line_holds_its_whole_text_and_says_where_it_stands(rest: Rest, ask: Ask):
    long = "Gotland " + "and the sea " * 900
    appended(rest, opened(rest), ["a first word", long])
    item = ask("Gotland")["items"][0]
    assert item["text"] == long
    assert item["sources"][0]["from"] == 1
    assert parse_instant(item["said_at"]) == parse_instant(AT)
