"""A session opened as PHI: sealed, searched by nobody, and there only for whom a consent releases it to."""

import logging
from typing import Any

import pytest

from audit.models import AuditRow
from common.times import now
from memory.facts.models import EmergencyRelease
from memory.keys.keeping import hashed
from memory.sessions.models import Session, SessionLine
from memory.sessions.opening import lines_of as internal_lines
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from tests.actors import Trio
from tests.phi.patients import SUBJECT, consent
from tests.rest.client import Rest, seat
from tests.sessions.conftest import append, appended, line, lines_of, opened, person, texts
from tests.sessions.everywhere import tables_with

WORD = "qzxrashwvk"
PHI: dict[str, Any] = {"classification": "PHI", "subject": SUBJECT, "consent": "consent:c1"}
SAID = [line(f"the {WORD} is back", note={"where": WORD}), line("the password is vK9-tulip-Qz41", speaker=WORD)]


@pytest.fixture
def ward(north: Any) -> Rest:
    """A seat that has opened a PHI session under a consent for treatment, and holds no purpose."""
    rest = seat(north, purposes=[])
    consent(rest)
    return rest


@pytest.fixture
def visit(ward: Rest) -> str:
    """That session, with two lines."""
    session = opened(ward, "visit-1", title=f"about {WORD}", **PHI)
    appended(ward, session, SAID)
    return session


@pytest.fixture
def nurse(north: Any) -> Rest:
    """A seat that acts for treatment."""
    return seat(north, purposes=["treatment"])


def acts(space: Any, act: str) -> list[AuditRow]:
    return list(AuditRow.objects.using(alias_of(space.pk)).filter(act=act).order_by("sequence"))


