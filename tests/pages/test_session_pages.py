"""Pages of sessions: the list, the lines and what they became, what is masked, and bringing in a transcript."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit.models import AuditRow
from memory.layers.models import Distillation, Tombstone
from memory.sessions import uploading
from memory.sessions.jobs import run as do_import
from memory.sessions.jobs import unattended
from memory.sessions.models import Session, TranscriptImport
from spaces.databases.entering import current_alias, entered
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_scope
from tests.layers.remembered import Remembered
from tests.pages.orchard import SECRET, distilled, said, statements_of, talk
from tests.pages.reading import Page, page_of
from tests.phi.patients import consent
from tests.rest.client import Rest
from tests.sessions.conftest import appended, opened

SESSIONS = "/spaces/north/sessions"
HOSTILE = "<img src=x onerror=document.title='pwn'>"


@pytest.fixture
def orchard(trio: Trio) -> str:
    """A conversation that was distilled; the id of its session."""
    session = talk(trio.space)
    distilled(trio.space, session)
    return str(session)


def shown(client: Client, path: str = "", scope: str = "shared", **query: Any) -> Page:
    return page_of(client.get(f"{SESSIONS}{path}", {"scope": scope, **query}))


def sent(client: Client, path: str, **fields: Any) -> Page:
    return page_of(client.post(f"{SESSIONS}{path}", {"scope": "shared"} | fields, follow=True))


def acts(trio: Trio, verb: str) -> list[AuditRow]:
    with entered(trio.space):
        return list(AuditRow.objects.using(current_alias()).filter(act=verb))


def test_sessions_are_listed_with_what_waits(teammate: Client, trio: Trio, orchard: str):
    talk(trio.space, ("Tilda", "The well is dry."), client_id="well")
    page = shown(teammate)
    assert "2 sessions; 1 line of 1 wait" in page.text
    assert [(row[0], row[3], row[4]) for row in page.rows[1:]] == [
        ("Talk of the well well", "1", "1"),
        ("Talk of the orchard orchard", "4", ""),
    ]


def test_no_session_yet_says_how_they_come(teammate: Client):
    page = shown(teammate)
    assert "No sessions in this scope yet" in page.text
    assert "Import a transcript" in page.links


def test_a_session_shows_its_lines_masked_and_what_each_became(teammate: Client, trio: Trio, orchard: str):
    page = shown(teammate, f"/{orchard}")
    assert page.status == 200
    assert "We decided to prune the pear orchard" in page.text
    assert SECRET not in page.html
    assert "[secret: password]" in page.text
    assert 'id="L3"' in page.html
    assert f"/spaces/north/memory/{said(trio.space, 'hand saw')}?scope=shared" in page.html
    assert "All lines are distilled" in page.text
    assert acts(trio, "session.read")


def test_a_card_says_nothing_of_waiting_where_no_line_waits(teammate: Client, orchard: str):
    page = shown(teammate)
    assert orchard in page.html
    assert 'data-label="Wait"' not in page.html


def test_a_long_session_is_shown_in_pages(teammate: Client, remembered_lines: str):
    page = shown(teammate, f"/{remembered_lines}")
    assert "Lines 0–99 of 250" in page.text
    page = page_of(teammate.get(f"{SESSIONS}/{remembered_lines}{page.links['Next lines']}"))
    assert "Lines 100–199 of 250" in page.text
    page = page_of(teammate.get(f"{SESSIONS}/{remembered_lines}{page.links['Next lines']}"))
    assert "Lines 200–249 of 250" in page.text
    assert "Next lines" not in page.links


@pytest.fixture
def remembered_lines(trio: Trio) -> str:
    """A session of 250 lines."""
    remembered = Remembered(trio.space, trio.space.scopes.get().pk)
    return str(remembered.session(*(f"line number {n}" for n in range(250)), client_id="long").pk)


def test_an_event_stands_once_beside_its_first_line_with_all_its_lines(teammate: Client, trio: Trio):
    remembered = Remembered(trio.space, trio.space.scopes.get().pk)
    session = remembered.session("one", "two", "three", client_id="counting")
    parts = [remembered.fragment(text, (session, n, n)) for n, text in enumerate(("one", "two", "three"))]
    remembered.event("Counting", "They counted", parts, *((session, n, n) for n in range(3)))
    page = shown(teammate, f"/{session.pk}")
    assert page.html.count(">Counting</a>") == 1
    assert "Counting lines 0–2" in page.text
    assert page.text.count("kept, word for word") == 3


@pytest.mark.parametrize("name", ["nope", "00000000-0000-0000-0000-000000000000"])
def test_what_is_no_session_is_not_found(teammate: Client, name: str):
    for path in (f"/{name}", f"/{name}/lines/0"):
        assert shown(teammate, path).status == 404


def test_a_stranger_finds_nothing(stranger: Client, orchard: str):
    for path in ("", f"/{orchard}", f"/{orchard}/lines/0", "/import", "/imports/x"):
        assert shown(stranger, path).status == 404
    for path in (f"/{orchard}/distil", f"/{orchard}/lines/2", "/import"):
        assert sent(stranger, path, reason="to see", act="now").status == 404


def test_another_persons_session_is_not_there_for_a_member(owner: Client, teammate: Client, trio: Trio):
    make_scope(trio.space, "owners-own", trio.owner)
    session = str(talk(trio.space, ("Tilda", "Mine alone"), scope="owners-own"))
    assert shown(teammate, f"/{session}", "*").status == 404
    assert "Mine alone" in shown(owner, f"/{session}", "owners-own").text


def test_hostile_lines_are_shown_as_the_characters_they_are_made_of(teammate: Client, trio: Trio):
    session = talk(trio.space, (HOSTILE, HOSTILE), client_id=HOSTILE)
    for path in ("", f"/{session}", f"/{session}/lines/0"):
        page = shown(teammate, path)
        assert "img" not in page.tags
        assert HOSTILE in page.text


def test_what_was_forgotten_of_a_line_is_said_without_saying_what(owner: Client, trio: Trio, orchard: str):
    node = said(trio.space, "hand saw")
    preview = page_of(owner.get(f"/spaces/north/memory/forget?scope=shared&ids={node}"))
    address = f"/spaces/north/memory/forget?scope=shared&ids={node}"
    owner.post(address, {"scope": "shared", "seen": preview.fields["seen"]})
    with entered(trio.space):
        assert Tombstone.objects.filter(session=orchard).exists()
    assert "forgotten" in shown(owner, f"/{orchard}").text
    assert "1 memory of it forgotten" in shown(owner, f"/{orchard}/lines/3").text


class TestLine:
    """One line, whole; and what is masked in it."""

    def test_it_is_shown_with_what_it_became(self, teammate: Client, trio: Trio, orchard: str):
        page = shown(teammate, f"/{orchard}/lines/0")
        assert "We decided to prune the pear orchard" in page.text
        assert any("pear orchard" in words for words in page.links)
        assert shown(teammate, f"/{orchard}/lines/99").status == 404

    def test_what_is_masked_is_shown_for_a_reason_and_on_record(self, owner: Client, trio: Trio, orchard: str):
        page = shown(owner, f"/{orchard}/lines/2")
        assert SECRET not in page.html
        page = sent(owner, f"/{orchard}/lines/2", reason="The station must be reset")
        assert SECRET in page.text
        assert "Shown this once" in page.text
        (row,) = acts(trio, "session.reveal")
        assert row.stated["reason"] == "The station must be reset"
        assert SECRET not in shown(owner, f"/{orchard}/lines/2").html

    def test_without_a_reason_it_stays_masked(self, owner: Client, trio: Trio, orchard: str):
        page = sent(owner, f"/{orchard}/lines/2", reason=" ")
        assert page.status == 400
        assert SECRET not in page.html
        assert acts(trio, "session.reveal") == []

    def test_a_member_does_not_see_it_in_a_shared_scope_and_does_in_their_own(
        self, teammate: Client, trio: Trio, orchard: str
    ):
        assert "Show what is masked" not in shown(teammate, f"/{orchard}/lines/2").text
        page = sent(teammate, f"/{orchard}/lines/2", reason="I am curious")
        assert page.status == 404
        assert SECRET not in page.html
        make_scope(trio.space, "teammates-own", trio.teammate)
        own = talk(trio.space, scope="teammates-own", client_id="own")
        given = {"scope": "teammates-own", "reason": "I forgot it"}
        assert SECRET in page_of(teammate.post(f"{SESSIONS}/{own}/lines/2", given)).text


class TestDistilling:
    """Asking for a run over one session."""

    def test_what_waits_is_distilled_now(self, teammate: Client, trio: Trio):
        session = str(talk(trio.space))
        assert "4 lines wait to be distilled" in shown(teammate, f"/{session}").text
        page = sent(teammate, f"/{session}/distil", act="now")
        assert "Asked for: what waits will be distilled." in page.text
        with entered(trio.space):
            run = Distillation.objects.get()
        assert (str(run.session), run.trigger, run.asked_by) == (session, "manual", f"person:{trio.teammate.pk}")

    def test_all_of_it_is_distilled_once_more(self, teammate: Client, trio: Trio, orchard: str):
        assert "Distil again" in shown(teammate, f"/{orchard}").text
        sent(teammate, f"/{orchard}/distil", act="again")
        with entered(trio.space):
            session = Session.objects.get(pk=orchard)
        assert (session.generation, session.distilled_until) == (1, 0)

    def test_an_auditor_may_not_ask(self, trio: Trio, orchard: str):
        Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
        auditor = governing_client(trio.teammate)
        assert "Distil again" not in shown(auditor, f"/{orchard}").text
        assert sent(auditor, f"/{orchard}/distil", act="again").status == 403


class TestImporting:
    """A transcript that a person brings in."""

    def file(self, *lines: str, name: str = "talk.jsonl") -> SimpleUploadedFile:
        return SimpleUploadedFile(name, "\n".join(lines).encode())

    def line(self, number: int, text: str) -> str:
        at = f"2026-03-02T09:00:{number:02}Z"
        return json.dumps({"session": "shed", "role": "user", "speaker": "Tilda", "text": text, "at": at})

    def test_what_became_of_it_is_told(self, teammate: Client, trio: Trio):
        lines = (self.line(1, "The shed leans."), "{broken", self.line(2, f"My password is {SECRET}."))
        page = sent(teammate, "/import", transcript=self.file(*lines))
        assert page.status == 200
        assert "Sessions 1" in page.text
        assert "Lines 2 new; 0 were here already" in page.text
        assert "1 password" in page.text
        assert "shed" in page.links
        assert page.rows[1][:2] == ["talk.jsonl", "2"]
        again = sent(teammate, "/import", transcript=self.file(*lines))
        assert "Lines 0 new; 2 were here already" in again.text
        assert "no secret was found" not in again.text
        assert "lines that were here already were not looked at again" in again.text
        assert "The shed leans." in shown(teammate, page.links["shed"].partition("sessions")[2].partition("?")[0]).text

    @pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n nothing that was said"])
    def test_what_is_no_transcript_is_refused_with_its_reason(self, teammate: Client, content: bytes):
        page = sent(teammate, "/import", transcript=SimpleUploadedFile("x.bin", content))
        assert page.status == 400
        assert 'class="error"' in page.html

    def test_without_a_file_it_asks_for_one(self, teammate: Client):
        page = sent(teammate, "/import")
        assert page.status == 400
        assert "Choose a file." in page.text

    def test_a_large_one_is_worked_through_in_the_background_and_shows_how_far(
        self, teammate: Client, trio: Trio, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(uploading, "AT_ONCE", 10)
        page = sent(teammate, "/import", transcript=self.file(self.line(1, "The shed leans.")))
        assert "waits for a worker" in page.text
        assert 'hx-trigger="every 3s"' in page.html
        with entered(trio.space):
            (job,) = unattended()
            do_import(trio.space, job)
        page = shown(teammate, f"/imports/{job}")
        assert "Lines 1 new" in page.text
        assert "hx-trigger" not in page.html
        assert shown(teammate, f"/imports/{trio.space.pk}").status == 404

    def test_one_that_failed_says_why(self, teammate: Client, trio: Trio):
        with entered(trio.space):
            job = TranscriptImport.objects.create(
                scope=trio.space.scopes.get().pk, name="x", size=3, state="failed", asked_by="person:1", reason="Torn."
            )
        assert "Torn." in shown(teammate, f"/imports/{job.pk}").text

    def test_an_auditor_may_not_import(self, trio: Trio):
        Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
        assert shown(governing_client(trio.teammate), "/import").status == 403


class TestPhi:
    """A PHI session: there for the purpose of its consent, and like nothing else."""

    @pytest.fixture
    def session(self, rest: Rest) -> str:
        consent(rest)
        query = {"purpose": "treatment"}
        more = {"classification": "PHI", "subject": "patient:4471", "consent": "consent:c1"}
        session = opened(rest, "visit", query=query, **more)
        appended(rest, session, ["I have a rash."], purpose="treatment")
        return session

    def test_it_is_shown_for_the_purpose_of_its_consent(self, teammate: Client, session: str):
        assert "visit" in shown(teammate, purpose="treatment").links
        page = shown(teammate, f"/{session}", purpose="treatment")
        assert "I have a rash." in page.text
        assert "Forget all of it" not in page.text
        assert shown(teammate, f"/{session}/lines/0", purpose="treatment").status == 200

    def test_without_it_it_looks_like_what_was_never_there(self, owner: Client, teammate: Client, session: str):
        for path in (f"/{session}", f"/{session}/lines/0"):
            assert shown(teammate, path).status == 404
        page = shown(teammate)
        assert "visit" not in page.text
        assert "withheld" not in page.words
        assert "withheld" in shown(owner).words


def test_a_page_asks_the_databases_no_more_for_many_lines_than_for_few(teammate: Client, trio: Trio):
    remembered = Remembered(trio.space, trio.space.scopes.get().pk)

    def asked(count: int) -> tuple[int, int]:
        session = remembered.session(*(f"line {n}" for n in range(count)), client_id=f"talk {count}")
        for number in range(count):
            remembered.fragment(f"Note {count} {number}", (session, number, number))
        one = statements_of(trio.space, lambda: shown(teammate, f"/{session.pk}"))
        return one, statements_of(trio.space, lambda: shown(teammate))

    asked(2)
    assert asked(3) == asked(12)
