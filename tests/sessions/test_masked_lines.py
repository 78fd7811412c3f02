"""A secret that somebody said stands nowhere in clear; whoever may see it says why, and that is on record."""

import logging
from typing import Any

import pytest

from audit.models import AuditRow
from memory.sessions.models import SessionLine
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope, make_seat_token
from tests.rest.client import Rest, bearer, seat
from tests.sessions.conftest import append, appended, line, lines_of, opened, person, texts
from tests.sessions.everywhere import tables_with

PASSWORD = "vK9-tulip-Qz41"
KEY = "AKIA" + "QW3RTYEXMPLE7890"


def rows(space: Any, act: str) -> list[AuditRow]:
    return list(AuditRow.objects.using(alias_of(space.pk)).filter(act=act).order_by("sequence"))


def test_a_secret_is_masked_and_told_of_by_kind(rest: Rest, session: str):
    answer = appended(rest, session, [f"the password is {PASSWORD}", f"and the key {KEY} too"])
    assert sum(answer["masked"].values()) == 2
    first, second = texts(rest, session)
    assert first == "the password is [secret: password]"
    assert KEY not in second
    assert "[secret: " in second


def test_a_line_that_answers_what_was_asked_is_masked_whether_it_comes_with_the_question_or_alone(rest: Rest):
    asked, answered = line("What is the password for the wifi?", role="assistant"), line("vK9-tulip-Qz41")
    together, apart = opened(rest, "together"), opened(rest, "apart")
    appended(rest, together, [asked, answered])
    appended(rest, apart, [asked])
    appended(rest, apart, [answered], 1)
    assert texts(rest, together) == texts(rest, apart)
    assert PASSWORD not in texts(rest, apart)[1]


