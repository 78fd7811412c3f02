"""A large transcript is kept sealed and worked through in the background; a kill at any moment changes nothing."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from kombu.exceptions import OperationalError

from common.times import now
from memory.sessions import importing, jobs, tasks, uploading
from memory.sessions.models import TranscriptImport, TranscriptPiece
from spaces.databases.entering import entered
from spaces.models import Space
from spaces.ticking import tick
from tests.actors import make_scope
from tests.rest.client import Rest, seat
from tests.sessions.conftest import texts
from tests.sessions.everywhere import tables_with
from tests.sessions.transcript_files import plain, sent

pytestmark = pytest.mark.usefixtures("committed_db")  # the task leaves its connections behind

SAID = [f"remark {number} of a long talk" for number in range(40)]
FILE = plain(SAID, "talk")


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A few kilobytes count as large; messages to workers are noted instead of sent."""
    woken: list[str] = []
    monkeypatch.setattr(uploading, "AT_ONCE", 1_000)
    monkeypatch.setattr(jobs, "PIECE", 700)
    monkeypatch.setattr(importing, "BATCH_LINES", 7)
    monkeypatch.setattr(tasks.run_import, "apply_async", lambda ids, **named: woken.append(ids[1]))
    return woken


def kept(rest: Rest, content: bytes = FILE) -> str:
    """Send a file that becomes a job."""
    answer = sent(rest, content, name="talk.jsonl")
    assert answer.status_code == 202, answer.content
    assert answer.json()["status"] == "waiting"
    return str(answer.json()["id"])


def told(rest: Rest, job: str) -> dict[str, Any]:
    found: dict[str, Any] = rest.get(f"transcripts/{job}").json()
    return found


def work(space: Space, job: str) -> None:
    tasks.run_import(str(space.pk), job)


def test_it_is_worked_through_and_its_bytes_are_gone(rest: Rest, north: Space, large: list[str]):
    job = kept(rest)
    assert large == [job]
    assert Space.objects.get(pk=north.pk).next_due_at <= now()
    assert tables_with(north, "long talk") == set()
    with entered(north):
        assert TranscriptPiece.objects.count() > 3
    work(north, job)
    found = told(rest, job)
    assert (found["status"], found["lines"], found["unchanged"], found["read"]) == ("done", 40, 0, len(FILE))
    (session,) = found["sessions"]
    assert texts(rest, session["id"]) == SAID
    with entered(north):
        assert TranscriptPiece.objects.count() == 0


@pytest.mark.parametrize("cut_after", [1, 3, 5])
def test_killed_between_two_batches_it_goes_on_where_it_was(
    rest: Rest, north: Space, monkeypatch: pytest.MonkeyPatch, cut_after: int
):
    job = kept(rest)
    batches, real = 0, importing._imported

    def cut(*given: Any) -> Any:
        nonlocal batches
        batches += 1
        if batches > cut_after:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(importing, "_imported", cut)
    with pytest.raises(KeyboardInterrupt):
        work(north, job)
    monkeypatch.setattr(importing, "_imported", real)
    found = told(rest, job)
    assert (found["status"], found["lines"]) == ("running", min(7 * cut_after, 40))
    work(north, job)
    assert told(rest, job)["status"] == "running", "its lease still holds"
    _let_lapse(north, job)
    work(north, job)
    found = told(rest, job)
    assert (found["status"], found["lines"], found["unchanged"]) == ("done", 40, 0)
    assert texts(rest, found["sessions"][0]["id"]) == SAID


def test_a_worker_whose_lease_was_taken_over_writes_nothing_more(
    rest: Rest, north: Space, monkeypatch: pytest.MonkeyPatch
):
    job = kept(rest)
    real = importing._imported
    calls = 0

    def overtaken(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            TranscriptImport.objects.filter(pk=job).update(lease=uuid.uuid4())
        return real(*given)

    monkeypatch.setattr(importing, "_imported", overtaken)
    work(north, job)
    monkeypatch.setattr(importing, "_imported", real)
    assert (calls, told(rest, job)["lines"]) == (3, 14)
    _let_lapse(north, job)
    work(north, job)
    assert texts(rest, told(rest, job)["sessions"][0]["id"]) == SAID


def test_a_message_that_comes_twice_or_late_changes_nothing(rest: Rest, north: Space):
    job = kept(rest)
    for _ in range(3):
        work(north, job)
    work(north, str(uuid.uuid4()))
    found = told(rest, job)
    assert (found["status"], found["lines"]) == ("done", 40)


def test_the_tick_wakes_a_worker_for_what_nobody_works_at(rest: Rest, north: Space, large: list[str]):
    job = kept(rest)
    large.clear()
    tick()
    assert large == [job]
    work(north, job)
    large.clear()
    Space.objects.filter(pk=north.pk).update(next_due_at=now())
    tick()
    assert large == []


def test_without_a_broker_it_waits_for_the_tick(rest: Rest, monkeypatch: pytest.MonkeyPatch):
    def down(*given: Any, **named: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.run_import, "apply_async", down)
    assert told(rest, kept(rest))["status"] == "waiting"


def test_what_is_no_transcript_fails_with_its_reason_and_its_bytes_are_gone(rest: Rest, north: Space):
    job = kept(rest, b"only words here\n" * 200)
    work(north, job)
    found = told(rest, job)
    assert found["status"] == "failed"
    assert "Nothing in this file" in found["reason"]
    with entered(north):
        assert TranscriptPiece.objects.count() == 0


def test_what_breaks_off_again_and_again_is_given_up(rest: Rest, north: Space, monkeypatch: pytest.MonkeyPatch):
    def broken(*given: Any) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr(importing, "_imported", broken)
    job = kept(rest)
    for _ in range(jobs.MOST_ATTEMPTS - 1):
        work(north, job)
        assert told(rest, job)["status"] == "running"
    work(north, job)
    found = told(rest, job)
    assert (found["status"], found["lines"]) == ("failed", 0)


def test_a_file_beyond_the_limit_is_refused_and_nothing_of_it_is_kept(
    rest: Rest, north: Space, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(uploading, "MOST_BYTES", 3_000)
    assert sent(rest, FILE).status_code == 413
    with entered(north):
        assert TranscriptImport.objects.count() == 0


def test_an_import_of_another_scope_is_not_there(rest: Rest, north: Space):
    job = kept(rest)
    other = seat(north, scope=make_scope(north, "other"))
    hidden, missing = other.get(f"transcripts/{job}"), other.get("transcripts/nothing")
    assert (hidden.status_code, hidden.json()) == (404, missing.json())


def _let_lapse(space: Space, job: str) -> None:
    with entered(space):
        TranscriptImport.objects.filter(pk=job).update(lease_until=now() - timedelta(seconds=1))