def test_its_words_stand_nowhere(north: Any, ward: Rest, visit: str, nurse: Rest, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    lines_of(nurse, visit)
    assert tables_with(north, WORD, "rash", "tulip", SUBJECT, "4471") == set()
    assert WORD not in caplog.text
    with entered(north):
        assert set(SessionLine.objects.values_list("text", "speaker", "more", "search")) == {("", "", None, None)}
        assert Session.objects.get().title == ""


def test_who_acts_for_its_purpose_reads_it_masked_and_that_is_on_record(north: Any, visit: str, nurse: Rest):
    assert texts(nurse, visit) == [f"the {WORD} is back", "the password is [secret: password]"]
    first = lines_of(nurse, visit)[0]
    assert first["more"] == {"note": {"where": WORD}}
    row = acts(north, "phi.read")[-1]
    with entered(north) as here:
        whose = hashed(Session.objects.get().scope, "subject", SUBJECT)
        assert here.alias
    assert (row.object, row.purpose, row.consent) == (f"subject:{whose}", "treatment", "consent:c1")
    assert row.stated["count"] == 2
    assert [found["client_id"] for found in nurse.get("sessions").json()["sessions"]] == ["visit-1"]


def test_withheld_it_looks_exactly_like_one_that_is_not_there(north: Any, visit: str):
    for other in (seat(north, purposes=[]), seat(north, purposes=["billing"])):
        nowhere = "6f1d9c1e-0000-4000-8000-000000000000"
        for path in ("sessions/{}", "sessions/{}/lines", "sessions/{}/export"):
            hidden, missing = other.get(path.format(visit)), other.get(path.format(nowhere))
            assert (hidden.status_code, hidden.content) == (404, missing.content)
        assert append(other, visit, SAID).status_code == 404
        assert other.get("sessions").json() == {"count": 0, "sessions": [], "next": None}
        assert visit.encode() not in other.get("sessions/export").getvalue()


def test_whoever_opened_it_goes_on_writing_to_it_and_reads_it_only_for_a_purpose(ward: Rest, visit: str, nurse: Rest):
    assert opened(ward, "visit-1", **PHI) == visit
    assert appended(ward, visit, SAID)["accepted"] == 0
    assert appended(ward, visit, [*SAID, "better today"])["accepted"] == 1
    assert ward.get(f"sessions/{visit}/lines").status_code == 404
    assert texts(nurse, visit)[2] == "better today"


@pytest.mark.parametrize("end", ["withdraw", "narrow"])
def test_with_its_consent_it_is_withheld_from_the_next_request_on(ward: Rest, visit: str, nurse: Rest, end: str):
    if end == "narrow":
        consent(ward, "consent:c2", purposes=["treatment", "billing"])
        visit = opened(ward, "visit-2", **PHI | {"consent": "consent:c2"})
        appended(ward, visit, ["hello"])
    assert nurse.get(f"sessions/{visit}/lines").status_code == 200
    body = {"purposes": ["billing"]} if end == "narrow" else {}
    name = "consent:c2" if end == "narrow" else "consent:c1"
    assert ward.post(f"consents/{name}/{end}", body).status_code == 200
    assert nurse.get(f"sessions/{visit}/lines").status_code == 404


@pytest.mark.parametrize(
    ("changed", "status", "field"),
    [
        ({"consent": "consent:nowhere"}, 422, "consent"),
        ({"subject": "patient:other"}, 422, "consent"),
        ({"consent": None}, 400, "consent"),
        ({"subject": None}, 400, "subject"),
        ({"classification": "PII"}, 400, "subject"),
    ],
)
def test_it_names_a_consent_of_its_subject(ward: Rest, changed: dict[str, Any], status: int, field: str):
    answer = ward.post("sessions", {"client_id": "visit-1"} | PHI | changed)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (status, field)


def test_what_a_client_id_was_opened_as_stays(ward: Rest, visit: str):
    plain = opened(ward, "plain")
    for client_id, body, field in [
        ("visit-1", {}, "classification"),
        ("plain", PHI, "classification"),
        ("visit-1", PHI | {"subject": "patient:other"}, "subject"),
    ]:
        answer = ward.post("sessions", {"client_id": client_id} | body)
        assert (answer.status_code, answer.json()["code"]) == (409, "session_differs")
        assert answer.json()["errors"][0]["field"] == field
    assert opened(ward, "plain") == plain


def test_who_governs_is_told_that_it_is_withheld_and_no_word_of_it(trio: Trio):
    writer = seat(trio.space)
    consent(writer)
    session = opened(writer, "visit-1", **PHI)
    appended(writer, session, SAID)
    owner, teammate = person(trio, "owner"), person(trio, "teammate")

    answer = owner.get("sessions", scope="shared")
    withheld = {"classification": "PHI", "subject": SUBJECT, "consent": "consent:c1", "scope": "shared"}
    assert answer.json()["withheld"] == [withheld | {"line_count": 2}]
    assert answer.json()["sessions"] == []
    assert WORD.encode() not in answer.content
    assert acts(trio.space, "phi.list_withheld")[0].stated == {"count": 1}
    assert "withheld" not in teammate.get("sessions", scope="shared").json()
    released = teammate.get("sessions", scope="shared", purpose="treatment").json()["sessions"]
    assert [found["id"] for found in released] == [session]


def test_an_emergency_release_opens_it_to_that_person(trio: Trio):
    writer = seat(trio.space)
    consent(writer)
    session = opened(writer, "visit-1", **PHI)
    appended(writer, session, SAID)
    owner = person(trio, "owner")
    assert owner.get(f"sessions/{session}/lines", scope="shared").status_code == 404
    with entered(trio.space):
        found = Session.objects.get()
        EmergencyRelease.objects.create(
            scope=found.scope, subject=found.subject, person=trio.owner.pk, reason="an emergency", begins_at=now(),
            ends_at=now().replace(year=now().year + 1),
        )  # fmt: skip
    assert len(texts(owner, session, scope="shared")) == 2
    assert acts(trio.space, "phi.read")[-1].stated["break_glass"] is True


def test_revealing_passes_the_gate_first(trio: Trio):
    writer = seat(trio.space)
    consent(writer)
    session = opened(writer, "visit-1", **PHI)
    appended(writer, session, SAID)
    owner = person(trio, "owner")
    path, reason = f"sessions/{session}/lines/1/reveal", {"reason": "to rotate it"}
    assert owner.post(path, reason, query={"scope": "shared"}).status_code == 404
    answer = owner.post(path, reason, query={"scope": "shared", "purpose": "treatment"})
    assert answer.json()["text"] == "the password is vK9-tulip-Qz41"


def test_what_distils_reads_it_masked_as_any_other(north: Any, visit: str):
    with entered(north):
        found = internal_lines(Session.objects.select_related("key").get(pk=visit), 0, 1)
    assert [(each.speaker, each.text) for each in found] == [
        ("Ana", f"the {WORD} is back"),
        (WORD, "the password is [secret: password]"),
    ]


def test_a_line_moved_to_another_place_does_not_open(north: Any, ward: Rest, visit: str, nurse: Rest):
    with entered(north):
        first, second = SessionLine.objects.filter(session=visit).order_by("index")
        SessionLine.objects.filter(session=visit, index=1).update(sealed=first.sealed)
        assert second.sealed != first.sealed
    assert texts(nurse, visit) == [f"the {WORD} is back"]
