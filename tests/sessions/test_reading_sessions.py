"""Lists of sessions and pages of lines, as an owner, a teammate and a stranger see them."""

import itertools

import pytest

from common.times import now
from memory.sessions.models import Session
from memory.sessions.opening import lines_of as internal_lines
from spaces.databases.entering import entered
from spaces.models import Space
from tests.actors import Trio, make_scope
from tests.rest.client import Rest, seat
from tests.sessions.conftest import append, appended, line, lines_of, opened, person, texts


def listed(rest: Rest, **query: object) -> list[str]:
    """The client ids of all pages."""
    found: list[str] = []
    cursor = None
    while True:
        answer = rest.get("sessions", cursor=cursor, **query)
        assert answer.status_code == 200, answer.content
        found += [session["client_id"] for session in answer.json()["sessions"]]
        cursor = answer.json()["next"]
        if cursor is None:
            return found


def test_sessions_come_with_the_newest_activity_first_whatever_the_size_of_a_page(rest: Rest):
    ids = {name: opened(rest, name) for name in "abcdef"}
    for name in "dbea":
        appended(rest, ids[name], ["hello"])
    expected = [*sorted("cf", key=lambda name: ids[name]), *"aebd"]
    for limit in (1, 2, 4, 50):
        assert listed(rest, limit=limit) == expected


@pytest.mark.parametrize("cursor", ["x", "", "AAAA"])
def test_a_broken_cursor_is_refused_by_name(rest: Rest, cursor: str):
    answer = rest.get("sessions", cursor=cursor)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cursor")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("sessions", {"limit": 0}),
        ("sessions", {"limit": "x"}),
        ("{}/lines", {"from_index": -1}),
        ("{}/lines", {"to": 1}),
    ],
)
def test_a_query_that_is_not_right_is_refused_by_name(rest: Rest, session: str, path: str, query: dict[str, str]):
    answer = rest.get(path.format(f"sessions/{session}"), **query)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, next(iter(query)))


def test_pages_of_lines_follow_each_other(rest: Rest, session: str):
    appended(rest, session, [f"line {number}" for number in range(7)])
    first = rest.get(f"sessions/{session}/lines", limit=3).json()
    assert ([each["index"] for each in first["lines"]], first["next"]) == ([0, 1, 2], 3)
    last = rest.get(f"sessions/{session}/lines", from_index=3, limit=4).json()
    assert ([each["index"] for each in last["lines"]], last["next"]) == ([3, 4, 5, 6], None)
    assert rest.get(f"sessions/{session}/lines", from_index=7).json() == {"lines": [], "next": None}


def test_a_page_of_very_long_lines_ends_sooner(rest: Rest, session: str):
    for start in range(0, 30, 15):
        appended(rest, session, [f"{number} " + "word " * 39_990 for number in range(start, start + 15)], start)
    page = rest.get(f"sessions/{session}/lines", limit=1_000)
    assert len(page.content) < 5_000_000
    assert page.json()["next"] is not None
    assert len(lines_of(rest, session)) == 30


def test_an_owner_a_teammate_and_a_stranger(trio: Trio):
    own, shared = make_scope(trio.space, "teammate", trio.teammate), trio.space.scopes.get(name="shared")
    sessions = {}
    for scope in (own, shared):
        writer = seat(trio.space, scope=scope)
        sessions[scope.name] = opened(writer, f"of {scope.name}")
        appended(writer, sessions[scope.name], [f"said in {scope.name}"])
    make_scope(trio.space, "owner", trio.owner)

    for who in ("owner", "teammate"):
        reader = person(trio, who)
        for name, session in sessions.items():
            assert listed(reader, scope=name) == [f"of {name}"]
            assert texts(reader, session, scope=name) == [f"said in {name}"]
            other = "shared" if name == "teammate" else "teammate"
            assert reader.get(f"sessions/{session}", scope=other).status_code == 404
        assert sorted(listed(reader, scope="*")) == ["of shared", "of teammate"]
        assert reader.get("sessions").status_code == 400
    assert person(trio, "teammate").get("sessions", scope="owner").status_code == 404

    stranger = person(trio, "stranger")
    for path in ("sessions", f"sessions/{sessions['shared']}/lines"):
        assert stranger.get(path, scope="shared").status_code == 404
    assert append(stranger, sessions["shared"], ["x"], scope="shared").status_code == 404


def test_a_person_may_write_where_they_may_write_facts(trio: Trio):
    teammate = person(trio, "teammate")
    session = opened(teammate, query={"scope": "shared"})
    assert appended(teammate, session, ["typed by hand"], scope="shared")["accepted"] == 1
    trio.space.memberships.filter(user=trio.teammate).update(role="auditor")
    assert append(teammate, session, ["more"], 1, scope="shared").status_code == 403
    assert texts(teammate, session, scope="shared") == ["typed by hand"]


def test_a_seat_needs_the_verbs(north: Space):
    session = opened(seat(north))
    writer, reader = seat(north, verbs=("sessions:write",)), seat(north, verbs=("memory:read",))
    appended(writer, session, ["hello"])
    assert (writer.get("sessions").status_code, append(reader, session, ["x"], 1).status_code) == (403, 403)
    assert texts(reader, session) == ["hello"]


def test_what_distils_reads_the_masked_lines_with_their_times(rest: Rest, north: Space, session: str):
    appended(rest, session, ["the password is vK9-tulip-Qz41", line("done", role="assistant"), "thanks"])
    with entered(north):
        found = internal_lines(Session.objects.get(pk=session), 0, 1, number=4)
    assert [(each.session, each.index, each.role, each.speaker, each.text) for each in found] == [
        (4, 0, "user", "Ana", "the password is [secret: password]"),
        (4, 1, "assistant", "", "done"),
    ]
    assert all(each.at < now() for each in found)


def test_what_distils_reads_long_sessions_to_their_end(rest: Rest, north: Space, session: str):
    for start in range(0, 4_500, 1_500):
        appended(rest, session, [f"line {number}" for number in range(start, start + 1_500)], start)
    with entered(north):
        found = internal_lines(Session.objects.get(pk=session), 10, 10_000)
    assert [each.index for each in found] == list(itertools.islice(itertools.count(10), 4_490))
