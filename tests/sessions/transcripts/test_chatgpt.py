"""ChatGPT exports: conversations as trees, in a list that is never held whole."""

import json
import tracemalloc
from datetime import UTC, datetime

from memory.sessions.transcripts import Tally, read_transcripts
from tests.sessions.transcripts.builders import Reading, chatgpt, chatgpt_node, zipped

BOTH = [
    chatgpt_node("n1", "root", "user", ["Which knot holds?"], 1),
    chatgpt_node("n2", "n1", "assistant", ["A bowline."], 2, metadata={"model_slug": "some-model"}),
]


def export(*conversations, **options):
    return json.dumps(conversations, **options).encode()


def test_a_conversation_is_read_with_its_id_title_and_times():
    read = Reading(export(chatgpt("c1", BOTH, "n2")))
    (client_id, title, started_at, lines) = read.sessions[0]
    assert (client_id, title) == ("c1", "Knots")
    assert started_at == datetime(2025, 12, 29, 9, 20, 0, 500_000, tzinfo=UTC)
    assert read.said == [("user", "Which knot holds?"), ("assistant", "A bowline.")]
    assert read.keys == ["chatgpt:message-n1", "chatgpt:message-n2"]
    assert lines[1].more == {"model": "some-model"}
    assert lines[1].at == datetime(2025, 12, 29, 9, 20, 2, tzinfo=UTC)


def test_the_conversation_leads_from_the_root_to_the_current_node():
    edited = chatgpt_node("n3", "root", "user", ["Which hitch holds?"], 3)
    read = Reading(export(chatgpt("c1", [*BOTH, edited], "n3")))
    assert read.texts == ["Which hitch holds?"]
    assert read.tally.skipped == {"abandoned branch": 2}


def test_without_a_current_node_the_newest_message_is_the_end():
    edited = chatgpt_node("n3", "root", "user", ["Late."], 9)
    assert Reading(export(chatgpt("c1", [edited, *BOTH], None))).texts == ["Late."]
    assert Reading(export(chatgpt("c1", [edited, *BOTH], "gone"))).texts == ["Late."]


def test_parents_in_a_circle_end():
    circle = [chatgpt_node("n1", "n2", "user", ["A."]), chatgpt_node("n2", "n1", "user", ["B."])]
    assert Reading(export(chatgpt("c1", circle, "n2"))).texts == ["A.", "B."]


def test_every_kind_of_content_is_read_or_counted():
    def content(identity, parent, role, kind, **more):
        return chatgpt_node(identity, parent, role, None, content={"content_type": kind} | more)

    image = {"content_type": "image_asset_pointer"}
    spoken = {"content_type": "audio_transcription", "text": "Say."}
    python = content("n4", "n3", "assistant", "code", text="print(1)")
    python["message"]["recipient"] = "python"
    ran = content("n5", "n4", "tool", "execution_output", text="1")
    ran["message"]["author"]["name"] = "python"
    nodes = [
        content("n1", "root", "system", "text", parts=[""]),
        content("n2", "n1", "user", "multimodal_text", parts=["", image, "What is it?", spoken]),
        content("n3", "n2", "assistant", "thoughts", thoughts=[{"content": "private"}]),
        python,
        ran,
        content("n6", "n5", "assistant", "reasoning_recap", content="Thought for 3 s"),
        chatgpt_node("n7", "n6", "user", ["Hidden."], metadata={"is_visually_hidden_from_conversation": True}),
        content("n8", "n7", "user", "user_editable_context", user_profile="p"),
        content("n9", "n8", "assistant", "text", parts=["One.", "Two."]),
    ]
    read = Reading(export(chatgpt("c1", nodes, "n9")))
    assert read.said == [
        ("user", "What is it?\nSay."),
        ("tool", "python print(1)"),
        ("tool", "1"),
        ("assistant", "One.\nTwo."),
    ]
    assert read.lines[2].more == {"tool": "python"}
    assert read.tally.skipped == {"image": 1, "thinking": 2, "injected text": 2}
    assert "private" not in repr(read.sessions)


def test_a_fault_in_one_conversation_costs_only_that_one():
    good = [
        json.dumps(chatgpt(f"c{n}", [chatgpt_node(f"n{n}", "root", "user", [f"Say {n}."])], f"n{n}")) for n in range(4)
    ]
    good[1] = good[1].replace("Say 1.", "Say \\q1.")
    whole = f'[{", ".join(good)}, {{"id": 3}}, 5, [1]]'.encode()
    read = Reading(whole.replace(b"Say 2.", b"Say \xff2."))
    assert read.texts == ["Say 0.", "Say 3."]
    assert read.broken == [
        (2, "is not JSON"),
        (3, "is not valid UTF-8"),
        (5, "is not a conversation"),
        (6, "is not a JSON object"),
    ]


def test_a_torn_export_is_read_up_to_the_tear():
    whole = export(*[chatgpt(f"c{n}", BOTH, "n2") for n in range(3)])
    read = Reading(whole[:-200])
    assert [session[0] for session in read.sessions] == ["c0", "c1"]
    assert read.broken == [(3, "is cut off, or damaged so that its end can't be found")]


def test_an_export_may_be_indented_or_one_conversation_alone():
    assert len(Reading(export(chatgpt("c1", BOTH, "n2"), chatgpt("c2", BOTH, "n2"), indent=2)).sessions) == 2
    assert len(Reading(json.dumps(chatgpt("c1", BOTH, "n2")).encode()).sessions) == 1


def test_the_whole_export_archive_is_read():
    files = {
        "user.json": b"{}",
        "chat.html": b"<html><body>" + b"x" * 1000,
        "message_feedback.json": b"[]",
        "shared_conversations.json": b'[{"id": "s", "title": "t"}]',
        "dalle/pic.png": b"\x89PNG\r\n\x00\x01\x02",
        "conversations.json": export(chatgpt("c1", BOTH, "n2")),
    }
    read = Reading(zipped(files), "export.zip")
    assert read.texts == ["Which knot holds?", "A bowline."]
    assert read.tally.skipped == {"other file": 5}
    assert read.broken == []


def test_a_large_export_is_read_in_memory_bounded_by_a_conversation(tmp_path):
    size = 12_000_000
    one = json.dumps(chatgpt("c", [chatgpt_node("n1", "root", "user", ["Long story. " * 4_000])], "n1"))
    path = tmp_path / "conversations.json"
    with path.open("w") as file:
        file.write("[")
        file.write(",".join([one] * (size // len(one))))
        file.write("]")
    told: list[int] = []
    with path.open("rb") as file:
        tracemalloc.start()
        count = sum(len(list(session.lines)) for session in read_transcripts(file, "c.json", Tally(), told.append))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert count == size // len(one)
    assert peak < 3_000_000
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size
    assert len(told) > 20
