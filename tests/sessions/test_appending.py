"""Lines are acknowledged exactly: never lost, never doubled, whatever is sent again."""

import itertools
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.times import parse_instant
from memory.sessions.rules.acknowledging import Gap, LineDiffers, already_there
from spaces.models import Space
from tests.rest.client import Rest
from tests.sessions.conftest import AT, append, appended, line, lines_of, opened, texts

TWENTY = [f"sentence number {number}" for number in range(20)]
_names = itertools.count()


def test_a_session_is_opened_once_for_its_client_id(rest: Rest):
    first = rest.post("sessions", {"client_id": "a", "title": "Plans", "started_at": "2026-01-01T10:00:00+01:00"})
    again = rest.post("sessions", {"client_id": "a", "title": "Another title"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    said = {"client_id": "a", "title": "Plans", "started_at": "2026-01-01T09:00:00Z", "line_count": 0, "next_index": 0}
    assert first.json().items() >= said.items()


def test_lines_get_their_indexes_in_the_order_in_which_they_were_sent(rest: Rest, session: str):
    assert appended(rest, session, TWENTY[:3]) == {"next_index": 3, "accepted": 3, "masked": {}}
    assert appended(rest, session, TWENTY[3:5], 3) == {"next_index": 5, "accepted": 2, "masked": {}}
    assert [(each["index"], each["text"]) for each in lines_of(rest, session)] == list(enumerate(TWENTY[:5]))


def test_the_same_lines_again_change_nothing(rest: Rest, session: str):
    appended(rest, session, TWENTY[:5])
    before = lines_of(rest, session)
    for start, end in [(0, 5), (0, 2), (2, 4), (4, 5)]:
        assert appended(rest, session, TWENTY[start:end], start) == {"next_index": 5, "accepted": 0, "masked": {}}
    assert lines_of(rest, session) == before


def test_an_overlap_with_the_same_lines_appends_the_rest(rest: Rest, session: str):
    appended(rest, session, TWENTY[:5])
    assert appended(rest, session, TWENTY[3:8], 3) == {"next_index": 8, "accepted": 3, "masked": {}}
    assert texts(rest, session) == TWENTY[:8]


def test_a_gap_is_refused_with_the_expected_index(rest: Rest, session: str):
    appended(rest, session, TWENTY[:2])
    answer = append(rest, session, TWENTY[3:4], 3)
    assert (answer.status_code, answer.json()["code"], answer.json()["expected_index"]) == (409, "gap", 2)
    assert answer.json()["errors"][0]["field"] == "from_index"
    assert texts(rest, session) == TWENTY[:2]


@pytest.mark.parametrize(
    "other",
    [
        line("something else"),
        line(TWENTY[1], role="assistant", speaker="Ana"),
        line(TWENTY[1], speaker="Ben"),
        line(TWENTY[1], at="2026-03-02T09:00:01Z"),
        line(TWENTY[1], tool="saw"),
    ],
)
def test_another_line_at_a_taken_index_is_refused_and_the_rest_with_it(rest: Rest, session: str, other: Any):
    appended(rest, session, TWENTY[:3])
    answer = append(rest, session, [TWENTY[0], other, TWENTY[2], TWENTY[3]])
    found = answer.json()
    assert (answer.status_code, found["code"], found["expected_index"], found["index"]) == (409, "line_differs", 3, 1)
    assert found["errors"][0]["field"] == "lines.1"
    assert texts(rest, session) == TWENTY[:3]


def test_the_same_time_written_otherwise_is_the_same_line(rest: Rest, session: str):
    appended(rest, session, [line("hello", at="2026-03-02T10:00:00+01:00")])
    assert appended(rest, session, [line("hello", at="2026-03-02T09:00:00.000Z")])["accepted"] == 0


def test_a_line_without_a_time_is_of_the_moment_it_arrives_and_may_be_sent_again(rest: Rest, session: str):
    sent = [{"role": "user", "text": "no clock here"}]
    assert appended(rest, session, sent)["accepted"] == 1
    assert appended(rest, session, sent)["accepted"] == 0
    (found,) = lines_of(rest, session)
    assert found["at"] > AT
    assert found["speaker"] == ""


def test_whatever_else_is_sent_with_a_line_is_kept(rest: Rest, session: str):
    more: dict[str, Any] = {"model": "m-1", "usage": {"words": 12, "parts": [1, 2.5, None, True]}}
    appended(rest, session, [line("hello", **more)])
    assert lines_of(rest, session)[0]["more"] == more


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(0, 19), st.integers(1, 20)), max_size=8),
    st.integers(1, 7),
)
def test_any_sequence_of_overlapping_resends_ends_in_the_same_lines(
    rest: Rest, resends: list[tuple[int, int]], step: int
):
    session = opened(rest, f"resent-{next(_names)}")
    known = 0
    for start in range(0, 20, step):
        for again, length in [(start, step), *resends]:
            answer = append(rest, session, TWENTY[again : again + length], again)
            if again > known:
                assert (answer.status_code, answer.json()["expected_index"]) == (409, known)
            else:
                known = max(known, min(again + length, 20))
                assert answer.json()["next_index"] == known
    assert texts(rest, session) == TWENTY


