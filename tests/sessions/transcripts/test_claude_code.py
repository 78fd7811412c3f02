"""Claude Code transcripts: what was said, on the path that was continued."""

from datetime import UTC, datetime

import pytest

from tests.sessions.transcripts.builders import SESSION, Reading, call, claude, jsonl, minute, result, text


def test_a_conversation_is_read_with_its_session_times_and_keys():
    read = Reading(
        jsonl(
            {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
            claude("user", "u1", None, "Where does the mast stand?", 1),
            claude("assistant", "a1", "u1", [text("On the keel.")], 2),
        )
    )
    (client_id, title, started_at, lines) = read.sessions[0]
    assert (client_id, title, started_at) == (SESSION, "", datetime(2026, 3, 2, 9, 1, tzinfo=UTC))
    assert read.said == [("user", "Where does the mast stand?"), ("assistant", "On the keel.")]
    assert read.keys == ["claude:u1", "claude:a1"]
    assert lines[0].more == {"cwd": "/home/ada/boat", "branch": "keel"}
    assert lines[1].more == {"model": "some-model"}
    assert lines[1].at == datetime(2026, 3, 2, 9, 2, tzinfo=UTC)
    assert read.tally.skipped == {"file-history-snapshot": 1}
    assert read.broken == []


def test_the_conversation_is_the_path_to_the_newest_leaf():
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Paint the hull.", 1),
            claude("assistant", "a1", "u1", [text("Which colour?")], 2),
            claude("user", "u2", "a1", "Red.", 3),
            claude("assistant", "a2", "u2", [text("Red it is.")], 4),
            claude("user", "u3", "a1", "Blue, rather.", 5),
            claude("assistant", "a3", "u3", [text("Blue it is.")], 6),
        )
    )
    assert read.texts == ["Paint the hull.", "Which colour?", "Blue, rather.", "Blue it is."]
    assert read.tally.skipped == {"abandoned branch": 2}


def test_the_newest_leaf_is_newest_in_time_not_in_the_file():
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Start.", 1),
            claude("user", "u3", "u1", "Later branch.", 9),
            claude("user", "u2", "u1", "Earlier branch.", 5),
        )
    )
    assert read.texts == ["Start.", "Later branch."]


def test_lines_of_other_types_link_the_path_and_are_counted():
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Go.", 1),
            {"type": "progress", "uuid": "p1", "parentUuid": "u1", "sessionId": SESSION, "timestamp": minute(2)},
            {"type": "attachment", "uuid": "p2", "parentUuid": "p1", "sessionId": SESSION, "timestamp": minute(2)},
            claude("assistant", "a1", "p2", [text("Gone.")], 3),
            {"type": "brand-new", "sessionId": SESSION},
        )
    )
    assert read.texts == ["Go.", "Gone."]
    assert read.tally.skipped == {"progress": 1, "attachment": 1, "brand-new": 1}


@pytest.mark.parametrize("logical", ["a1", None, "in-another-file"])
def test_a_compaction_does_not_drop_what_was_said_before_it(logical):
    boundary = {
        "type": "system", "subtype": "compact_boundary", "uuid": "s1", "parentUuid": None, "sessionId": SESSION,
        "logicalParentUuid": logical, "timestamp": minute(3), "content": "Conversation compacted",
    }  # fmt: skip
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Before.", 1),
            claude("assistant", "a1", "u1", [text("Indeed.")], 2),
            boundary,
            claude("user", "u2", "s1", "A digest of it all.", 3, isCompactSummary=True),
            claude("user", "u3", "u2", "After.", 4),
        )
    )
    assert read.texts == ["Before.", "Indeed.", "After."]
    assert read.tally.skipped == {"system": 1, "summary": 1}


def test_a_compaction_goes_on_from_where_it_says_not_from_a_branch_given_up():
    boundary = {"type": "system", "uuid": "s1", "parentUuid": None, "sessionId": SESSION, "logicalParentUuid": "a1"}
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Before.", 1),
            claude("assistant", "a1", "u1", [text("Indeed.")], 2),
            claude("user", "u2", "u1", "Given up.", 3),
            boundary,
            claude("user", "u3", "s1", "After.", 4),
        )
    )
    assert read.texts == ["Before.", "Indeed.", "After."]
    assert read.tally.skipped == {"system": 1, "abandoned branch": 1}


