"""Asking for distillation over REST: as a seat, as the owner, as a teammate and as a stranger."""

import uuid
from typing import Any

import pytest
from kombu.exceptions import OperationalError

from memory.layers import tasks
from memory.layers.models import Distillation
from memory.layers.rules.proposals import DistillerRefused
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope
from tests.layers.told import Plain, Talk, episode, fact, topic
from tests.rest.client import Rest, seat
from tests.sessions.conftest import person

SAID = ["The weir was mended in April", "I live in Porto now"]
SHARED = {"scope": "shared"}


@pytest.fixture
def talk(north: Any) -> Talk:
    talk = Talk(north)
    talk.say(*SAID)
    return talk


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Messages to workers, noted instead of sent."""
    sent: list[Any] = []
    monkeypatch.setattr(tasks.run_distillation, "apply_async", lambda ids, **named: sent.append(ids))
    return sent


def asked(rest: Rest, **body: Any) -> str:
    answer = rest.post("distillations", body)
    assert answer.status_code == 202, answer.content
    return str(answer.json()["id"])


def test_asked_for_it_is_pending_and_then_done_with_its_ranges(talk: Talk, rest: Rest, woken: list[Any]):
    session = str(talk.rows("select id from session")[0][0])
    number = asked(rest)
    assert woken == [(str(talk.space.pk), number)]
    found = rest.get(f"distillations/{number}").json()
    assert (found["status"], found["trigger"], found["ranges"]) == ("pending", "manual", [])
    talk.work(number, Plain(events=episode, concepts=topic("weirs"), facts=fact("Porto")))
    found = rest.get(f"distillations/{number}").json()
    assert (found["status"], found["distiller"], found["attempts"]) == ("done", "extractive", 1)
    assert found["ranges"] == [{"session": session, "from": 0, "to": 1}]
    assert found["outcome"] == {"lines": 2, "fragments": 2, "events": 1, "concepts": 1, "facts": 1}


def test_asked_for_twice_it_is_one(talk: Talk, rest: Rest):
    assert asked(rest) == asked(rest)
    first, again = (rest.post("distillations", {}, Idempotency_Key="once") for _ in range(2))
    assert (first.json(), again["Idempotent-Replayed"]) == (again.json(), "true")


def test_one_session_is_distilled_once_more(talk: Talk, rest: Rest):
    session = str(talk.rows("select id from session")[0][0])
    talk.distilled()
    number = asked(rest, session=session, again=True)
    assert talk.work(number)
    assert [row[0] for row in talk.ledger()] == [0, 1]
    assert rest.get(f"distillations/{number}").json()["session"] == session


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"again": True}, 422, "session"),
        ({"again": "yes"}, 400, "again"),
        ({"session": 7}, 400, "session"),
        ({"session": ""}, 400, "session"),
        ({"session": "nothing"}, 400, "session"),
        ({"whole": True}, 400, "whole"),
    ],
)
def test_bad_input_is_named(rest: Rest, body: dict[str, Any], status: int, field: str):
    answer = rest.post("distillations", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (status, field)


@pytest.mark.parametrize(
    ("query", "field"), [({"state": "odd"}, "state"), ({"limit": 0}, "limit"), ({"before": "x"}, "before")]
)
def test_bad_queries_are_named(rest: Rest, query: dict[str, Any], field: str):
    answer = rest.get("distillations", **query)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


def test_the_list_goes_back_page_by_page(talk: Talk, rest: Rest):
    runs = []
    for number in range(5):
        talk.say(f"The weir was mended in the year {1900 + number}")
        runs.append(str(talk.distilled().pk))
    found, before = [], None
    while True:
        page = rest.get("distillations", limit=2, before=before).json()
        found += [run["id"] for run in page["distillations"]]
        before = page["next"]
        if before is None:
            break
    assert found == runs[::-1]
    assert rest.get("distillations", state="failed").json()["distillations"] == []


def test_a_failed_one_says_why_and_is_tried_again_by_hand(talk: Talk, rest: Rest, woken: list[Any]):
    def refuse(lines: Any) -> None:
        raise DistillerRefused("The model is away.")

    number = asked(rest)
    talk.work(number, Plain(before=refuse))
    found = rest.get(f"distillations/{number}").json()
    assert (found["status"], found["reason"]) == ("failed", "The model is away.")
    assert found["next_try_at"] is not None
    woken.clear()
    answer = rest.post(f"distillations/{number}/retry", {})
    assert (answer.status_code, answer.json()["status"], woken) == (202, "pending", [(str(talk.space.pk), number)])
    assert rest.post(f"distillations/{number}/retry", {}).status_code == 422
    assert talk.work(number)


def test_one_whose_lines_another_waits_for_already_is_not_tried_again(talk: Talk, rest: Rest):
    number = asked(rest)
    talk.update(number, state="failed")
    asked(rest)
    assert rest.post(f"distillations/{number}/retry", {}).status_code == 422


def test_without_a_broker_it_waits(talk: Talk, rest: Rest, monkeypatch: pytest.MonkeyPatch):
    def down(*given: Any, **named: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(tasks.run_distillation, "apply_async", down)
    assert rest.get(f"distillations/{asked(rest)}").json()["status"] == "pending"


def test_undone_it_says_what_went_and_is_not_undone_twice(talk: Talk, rest: Rest):
    number = talk.distilled().pk
    answer = rest.post(f"distillations/{number}/undo", {})
    assert answer.json() == {"id": str(number), "gone": {"proposals": 0, "facts": 0, "reinforced": 0, "memories": 2}}
    assert rest.get(f"distillations/{number}").json()["undone_at"] is not None
    assert rest.post(f"distillations/{number}/undo", {}).status_code == 422


def test_a_run_of_another_scope_is_not_there(talk: Talk, north: Any):
    number, other = talk.distilled().pk, seat(north, scope=make_scope(north, "other"))
    for path in ("distillations/{}", "distillations/{}/retry", "distillations/{}/undo"):
        send = other.get if path.endswith("{}") else lambda each: other.post(each, {})
        hidden, missing = send(path.format(number)), send(path.format(uuid.uuid4()))
        assert (hidden.status_code, hidden.json()) == (404, missing.json())
    assert other.get("distillations", before=str(number)).status_code == 404


def test_a_seat_needs_the_verb(north: Any, talk: Talk):
    reader = seat(north, verbs=("memory:read",))
    number = talk.distilled().pk
    assert reader.get(f"distillations/{number}").status_code == 200
    assert reader.post("distillations", {}).status_code == 403
    writer = seat(north, verbs=("memory:read", "memory:write"))
    assert writer.post("distillations", {}).status_code == 202
    assert writer.post(f"distillations/{number}/undo", {}).status_code == 403
    assert writer.post("proposals/decisions", {"ids": [1], "decision": "approve"}).status_code == 403


def test_the_owner_a_teammate_and_a_stranger(trio: Trio):
    talk = Talk(trio.space)
    talk.settings(review=True)
    talk.say(*SAID)
    run = talk.distilled().pk
    owner, teammate, stranger = (person(trio, who) for who in ("owner", "teammate", "stranger"))
    for reader in (owner, teammate):
        assert reader.get("distillations", **SHARED).json()["distillations"][-1]["id"] == str(run)
        assert len(reader.get("proposals", **SHARED).json()["proposals"]) == 2
        assert reader.post("distillations", {}, query=SHARED).status_code == 202
        assert reader.get("distillations").status_code == 400, "a person names the scope"
    for path in ("distillations", f"distillations/{run}", "proposals"):
        assert stranger.get(path, **SHARED).status_code == 404
    assert stranger.post("distillations", {}, query=SHARED).status_code == 404
    ids = [row["id"] for row in owner.get("proposals", **SHARED).json()["proposals"]]
    decision = {"ids": ids, "decision": "approve"}
    for path, body in (("proposals/decisions", decision), (f"distillations/{run}/undo", {})):
        assert stranger.post(path, body, query=SHARED).status_code == 404
    assert teammate.post("proposals/decisions", decision, query=SHARED).json() == {"decided": 2}
    assert owner.post(f"distillations/{run}/undo", {}, query=SHARED).json()["gone"]["memories"] == 2
    with entered(trio.space):
        assert Distillation.objects.get(pk=run).undone_by == f"person:{trio.owner.pk}"
