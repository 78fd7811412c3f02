"""Several who write to one session at once, and a writer that is cut off."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from memory.sessions import writing
from tests.actors import make_seat_token
from tests.rest.client import Rest, bearer
from tests.sessions.conftest import append, lines_of, opened, texts

pytestmark = pytest.mark.usefixtures("committed_db")
WRITERS = 6


def at_once(calls: list[Any]) -> list[Any]:
    """The answers to calls that are made at the same time."""

    def one(call: Any) -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(one, call) for call in calls]]


@pytest.fixture
def writers(north: Any) -> list[Rest]:
    token = make_seat_token(north)
    return [bearer(token) for _ in range(WRITERS)]


def test_a_client_id_is_opened_once_by_all_of_them(writers: list[Rest]):
    answers = at_once([lambda each=each: each.post("sessions", {"client_id": "one"}) for each in writers])
    assert sorted(answer.status_code for answer in answers) == [200] * (WRITERS - 1) + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_the_same_lines_sent_at_once_are_there_once(writers: list[Rest]):
    session = opened(writers[0])
    said = [f"line {number}" for number in range(50)]
    answers = at_once([lambda each=each: append(each, session, said) for each in writers])
    assert [answer.json()["next_index"] for answer in answers] == [50] * WRITERS
    assert sum(answer.json()["accepted"] for answer in answers) == 50
    assert texts(writers[0], session) == said


def test_of_different_lines_at_one_index_one_wins_and_the_others_hear_where_to_go_on(writers: list[Rest]):
    session = opened(writers[0])
    answers = at_once(
        [lambda n=n, each=each: append(each, session, [f"from writer {n}"]) for n, each in enumerate(writers)]
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * (WRITERS - 1)
    for answer in answers:
        if answer.status_code == 409:
            assert (answer.json()["code"], answer.json()["expected_index"]) == ("line_differs", 1)
    assert len(lines_of(writers[0], session)) == 1


def test_writers_who_take_turns_lose_and_double_nothing(writers: list[Rest]):
    """Each adds its own ten lines, going on from where the refusal says."""
    session = opened(writers[0])

    def write(rest: Rest, name: int) -> None:
        index = 0
        for number in range(10):
            while True:
                answer = append(rest, session, [f"{name}:{number}"], index)
                if answer.status_code == 200:
                    index = answer.json()["next_index"]
                    break
                index = answer.json()["expected_index"]

    at_once([lambda n=n, each=each: write(each, n) for n, each in enumerate(writers[:3])])
    found = texts(writers[0], session)
    assert sorted(found) == sorted(f"{name}:{number}" for name in range(3) for number in range(10))
    for name in range(3):
        assert [text for text in found if text.startswith(f"{name}:")] == [f"{name}:{n}" for n in range(10)]


@pytest.mark.parametrize("after", ["copy_lines", "due_by"])
def test_what_was_cut_off_before_its_answer_is_sent_again(
    writers: list[Rest], monkeypatch: pytest.MonkeyPatch, after: str
):
    """Cut off after the rows were written, or after they were committed: either way the resend settles it."""
    session = opened(writers[0])
    real = getattr(writing, after)

    def cut(*given: Any) -> None:
        real(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, after, cut)
    with pytest.raises(KeyboardInterrupt):
        append(writers[0], session, ["one", "two"])
    monkeypatch.undo()
    connections.close_all()
    kept = len(lines_of(writers[0], session))
    assert kept == (0 if after == "copy_lines" else 2)
    assert append(writers[0], session, ["one", "two", "three"]).json()["next_index"] == 3
    assert texts(writers[0], session) == ["one", "two", "three"]
