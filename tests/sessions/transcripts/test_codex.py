"""Codex rollouts, in the present form and the first one."""

import json
from datetime import UTC, datetime
from typing import Any

import zstandard

from tests.sessions.transcripts.builders import Reading, codex_message, jsonl, minute, rollout

META = rollout("session_meta", id="roll-1", timestamp=minute(0), cwd="/home/ada/boat", git={"branch": "keel"})


def test_a_rollout_is_read_from_its_items_and_not_again_from_its_events():
    read = Reading(
        jsonl(
            META,
            rollout("turn_context", model="some-model"),
            rollout("event_msg", 1, of="user_message", message="How deep is it?"),
            rollout("response_item", 1, **codex_message("user", "How deep is it?")),
            rollout("response_item", 2, of="reasoning", encrypted_content="xyz", summary=[]),
            rollout("event_msg", 2, of="agent_message", message="Two metres."),
            rollout("response_item", 3, **codex_message("assistant", "Two metres.")),
            rollout("event_msg", 3, of="token_count"),
        ),
        "r.jsonl",
    )
    (client_id, title, started_at, lines) = read.sessions[0]
    assert (client_id, title, started_at) == ("roll-1", "", datetime(2026, 3, 2, 9, tzinfo=UTC))
    assert read.said == [("user", "How deep is it?"), ("assistant", "Two metres.")]
    assert lines[0].more == {"cwd": "/home/ada/boat", "branch": "keel"}
    assert lines[1].more == {"model": "some-model"}
    assert lines[1].at == datetime(2026, 3, 2, 9, 3, tzinfo=UTC)
    assert read.tally.skipped == {"repeated event": 3, "thinking": 1, "turn_context": 1}


def test_a_rollout_of_events_alone_is_read_from_them():
    read = Reading(
        jsonl(
            META,
            rollout("event_msg", of="user_message", message="Ahoy."),
            rollout("event_msg", of="agent_reasoning", text="hm"),
            rollout("event_msg", of="agent_message", message="Ahoy yourself."),
        )
    )
    assert read.said == [("user", "Ahoy."), ("assistant", "Ahoy yourself.")]
    assert read.tally.skipped == {"thinking": 1}


