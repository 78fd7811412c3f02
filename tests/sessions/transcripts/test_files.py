"""What a file may do to its reader: encodings, lines too long, archives, things that are no transcript."""

import io
import zipfile

import pytest
import zstandard

from memory.sessions.transcripts import NotATranscript, Tally, read_transcripts
from memory.sessions.transcripts.unpacking import Budget
from tests.sessions.transcripts.builders import Reading, chatgpt, chatgpt_node, claude, jsonl, zipped

PLAIN = jsonl({"role": "user", "content": "Grüße, 港"}, {"role": "assistant", "content": "Ja."})


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")],
)
def test_the_usual_encodings_are_read(mark, encoding):
    assert Reading(mark + PLAIN.decode().encode(encoding)).texts == ["Grüße, 港", "Ja."]


def test_a_utf_16_file_with_a_lone_half_or_an_odd_end_loses_that_line_only():
    good = '{"role": "user", "content": "a"}\n'
    lone = '{"role": "user", "content": "\ud800"}\n'
    data = b"\xff\xfe" + (good + lone + good).encode("utf-16-le", "surrogatepass") + b"\n"
    read = Reading(data)
    assert read.texts == ["a", "a"]
    assert read.broken == [(2, "is not valid UTF-8")]


def test_claude_code_is_read_from_every_kind_of_file():
    lines = jsonl(claude("user", "u1", None, "One."), claude("user", "u2", "u1", "Two.", 1))
    for data in (
        b"\xef\xbb\xbf" + lines,
        lines.decode().encode("utf-16"),
        zstandard.ZstdCompressor().compress(lines),
        zipped({"a.jsonl": lines}),
        zipped({"a.zst": zstandard.ZstdCompressor().compress(lines)}),
        lines.replace(b"\n", b"\r\n\r\n"),
    ):
        assert Reading(data).keys == ["claude:u1", "claude:u2"]


def test_a_line_of_more_than_ten_megabytes_is_broken():
    long = b'{"role": "user", "content": "' + b"x" * 10_000_000 + b'"}\n'
    read = Reading(PLAIN + long + PLAIN)
    assert len(read.lines) == 4
    assert read.broken == [(3, "is longer than 10,000,000 bytes")]


def test_a_conversation_that_is_too_long_is_broken_and_the_next_is_read():
    node = chatgpt_node("n1", "root", "user", ["x"])
    good = jsonl(chatgpt("c", [node], "n1")).strip()
    read = Reading(b"[" + good + b', {"title": "' + b"y" * 32_000_000 + b'"}, ' + good + b"]")
    assert len(read.lines) == 2
    assert read.broken == [(2, "is longer than 32,000,000 bytes")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[" * 200_000, "is nested too deep"),
        (b'{"role": "user", "content": "x", "a": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, "is nested too deep"),
        (b'{"role": "user", "content": "x", "n": ' + b"9" * 5_000 + b"}", "holds a number that is too long"),
        (b'{"role": "user", "content": "\xff"}', "is not valid UTF-8"),
        (b"\x00\x00\x00", "is not JSON"),
        (b"5", "is not a JSON object"),
        (b"null", "is not a JSON object"),
    ],
)
def test_a_line_that_cannot_be_parsed_says_why(line, reason):
    read = Reading(PLAIN + line + b"\n" + PLAIN)
    assert len(read.lines) == 4
    assert read.broken == [(3, reason)]


def test_what_json_should_not_hold_is_let_through():
    line = (
        b'{"role": "user", "content": "a\\u0000b\\ud800c", "content2": NaN, "role": "user", "x": Infinity, "at": NaN}\n'
    )
    (said,) = Reading(line).lines
    assert said.text == "a\ufffdb\ufffdc"
    assert said.at is None


def test_arguments_nested_as_deep_as_can_be_parsed_do_no_harm():
    for depth in range(300, 990, 30):
        deep = b'{"a":' * depth + b"1" + b"}" * depth
        line = b'{"role":"user","content":[{"type":"tool_use","name":"t","input":' + deep + b"}]}\n"
        read = Reading(PLAIN + line)
        assert len(read.lines) + len(read.broken) == 3


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"hello\nworld\n", b"[]", b"{}", b'{"a": 1}\n', b"\x89PNG\r\n\x00" * 50, b"[" * 5_000, b"%PDF-1.7",
     zipped({}), zipped({"a.txt": b"hello"}), b"PK\x03\x04 and then nothing", b"PK\x05\x06", b"\x28\xb5\x2f\xfdxxxx",
     b"\xff\xfe", b"\xef\xbb\xbf"],
)  # fmt: skip
def test_what_is_no_transcript_is_refused_with_what_was_expected(data):
    with pytest.raises(NotATranscript, match=r"Expected a ChatGPT export|not a complete zip"):
        Reading(data)