@given(st.integers(0, 12), st.lists(st.sampled_from([b"a", b"b"]), max_size=8), st.lists(st.sampled_from([b"a", b"b"])))
def test_what_is_there_already_is_told_as_a_model_tells_it(start: int, sent: list[bytes], there: list[bytes]):
    if start > len(there):
        with pytest.raises(Gap):
            already_there(start, sent, len(there), there[start:])
        return
    differing = [n for n, (one, other) in enumerate(zip(sent, there[start:], strict=False)) if one != other]
    if differing:
        with pytest.raises(LineDiffers) as refused:
            already_there(start, sent, len(there), there[start:])
        assert refused.value.index == start + differing[0]
        return
    known = already_there(start, sent, len(there), there[start:])
    assert there + sent[known:] == (
        there + sent if start == len(there) else there[:start] + sent + there[start + len(sent) :]
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "client_id"),
        ({"client_id": ""}, "client_id"),
        ({"client_id": " "}, "client_id"),
        ({"client_id": 7}, "client_id"),
        ({"client_id": "x" * 501}, "client_id"),
        ({"client_id": "a", "title": 3}, "title"),
        ({"client_id": "a", "title": "x" * 501}, "title"),
        ({"client_id": "a", "started_at": "yesterday"}, "started_at"),
        ({"client_id": "a", "started_at": "2026-01-01T10:00:00"}, "started_at"),
        ({"client_id": "a", "classification": "SECRET"}, "classification"),
        ({"client_id": "a", "subject": "patient:1"}, "subject"),
        ({"client_id": "a", "classification": "PHI", "subject": "patient:1"}, "consent"),
        ({"client_id": "a", "classification": "PHI", "consent": "consent:1"}, "subject"),
        ({"client_id": "a", "owner": "me"}, "owner"),
    ],
)
def test_a_session_that_is_not_right_is_refused_by_field(rest: Rest, body: Any, field: str):
    answer = rest.post("sessions", body)
    assert answer.status_code == 400
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert rest.get("sessions").json()["count"] == 0


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"role": "robot"}, "lines.1.role"),
        ({"role": None}, "lines.1.role"),
        ({"text": None}, "lines.1.text"),
        ({"text": ""}, "lines.1.text"),
        ({"text": "x" * 200_001}, "lines.1.text"),
        ({"text": ["x"]}, "lines.1.text"),
        ({"at": "soon"}, "lines.1.at"),
        ({"at": 1772442000}, "lines.1.at"),
        ({"speaker": "x" * 201}, "lines.1.speaker"),
        ({"raw": "x" * 70_000}, "lines.1"),
    ],
)
def test_a_line_that_is_not_right_is_refused_by_field_and_all_with_it(
    rest: Rest, session: str, changed: dict[str, Any], field: str
):
    answer = append(rest, session, [line("fine"), line("also fine") | changed])
    assert answer.status_code == 400
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert texts(rest, session) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"lines": [line("x")]}, "from_index"),
        ({"from_index": -1, "lines": [line("x")]}, "from_index"),
        ({"from_index": 2**31, "lines": [line("x")]}, "from_index"),
        ({"from_index": "0", "lines": [line("x")]}, "from_index"),
        ({"from_index": 0, "lines": []}, "lines"),
        ({"from_index": 0, "lines": "x"}, "lines"),
        ({"from_index": 0}, "lines"),
        ({"from_index": 0, "lines": [{"role": "user", "text": "x"}] * 5_001}, "lines"),
    ],
)
def test_lines_that_are_not_asked_for_rightly_are_refused_by_field(rest: Rest, session: str, body: Any, field: str):
    answer = rest.post(f"sessions/{session}/lines", body)
    assert answer.status_code == 400
    assert field in [error["field"] for error in answer.json()["errors"]]


def test_a_line_of_50_mb_is_refused_and_earlier_lines_stay(rest: Rest, session: str):
    appended(rest, session, ["kept"])
    answer = append(rest, session, ["x" * 50_000_000], 1)
    assert answer.status_code == 413
    assert texts(rest, session) == ["kept"]


@pytest.mark.parametrize("path", ["sessions/nothing", "sessions/6f1d9c1e-0000-4000-8000-000000000000"])
def test_a_session_that_is_not_there_is_404_on_every_route(rest: Rest, path: str):
    answers = [rest.get(path), rest.get(f"{path}/lines"), rest.get(f"{path}/export"), append(rest, path[9:], ["x"])]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert len({answer.json()["detail"] for answer in answers}) == 1


def test_the_tick_is_told_of_new_lines(rest: Rest, north: Space, session: str):
    def minutes_left() -> float:
        due = Space.objects.values_list("next_due_at", flat=True).get(pk=north.pk)
        last = rest.get(f"sessions/{session}").json()["last_line_at"]
        return (due.timestamp() - _seconds(last)) / 60

    appended(rest, session, ["one"])
    assert minutes_left() == pytest.approx(30, abs=0.1)
    appended(rest, session, [f"line {number}" for number in range(198)], 1)
    assert minutes_left() == pytest.approx(30, abs=0.2)
    appended(rest, session, ["the two hundredth"], 199)
    assert minutes_left() == pytest.approx(0.5, abs=0.1)


def _seconds(text: str) -> float:
    return parse_instant(text).timestamp()