def test_calls_and_outputs_are_a_line_each():
    items: list[dict[str, Any]] = [
        {"of": "function_call", "name": "shell", "arguments": '{"command": ["ls", "-l"]}', "call_id": "c1"},
        {"of": "function_call_output", "call_id": "c1", "output": '{"output":"sail","metadata":{"exit_code":0}}'},
        {"of": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c2"},
        {"of": "custom_tool_call_output", "call_id": "c2", "output": "Done"},
        {"of": "local_shell_call", "call_id": "c3", "action": {"command": ["pwd"]}},
        {"of": "function_call_output", "call_id": "c3", "output": {"content": "/home", "success": True}},
        {"of": "web_search_call", "id": "w1", "action": {"query": "tides"}},
        {"of": "function_call_output", "call_id": "c4", "output": [{"type": "input_text", "text": "high"}]},
    ]
    read = Reading(jsonl(META, *[rollout("response_item", **item) for item in items]))
    assert read.texts == [
        'shell {"command":["ls","-l"]}', "sail", "apply_patch *** Begin", "Done", 'local_shell {"command":["pwd"]}',
        "/home", 'web_search {"query":"tides"}', "high",
    ]  # fmt: skip
    assert {line.role for line in read.lines} == {"tool"}
    assert read.lines[0].more["call"] == read.lines[1].more["result_of"] == "c1"


def test_boilerplate_is_not_what_was_said():
    boilerplate = [
        ("user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
        ("user", "<user_instructions>\nBe kind.\n</user_instructions>"),
        ("user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"),
        ("developer", "You are careful."),
    ]
    asked = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFix the rudder.\n"
    read = Reading(
        jsonl(META, *[rollout("response_item", **codex_message(*each)) for each in [*boilerplate, ("user", asked)]])
    )
    assert read.said == [("user", "Fix the rudder.")]
    assert read.tally.skipped == {"injected text": 4}


def test_the_first_form_has_no_envelope():
    old = [
        {"id": "old-1", "timestamp": "2025-05-01T08:00:00Z", "instructions": "none", "git": {"branch": "keel"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Tie it."}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "tied"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Tied."}]},
    ]
    read = Reading(jsonl(*old))
    assert read.sessions[0][0] == "old-1"
    assert read.sessions[0][2] == datetime(2025, 5, 1, 8, tzinfo=UTC)
    assert read.texts == ["Tie it.", "shell {}", "tied", "Tied."]
    assert read.tally.skipped == {"state": 1, "thinking": 1}


def test_a_compressed_rollout_is_read_and_a_torn_one_in_part():
    plain = jsonl(META, *[rollout("response_item", n, **codex_message("user", f"Log entry {n}.")) for n in range(50)])
    packed = zstandard.ZstdCompressor().compress(plain)
    assert len(Reading(packed, "r.jsonl.zst").lines) == 50
    frames = b"".join(zstandard.ZstdCompressor().compress(line) for line in plain.splitlines(keepends=True))
    assert len(Reading(frames).lines) == 50
    torn = Reading(frames[:-10])
    assert 45 <= len(torn.lines) < 50


def test_a_compressed_file_that_is_damaged_is_reported():
    noise = jsonl(
        META, *[rollout("response_item", **codex_message("user", f"Entry {n * n}." * 3_000)) for n in range(9)]
    )
    frames = [zstandard.ZstdCompressor(write_checksum=True).compress(line) for line in noise.splitlines(keepends=True)]
    damaged = bytearray(frames[5])
    damaged[-1] ^= 0xFF
    frames[5] = bytes(damaged)
    read = Reading(b"".join(frames))
    assert 3 <= len(read.lines) < 9
    assert (0, "is damaged: only its beginning could be unpacked") in read.broken


def test_a_copied_history_has_the_keys_of_its_original():
    said = [("user", "Plan."), ("assistant", "Planned.")]
    original = Reading(jsonl(META, *[rollout("response_item", 1, **codex_message(*each)) for each in said]))
    copied = [rollout("response_item", 50, **codex_message(*each)) for each in [*said, ("user", "Other.")]]
    fork = Reading(jsonl(rollout("session_meta", 50, id="roll-2"), META, *copied))
    assert fork.sessions[0][0] == "roll-2"
    assert fork.keys[:2] == original.keys
    assert fork.keys[2] not in original.keys


def test_two_rollouts_that_begin_alike_have_different_keys():
    said = rollout("response_item", 1, **codex_message("user", "Go on."))
    assert Reading(jsonl(META, said)).keys != Reading(jsonl(rollout("session_meta", id="roll-2"), said)).keys


def test_a_sub_agent_s_file_is_a_side_thread():
    meta = rollout("session_meta", id="roll-3", source={"subagent": {"thread_spawn": {"parent_thread_id": "roll-1"}}})
    read = Reading(jsonl(meta, META, rollout("response_item", **codex_message("user", "Copied."))))
    assert read.lines == []
    assert read.tally.skipped == {"side thread": 1}


def test_turns_that_were_rolled_back_are_a_branch_given_up():
    def say(role, words):
        return rollout("response_item", **codex_message(role, words))

    back = rollout("event_msg", of="thread_rolled_back", num_turns=1)
    read = Reading(
        jsonl(
            META, say("user", "One."), say("assistant", "Yes."), say("user", "Two."), say("assistant", "No."), back,
            say("user", "Three."), back, back, say("user", "Four."),
        )
    )  # fmt: skip
    assert read.texts == ["Four."]
    assert read.tally.skipped == {"abandoned branch": 5, "repeated event": 3}
    kept = Reading(jsonl(META, say("user", "One."), say("user", "Two."), back, say("user", "Three.")))
    assert kept.texts == ["One.", "Three."]


def test_a_broken_line_is_reported_by_number():
    read = Reading(
        json.dumps(META).encode()
        + b"\nnot json\n"
        + jsonl({"a": 1}, rollout("response_item", **codex_message("user", "Hm.")))
    )
    assert read.texts == ["Hm."]
    assert read.broken == [(2, "is not JSON"), (3, "is not a line of a rollout")]