def test_a_line_whose_parent_is_elsewhere_begins_a_path():
    read = Reading(
        jsonl(
            claude("user", "u9", "not-here", "Carried on.", 1),
            claude("assistant", "a9", "u9", [text("Yes.")], 2),
            claude("user", "u10", "nor-here", "And on.", 3),
        )
    )
    assert read.texts == ["Carried on.", "Yes.", "And on."]


def test_lines_without_any_parent_are_all_kept():
    read = Reading(jsonl(*[claude("user", f"u{n}", None, f"Word {n}.", n) for n in range(4)]))
    assert read.texts == ["Word 0.", "Word 1.", "Word 2.", "Word 3."]


def test_parents_in_a_circle_end():
    read = Reading(
        jsonl(
            claude("user", "u1", "u2", "One.", 1),
            claude("user", "u2", "u1", "Two.", 2),
            claude("user", "u3", "u3", "Three.", 3),
        )
    )
    assert read.texts == ["One.", "Two.", "Three."]


def test_parallel_calls_and_their_results_are_a_line_each():
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Look twice.", 1),
            claude("assistant", "a1", "u1", [call("t1", command="ls")], 2, message_id="m"),
            claude("assistant", "a2", "a1", [call("t2", "Read", path="log")], 3, message_id="m"),
            claude("user", "r1", "a1", [result("t1", "sail")], 4),
            claude("user", "r2", "a2", [result("t2", [text("wind")], is_error=True)], 5),
            claude("assistant", "a3", "r2", [text("Both seen.")], 6),
        )
    )
    assert read.said == [
        ("user", "Look twice."),
        ("tool", 'Bash {"command":"ls"}'),
        ("tool", 'Read {"path":"log"}'),
        ("tool", "sail"),
        ("tool", "wind"),
        ("assistant", "Both seen."),
    ]
    assert read.lines[2].more == {"model": "some-model", "tool": "Read", "call": "t2"}
    assert read.lines[4].more == {"result_of": "t2", "error": True}
    assert read.tally.skipped == {}


def test_results_that_come_before_the_next_call_are_all_there():
    read = Reading(
        jsonl(
            claude("assistant", "a1", None, [call("t1", command="1")], 1, message_id="m"),
            claude("user", "r1", "a1", [result("t1", "one")], 2),
            claude("assistant", "a2", "a1", [call("t2", command="2")], 3, message_id="m"),
            claude("user", "r2", "a2", [result("t2", "two")], 4),
            claude("assistant", "a3", "r1", [text("Done.")], 5),
        )
    )
    assert sorted(read.texts[:-1]) == ['Bash {"command":"1"}', 'Bash {"command":"2"}', "one", "two"]
    assert read.texts.index("two") > read.texts.index('Bash {"command":"2"}')
    assert read.texts[-1] == "Done."


def test_a_call_has_one_result():
    read = Reading(
        jsonl(
            claude("assistant", "a1", None, [call("t1", command="1")], 1, message_id="m"),
            claude("user", "r1", "a1", [result("t1", "one")], 2),
            claude("user", "r2", "a1", [result("t1", "one, on another branch")], 3),
            claude("assistant", "a2", "a1", [text("Done.")], 5),
        )
    )
    assert read.texts == ['Bash {"command":"1"}', "one", "Done."]
    assert read.tally.skipped == {"abandoned branch": 1}


def test_calls_on_a_branch_that_was_given_up_stay_away():
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Try.", 1),
            claude("assistant", "a1", "u1", [call("t1", command="rm sail")], 2),
            claude("user", "r1", "a1", [result("t1", "gone")], 3),
            claude("user", "u2", "u1", "No, do not.", 4),
        )
    )
    assert read.texts == ["Try.", "No, do not."]
    assert read.tally.skipped == {"abandoned branch": 2}