def test_a_secret_stands_nowhere_in_clear(rest: Rest, north: Any, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    session = opened(rest, title=f"the password is {PASSWORD}")
    appended(
        rest,
        session,
        [
            line(f"my password is {PASSWORD}", speaker=f"password={PASSWORD}"),
            line("hello", note=f"the password is {PASSWORD}", login={"password": PASSWORD, "tries": [KEY]}),
            line(f"run --password {PASSWORD} {KEY}", role="tool"),
        ],
    )
    assert append(rest, session, [f"my password is {PASSWORD}"]).status_code == 409
    assert append(rest, session, [f"my password is {PASSWORD}"], 9).status_code == 409
    assert tables_with(north, "hello") == {"session_line"}
    assert tables_with(north, PASSWORD, KEY, "tulip") == set()
    shown = [rest.get(path).getvalue() for path in ("sessions", f"sessions/{session}", f"sessions/{session}/lines")]
    shown += [rest.get(f"sessions/{session}/export").getvalue(), rest.get("sessions/export").getvalue()]
    for content in shown:
        assert PASSWORD.encode() not in content
        assert KEY.encode() not in content
    assert PASSWORD not in caplog.text


def test_a_line_without_a_secret_is_kept_as_it_is_and_not_sealed(rest: Rest, north: Any, session: str):
    said = "Grüße — the password was wrong, so I reset it.\n\ttabs\u00a0stay"
    appended(rest, session, [said])
    assert texts(rest, session) == [said]
    with entered(north):
        assert SessionLine.objects.get(session=session).sealed is None


def test_words_of_tools_are_not_searched_and_those_of_others_are(rest: Rest, north: Any, session: str):
    appended(rest, session, ["We hiked along the ridges", line("hiking.log 12 kB", role="tool")])
    with entered(north):
        said, tool = SessionLine.objects.filter(session=session).order_by("index").values_list("search", flat=True)
    assert ":hike'" in said
    assert ":ridg'" in said
    assert ":the'" not in said
    assert tool is None


@pytest.fixture
def told(trio: Trio) -> str:
    """A session of the teammate's own scope with a secret in its first line."""
    scope = make_scope(trio.space, "teammate", trio.teammate)
    writer = seat(trio.space, scope=scope)
    session = opened(writer)
    appended(writer, session, [line(f"the password is {PASSWORD}", pin={"pin": PASSWORD}), "nothing more"])
    return session


def reveal(rest: Rest, session: str, index: Any = 0, scope: str | None = "teammate", **body: Any) -> Any:
    query = {"scope": scope} if scope else None
    return rest.post(f"sessions/{session}/lines/{index}/reveal", body or {"reason": "rotating it"}, query=query)


@pytest.mark.parametrize("who", ["owner", "teammate"])
def test_the_scopes_own_person_and_governors_see_what_was_said_and_it_is_on_record(trio: Trio, told: str, who: str):
    answer = reveal(person(trio, who), told)
    assert answer.status_code == 200
    assert answer.json() == {
        "index": 0,
        "speaker": "Ana",
        "text": f"the password is {PASSWORD}",
        "more": {"pin": {"pin": PASSWORD}},
    }
    (row,) = rows(trio.space, "session.reveal")
    assert (row.object, row.stated["index"], row.stated["reason"]) == (f"session:{told}", 0, "rotating it")
    assert row.actor_id == str(getattr(trio, who).pk)


def test_nobody_else_does_and_cannot_tell_that_it_is_there(trio: Trio, told: str):
    scope = trio.space.scopes.get(name="teammate")
    seats = [bearer(make_seat_token(trio.space, scope=scope)), seat(trio.space, verbs=("cross_tenant", "memory:read"))]
    answers = [reveal(each, told) for each in seats]
    answers.append(reveal(person(trio, "stranger"), told))
    trio.space.memberships.filter(user=trio.owner).update(role="auditor")
    answers.append(reveal(person(trio, "owner"), told))
    assert [answer.status_code for answer in answers] == [404] * 4
    assert rows(trio.space, "session.reveal") == []
    missing = reveal(person(trio, "owner"), "6f1d9c1e-0000-4000-8000-000000000000")
    assert answers[3].json() == missing.json()
    assert b"tulip" not in b"".join(answer.content for answer in answers)


def test_a_member_does_not_reveal_what_is_in_a_shared_scope(trio: Trio):
    writer = seat(trio.space)
    session = opened(writer)
    appended(writer, session, [f"the password is {PASSWORD}"])
    assert reveal(person(trio, "teammate"), session, scope="shared").status_code == 404
    assert reveal(person(trio, "owner"), session, scope="shared").status_code == 200


def test_a_reveal_names_a_line_and_a_reason(trio: Trio, told: str):
    owner = person(trio, "owner")
    for body in ({"reason": ""}, {"reason": 3}, {"why": "because"}):
        answer = reveal(owner, told, **body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) in {(400, "reason"), (400, "why")}
    assert [reveal(owner, told, index).status_code for index in (2, "x", "-1", 99999999999)] == [404] * 4
    assert reveal(owner, told, 1).json()["text"] == "nothing more"


def test_reading_lines_is_on_record_where_a_person_reads_and_not_where_a_seat_reads_its_own(trio: Trio, told: str):
    writer = seat(trio.space, scope=trio.space.scopes.get(name="teammate"))
    before = AuditRow.objects.using(alias_of(trio.space.pk)).count()
    lines_of(writer, told)
    assert AuditRow.objects.using(alias_of(trio.space.pk)).count() == before
    lines_of(person(trio, "owner"), told, scope="teammate")
    assert [(row.object, row.stated["count"]) for row in rows(trio.space, "session.read")] == [(f"session:{told}", 2)]
    assert len(rows(trio.space, "memory.read_other")) == 1


def test_what_is_written_is_on_record_without_a_word_of_it(rest: Rest, north: Any, session: str):
    appended(rest, session, ["a tamarind tree", "another"])
    (row,) = rows(north, "session.append")
    assert (row.object, row.stated) == (f"session:{session}", {"count": 2})
    assert tables_with(north, "tamarind") == {"session_line"}
