"""Plain JSON Lines, under whatever names the fields have."""

from datetime import UTC, datetime

import pytest

from tests.sessions.transcripts.builders import Reading, jsonl


def test_a_line_is_a_message():
    read = Reading(
        jsonl(
            {"role": "user", "content": "Ahoy.", "timestamp": "2026-03-02T09:00:00+02:00", "speaker": "Ada"},
            {"role": "assistant", "content": "Ahoy, Ada."},
        ),
        "chats/harbour.jsonl",
    )
    assert read.said == [("user", "Ahoy."), ("assistant", "Ahoy, Ada.")]
    assert read.lines[0].speaker == "Ada"
    assert read.sessions[0][:3] == (None, "harbour", datetime(2026, 3, 2, 7, tzinfo=UTC))


@pytest.mark.parametrize(
    ("line", "role", "speaker"),
    [
        ({"role": "human", "text": "x"}, "user", ""),
        ({"from": "gpt", "value": "x"}, "assistant", ""),
        ({"sender": "AI", "message": "x"}, "assistant", ""),
        ({"author": {"role": "system"}, "content": {"parts": ["x"]}}, "system", ""),
        ({"author": "Ada", "text": "x"}, "user", "Ada"),
        ({"speaker": "Ada", "text": "x"}, "user", "Ada"),
        ({"role": "developer", "content": [{"type": "text", "text": "x"}]}, "system", ""),
        ({"role": "user", "name": "Ada", "body": "x"}, "user", "Ada"),
        ({"role": "model", "parts": [{"text": "x"}]}, "assistant", ""),
        ({"role": "tool", "content": "x", "tool_call_id": "c"}, "tool", ""),
    ],
)
def test_fields_may_have_their_common_other_names(line, role, speaker):
    (said,) = Reading(jsonl(line)).lines
    assert (said.role, said.speaker, said.text) == (role, speaker, "x")


@pytest.mark.parametrize(
    "at", ["2026-03-02T09:00:00Z", "2026-03-02 09:00", 1_772_442_000, 1_772_442_000_000, "1772442000", 1_772_442_000.0]
)
@pytest.mark.parametrize("field", ["timestamp", "at", "created_at", "time", "ts"])
def test_times_may_be_written_in_several_ways(field, at):
    (line,) = Reading(jsonl({"role": "user", "content": "x", field: at})).lines
    assert line.at == datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize("at", ["soon", "", -5, 1e300, True, [], {}, "0000-00-00", 10**400, "2026-99-01", "9" * 18])
def test_a_time_that_is_none_leaves_the_line(at):
    (line,) = Reading(jsonl({"role": "user", "content": "x", "at": at})).lines
    assert line.at is None or line.at.tzinfo is UTC


@pytest.mark.parametrize("field", ["session", "session_id", "conversation_id", "thread_id"])
def test_a_session_field_splits_the_file_however_its_lines_are_mixed(field):
    read = Reading(jsonl(*[{"role": "user", "content": str(n), field: "ab"[n % 2]} for n in range(4)]))
    assert [(session[0], [line.text for line in session[3]]) for session in read.sessions] == [
        ("a", ["0", "2"]),
        ("b", ["1", "3"]),
    ]


def test_a_line_may_hold_a_whole_conversation():
    read = Reading(
        jsonl(
            {"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hm."}]},
            {"conversation_id": "z", "conversations": [{"from": "human", "value": "Ho."}, {"from": "gpt", "value": 5}]},
        )
    )
    assert [(session[0], [line.text for line in session[3]]) for session in read.sessions] == [
        (None, ["Be kind.", "Hm."]),
        ("z", ["Ho."]),
    ]
    assert read.broken == [(2, "message 2 has no role and content")]


def test_calls_results_and_reasoning_in_messages():
    calls = [{"id": "c", "type": "function", "function": {"name": "tide", "arguments": '{"at": "noon"}'}}]
    read = Reading(
        jsonl(
            {
                "messages": [
                    {"role": "assistant", "content": None, "tool_calls": calls, "reasoning_content": "private"},
                    {"role": "tool", "tool_call_id": "c", "content": "high"},
                    {"role": "user", "content": [{"type": "image_url"}, {"type": "text", "text": "And?"}]},
                ]
            }
        )
    )
    assert read.said == [("tool", 'tide {"at":"noon"}'), ("tool", "high"), ("user", "And?")]
    assert read.lines[0].more == {"tool": "tide", "call": "c"}
    assert read.tally.skipped == {"thinking": 1, "image": 1}


def test_keys_stay_when_a_file_grows_and_tell_sessions_apart():
    lines = [{"role": "user", "content": words} for words in ("Yes.", "Yes.", "No.")]
    short, long = Reading(jsonl(*lines[:2])), Reading(jsonl(*lines))
    assert long.keys[:2] == short.keys
    assert len(set(long.keys)) == 3
    named = Reading(jsonl(*[{"session": name, "role": "user", "content": "Yes."} for name in "ab"]))
    assert len(set(named.keys)) == 2


def test_a_list_of_messages_is_read_too():
    assert Reading(b'[{"role": "user", "content": "a"},\n {"role": "ai", "content": "b"}]').texts == ["a", "b"]


def test_lines_that_say_nothing_are_broken_or_counted():
    read = Reading(
        jsonl({"role": "user", "content": "x"}, {"role": "user"}, {"content": "y"}, {"role": "user", "content": " "})
    )
    assert read.texts == ["x"]
    assert read.broken == [(2, "has no role and content"), (3, "has no role and content")]
    assert read.tally.skipped == {"empty": 1}