def test_the_last_writing_of_a_message_counts_and_keeps_its_first_key():
    read = Reading(
        jsonl(
            claude("user", "u1", None, "Tell.", 1),
            claude("assistant", "a1", "u1", [text("The knot")], 2, message_id="m"),
            claude("assistant", "a2", "u1", [text("The knot is a bowline.")], 3, message_id="m"),
            claude("assistant", "a3", "a2", [call("t1", command="tie")], 4, message_id="m"),
            claude("assistant", "a4", "a3", [call("t1", command="tie --twice")], 5, message_id="m"),
        )
    )
    assert read.said[1:] == [("assistant", "The knot is a bowline."), ("tool", 'Bash {"command":"tie --twice"}')]
    assert read.keys == ["claude:u1", "claude:a1", "claude:a3"]
    assert read.tally.skipped == {"duplicate": 2}


def test_lines_of_a_message_too_long_to_be_compared_are_each_kept():
    lines = [claude("assistant", f"a{n}", None, [text(f"{n}" * 9_000_000)], n, message_id="m") for n in range(4)]
    assert [words[0] for words in Reading(jsonl(*lines)).texts] == ["0", "1", "2", "3"]


def test_a_second_version_with_other_words_replaces_the_first():
    read = Reading(
        jsonl(
            claude("assistant", "a1", "u0", [text("Draft.")], 2, message_id="m"),
            claude("assistant", "a2", "u0", [text("Final.")], 3, message_id="m"),
        )
    )
    assert read.texts == ["Final."]


def test_blocks_of_one_message_on_lines_of_their_own_come_in_order():
    read = Reading(
        jsonl(
            claude(
                "assistant", "a1", None, [{"type": "thinking", "thinking": "hm", "signature": "x"}], 1, message_id="m"
            ),
            claude("assistant", "a2", "a1", [text("First.")], 2, message_id="m"),
            claude("assistant", "a3", "a2", [call("t1", command="x")], 3, message_id="m"),
            claude("user", "r1", "a3", [result("t1", "done")], 4),
            claude("assistant", "a4", "r1", [text("Second.")], 5, message_id="m"),
        )
    )
    assert read.texts == ["First.", 'Bash {"command":"x"}', "done", "Second."]
    assert read.tally.skipped == {"thinking": 1}


def test_several_blocks_on_one_line_have_keys_of_their_own():
    content = [{"type": "redacted_thinking", "data": "x"}, text("A"), text("B"), call("t1", command="x"), text("C")]
    read = Reading(jsonl(claude("assistant", "a1", None, content)))
    assert read.texts == ["A\nB", 'Bash {"command":"x"}', "C"]
    assert read.keys == ["claude:a1:1", "claude:a1:3", "claude:a1:4"]


def test_reasoning_is_never_read():
    read = Reading(
        jsonl(
            claude("assistant", "a1", None, [{"type": "thinking", "thinking": "secret plan", "signature": "x"}]),
            claude("user", "u1", "a1", "Well?"),
        )
    )
    assert read.texts == ["Well?"]
    assert "secret" not in repr(read.sessions)


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"isMeta": True}, "injected text"),
        ({"isSidechain": True}, "side thread"),
        ({"isCompactSummary": True}, "summary"),
        ({"origin": {"kind": "task-notification"}}, "injected text"),
        ({"origin": {"kind": "coordinator"}}, "injected text"),
    ],
)
def test_what_was_not_said_is_skipped_and_counted(more, kind):
    read = Reading(jsonl(claude("user", "u1", None, "Said."), claude("user", "u2", "u1", "Not said.", 1, **more)))
    assert read.texts == ["Said."]
    assert read.tally.skipped == {kind: 1}


def test_what_a_human_origin_says_is_kept():
    assert Reading(jsonl(claude("user", "u1", None, "Typed.", origin={"kind": "human"}))).texts == ["Typed."]


def test_a_file_of_a_side_thread_holds_nothing_and_is_no_error():
    read = Reading(jsonl(claude("user", "u1", None, "Do this.", isSidechain=True)))
    assert read.sessions == []
    assert read.tally.skipped == {"side thread": 1}


def test_messages_made_up_by_the_program_are_not_the_model_s():
    line = claude("assistant", "a1", "u1", [text("API Error: overloaded")], 1)
    line["message"]["model"] = "<synthetic>"
    assert Reading(jsonl(claude("user", "u1", None, "Hello there."), line)).texts == ["Hello there."]