def test_one_good_line_makes_a_transcript():
    assert Reading(b"rubbish\n" * 500 + PLAIN + b"rubbish").tally.broken_total == 501


def test_a_thousand_broken_lines_are_kept_and_all_are_counted():
    read = Reading(PLAIN + b"rubbish\n" * 1_500)
    assert len(read.tally.broken) == 1_000
    assert read.tally.broken_total == 1_500


def test_an_archive_may_hold_every_kind_and_archives():
    files = {
        "a/session.jsonl": jsonl(claude("user", "u1", None, "One.")),
        "b.json": b"[" + jsonl(chatgpt("c", [chatgpt_node("n1", "root", "user", ["Two."])], "n1")) + b"]",
        "../../etc/c.txt": PLAIN + b"rubbish\n",
        "inner.zip": zipped({"d.jsonl": PLAIN + b"rubbish\n"}),
        "readme.md": b"# Read me\n",
    }
    read = Reading(zipped(files), "all.zip")
    assert read.texts == ["One.", "Two.", "Grüße, 港", "Ja.", "Grüße, 港", "Ja."]
    assert [(line.file, line.number) for line in read.tally.broken] == [
        ("../../etc/c.txt", 3),
        ("inner.zip/d.jsonl", 3),
    ]
    assert read.tally.skipped == {"other file": 1}


def test_archives_in_archives_end():
    data = PLAIN
    for _ in range(6):
        data = zipped({"a.jsonl": PLAIN, "deeper.zip": data})
    read = Reading(data)
    assert len(read.lines) == 6
    assert [line.reason for line in read.tally.broken] == ["lies too deep in archives inside archives"]


def test_an_encrypted_entry_is_reported():
    data = bytearray(zipped({"a.jsonl": PLAIN, "b.jsonl": PLAIN}, zipfile.ZIP_STORED))
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(sign) + flags] |= 1
    read = Reading(bytes(data))
    assert len(read.lines) == 2
    assert [(line.file, line.number, line.reason) for line in read.tally.broken] == [("a.jsonl", 1, "is encrypted")]


def test_a_damaged_entry_is_reported_and_read_as_far_as_it_goes():
    data = bytearray(zipped({"a.jsonl": PLAIN, "b.jsonl": PLAIN}, zipfile.ZIP_STORED))
    data[data.find(b"Ja.")] ^= 1
    read = Reading(bytes(data))
    assert "Ja." in read.texts[-1]
    assert read.broken[0] == (1, "is damaged: only its beginning could be unpacked")


def test_a_bomb_is_given_up():
    bomb = zipped({"good.jsonl": PLAIN, "bomb.jsonl": PLAIN + b" " * 40_000_000, "after.jsonl": PLAIN})
    read = Reading(bomb, budget=Budget(unpacked=10_000_000))
    assert len(read.lines) == 2
    assert read.broken == [(0, "unpacks to more than 10,000,000 bytes: the rest was not read")]
    packed = zstandard.ZstdCompressor().compress(PLAIN + b" " * 40_000_000)
    assert Reading(packed, budget=Budget(unpacked=10_000_000)).broken[0][1].startswith("unpacks to more than")


def test_too_many_entries_are_given_up():
    read = Reading(zipped({f"{n}.jsonl": PLAIN for n in range(5)}), budget=Budget(entries=3))
    assert len(read.sessions) == 3
    assert read.broken == [(4, "and those after it were not read: there are too many")]


def test_a_directory_that_claims_to_be_huge_is_not_read():
    data = bytearray(zipped({"a.jsonl": PLAIN}))
    end = data.rfind(b"PK\x05\x06")
    data[end + 12 : end + 16] = (1 << 31).to_bytes(4, "little")
    with pytest.raises(NotATranscript, match="too many entries"):
        Reading(bytes(data))


def test_names_of_entries_are_made_fit_to_show():
    read = Reading(zipped({"a\x07b\u202e.jsonl": PLAIN + b"rubbish"}))
    assert read.tally.broken[0].file == "a\ufffdb\ufffd.jsonl"


def test_progress_rises_to_the_size_of_the_file():
    for data in (
        PLAIN * 2_000,
        jsonl(*[claude("user", f"u{n}", None, "x", n) for n in range(2_000)]),
        zipped({f"{n}.jsonl": PLAIN * 50 for n in range(20)}),
        zstandard.ZstdCompressor().compress(PLAIN * 2_000),
    ):
        told: list[int] = []
        Reading(data, progress=told.append)
        assert told == sorted(set(told))
        assert told[-1] == len(data)


def test_reading_can_be_left_half_way():
    sessions = read_transcripts(io.BytesIO(zipped({"a.jsonl": PLAIN, "b.jsonl": PLAIN})), "x.zip", Tally())
    assert next(sessions).title == "a"
    del sessions
