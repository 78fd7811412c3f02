"""Whatever happens to a file: nothing crashes, and lines that are whole arrive."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.sessions.transcripts import NotATranscript, Tally, TranscriptLine, read_transcripts
from memory.sessions.transcripts.records import records
from tests.sessions.transcripts.builders import (
    Reading,
    call,
    chatgpt,
    chatgpt_node,
    claude,
    codex_message,
    jsonl,
    result,
    rollout,
    text,
    zipped,
)

COUNT = 12
CLAUDE = [
    claude("assistant", f"a{n}", None, [text(f"Word {n}."), call(f"t{n}", command=f"run {n}")], n) for n in range(COUNT)
] + [claude("user", f"r{n}", f"a{n}", [result(f"t{n}", f"ran {n}")], n) for n in range(COUNT)]
CODEX = [rollout("session_meta", id="roll")] + [
    rollout("response_item", n, **codex_message("user", f"Word {n}.")) for n in range(COUNT)
]
PLAIN = [{"role": "user", "content": f"Word {n}.", "at": n} for n in range(COUNT)]
CHATS = [chatgpt(f"c{n}", [chatgpt_node(f"n{n}", "root", "user", [f"Word {n}."])], f"n{n}") for n in range(COUNT)]
SAMPLES = [jsonl(*CLAUDE), jsonl(*CODEX), jsonl(*PLAIN), json.dumps(CHATS).encode()]
SAMPLES += [zipped({str(n): sample for n, sample in enumerate(SAMPLES)}), SAMPLES[2].decode().encode("utf-16")]


def read(data: bytes) -> Reading | None:
    try:
        return Reading(data)
    except NotATranscript:
        return None


def check(line: TranscriptLine):
    """What the store relies on for each line, wherever it came from."""
    assert line.role in {"user", "assistant", "system", "tool"}
    assert line.text.strip()
    assert 0 < len(line.key) < 250
    assert line.at is None or line.at.utcoffset().total_seconds() == 0
    assert "\0" not in json.dumps([line.key, line.speaker, line.text, line.more], ensure_ascii=False)
    json.dumps([line.key, line.speaker, line.text, line.more], ensure_ascii=False).encode()
    assert len(json.dumps(line.more)) < 2_500


@pytest.mark.parametrize("sample", range(len(SAMPLES)))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_mutated_bytes_never_crash(sample, data):
    mutated = bytearray(SAMPLES[sample])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(mutated) - 1))
        if data.draw(st.booleans()):
            mutated[at] = data.draw(st.integers(0, 255))
        else:
            del mutated[at : at + data.draw(st.integers(1, 40))]
    found = read(bytes(mutated))
    for line in found.lines if found else []:
        check(line)


@pytest.mark.parametrize("sample", [0, 1, 2])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_good_lines_outside_of_broken_ones_arrive(sample, data):
    lines = SAMPLES[sample].splitlines(keepends=True)
    broken = data.draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=len(lines) - 2))
    rubbish = st.binary(max_size=30).map(lambda part: part.replace(b"\n", b"?"))
    torn = [
        (b"?" + data.draw(rubbish) + b'{"' + line[1 : len(line) // 2] + b"\n") if number in broken else line
        for number, line in enumerate(lines)
    ]
    whole = Reading(b"".join(line for number, line in enumerate(lines) if number not in broken))
    found = Reading(b"".join(torn))
    assert found.texts == whole.texts
    assert {number for number, _ in found.broken} == {number + 1 for number in broken}


@settings(max_examples=40, deadline=None)
@given(st.sets(st.integers(0, COUNT - 1), max_size=COUNT - 1), st.sampled_from([b"\xff", b"\\q", b"\x00", b"\\ud8"]))
def test_good_conversations_beside_broken_ones_arrive(broken, fault):
    parts = [json.dumps(chat).encode() for chat in CHATS]
    for number in broken:
        parts[number] = parts[number].replace(b"Word", fault)
    found = Reading(b"[" + b",\n".join(parts) + b"]")
    assert found.texts == [f"Word {n}." for n in range(COUNT) if n not in broken]
    assert {number for number, _ in found.broken} == {number + 1 for number in broken}


STRANGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("\ud800\0"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "text", "content", "role", "id", "name", "input", "parts", "author", "message", "mapping", "parent"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("sample", [CLAUDE[0], CLAUDE[-1], CODEX[0], CODEX[1], PLAIN[0], CHATS[0]])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_wrong_types_anywhere_never_crash(sample, data):
    value = json.loads(json.dumps(sample))
    for _ in range(data.draw(st.integers(1, 3))):
        holder = value
        while True:
            key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
            inner = holder[key]
            if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
                break
            holder = inner
        holder[key] = data.draw(STRANGE)
    found = read(jsonl(value, sample))
    for line in found.lines if found else []:
        check(line)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data):
    read(data)


VALUES = st.text(max_size=20) | st.lists(st.integers(), max_size=3)


@given(st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=8), st.sampled_from([None, 1]))
def test_a_list_is_cut_where_json_cuts_it(values, indent):
    data = json.dumps(values, indent=indent, ensure_ascii=False).encode(errors="replace")
    if not values:
        return
    assert [json.loads(record.raw) for record in records(io.BytesIO(data))] == json.loads(data)


def test_a_list_is_cut_the_same_whatever_falls_on_the_edge_of_what_is_read_at_once():
    edge = 1 << 18
    for shift in range(-6, 7):
        values = [{"a": "x" * (edge - 20 + shift) + '\\"{[' * 5}, {"b": '\\\\"' * 7}]
        data = json.dumps(values).encode()
        assert [json.loads(record.raw) for record in records(io.BytesIO(data))] == values


def test_a_session_whose_lines_are_not_read_does_not_disturb_the_next():
    data = zipped({"a": SAMPLES[0], "b": SAMPLES[1]})
    assert [session.client_id for session in read_transcripts(io.BytesIO(data), "x", Tally())][1] == "roll"