def test_wrappers_are_stripped_and_an_empty_rest_is_counted():
    reminder = "<system-reminder>Be brief.</system-reminder>"
    read = Reading(
        jsonl(
            claude("user", "u1", None, f"{reminder}Raise the sail."),
            claude("user", "u2", "u1", "<command-name>/clear</command-name><command-args></command-args>", 1),
            claude("user", "u3", "u2", [text(reminder), result("t", f"ok{reminder}")], 2),
        )
    )  # fmt: skip
    assert read.said == [("user", "Raise the sail."), ("tool", "ok")]
    assert read.tally.skipped == {"injected text": 2}


def test_images_are_counted():
    content = [{"type": "image", "source": {"data": "AAAA"}}, text("What is this?")]
    read = Reading(
        jsonl(claude("user", "u1", None, content), claude("user", "u2", "u1", [result("t", content[:1])], 1))
    )
    assert read.texts == ["What is this?"]
    assert read.tally.skipped == {"image": 2, "empty": 1}


def test_long_calls_and_results_are_cut_with_a_note():
    read = Reading(
        jsonl(
            claude("assistant", "a1", None, [call("t1", "Write", text="x" * 9_000)]),
            claude("user", "r1", "a1", [result("t1", "y" * 5_000)], 1),
        )
    )
    assert read.texts[0].endswith("more characters]")
    assert read.texts[1] == "y" * 4_000 + " … [1,000 more characters]"


def test_a_file_of_several_sessions_is_split_and_each_uuid_is_read_once():
    copied = claude("user", "u1", None, "Morning.", 1)
    read = Reading(
        jsonl(
            copied,
            claude("assistant", "a1", "u1", [text("Good morning.")], 2),
            copied | {"sessionId": "resumed"},
            claude("user", "u2", "a1", "Back again.", 3, sessionId="resumed"),
        )
    )
    assert [(session[0], [line.text for line in session[3]]) for session in read.sessions] == [
        (SESSION, ["Morning.", "Good morning."]),
        ("resumed", ["Back again."]),
    ]
    assert read.tally.skipped == {"duplicate": 1}


def test_titles_come_from_the_person_then_the_program():
    said = [claude("user", "u1", None, "Hi, boat.")]
    summary = {"type": "summary", "summary": "Boats", "leafUuid": "u1"}
    other = {"type": "summary", "summary": "Cars", "leafUuid": "of-another-file"}
    given = {"type": "custom-title", "customTitle": "My boat", "sessionId": SESSION}
    guessed = {"type": "ai-title", "aiTitle": "About boats", "sessionId": SESSION}
    assert Reading(jsonl(other, *said)).sessions[0][1] == ""
    assert Reading(jsonl(summary, other, *said)).sessions[0][1] == "Boats"
    assert Reading(jsonl(summary, *said, given, guessed)).sessions[0][1] == "My boat"


def test_lines_without_a_uuid_get_a_key_from_what_came_before():
    def line(words):
        return {
            key: value for key, value in claude("user", "x", None, words).items() if key not in ("uuid", "parentUuid")
        }

    first = Reading(jsonl(line("One."), line("Two."), line("One.")))
    second = Reading(jsonl(line("One."), line("Two."), line("One."), line("Three.")))
    assert first.texts == ["One.", "Two.", "One."]
    assert len(set(first.keys)) == 3
    assert second.keys[:3] == first.keys


def test_a_broken_line_costs_only_itself():
    good = jsonl(claude("user", "u1", None, "One."), claude("user", "u2", "gone", "Three.", 2))
    first, last = good.splitlines(keepends=True)
    read = Reading(
        first + b'{"type": "user", "uuid"\n' + jsonl({"no": "type"}, claude("user", "u9", None, 7)) + last + b'{"ty'
    )
    assert read.texts == ["One.", "Three."]
    assert read.broken == [
        (2, "is not JSON"),
        (3, "is not a Claude Code line"),
        (4, "holds no message"),
        (6, "is not JSON: the file is cut off here"),
    ]
