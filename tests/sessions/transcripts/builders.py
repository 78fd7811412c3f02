"""Transcripts made up for the tests, in the shapes that the programs write."""

import io
import json
import zipfile
from collections.abc import Iterable
from typing import Any

from memory.sessions.transcripts import Tally, TranscriptLine, read_transcripts

SESSION = "11111111-aaaa-4bbb-8ccc-222222222222"


class Reading:
    """A transcript read to its end: what each session holds, as lists."""

    def __init__(self, data: bytes, name: str = "some.jsonl", **options: Any) -> None:
        self.tally = Tally()
        self.sessions: list[tuple[str | None, str, Any, list[TranscriptLine]]] = []
        for session in read_transcripts(io.BytesIO(data), name, self.tally, **options):
            lines = list(session.lines)
            self.sessions.append((session.client_id, session.title, session.started_at, lines))

    @property
    def lines(self) -> list[TranscriptLine]:
        return [line for session in self.sessions for line in session[3]]

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(line.role, line.text) for line in self.lines]

    @property
    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    @property
    def keys(self) -> list[str]:
        return [line.key for line in self.lines]

    @property
    def broken(self) -> list[tuple[int, str]]:
        return [(line.number, line.reason) for line in self.tally.broken]


def jsonl(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return kept.getvalue()


def minute(number: int) -> str:
    return f"2026-03-02T{9 + number // 60:02}:{number % 60:02}:00.000Z"


def claude(kind: str, uuid: str, parent: str | None, content: Any, at: int = 0, **more: Any) -> dict[str, Any]:
    """A line of Claude Code. `message_id` becomes that of the message."""
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": more.pop("message_id", f"msg-{uuid}"), "model": "some-model"}
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": minute(at),
        "cwd": "/home/ada/boat",
        "gitBranch": "keel",
        "isSidechain": False,
        "message": message,
    } | more


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(identity: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def result(identity: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": content} | more


def rollout(kind: str, at: int = 0, **payload: Any) -> dict[str, Any]:
    """A line of a Codex rollout in its present form; `of` becomes the type of the payload."""
    if "of" in payload:
        payload["type"] = payload.pop("of")
    return {"timestamp": minute(at), "type": kind, "payload": payload}


def codex_message(role: str, words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"of": "message", "role": role, "content": [{"type": kind, "text": words}]}


def chatgpt_node(
    identity: str, parent: str | None, role: str, parts: Any, at: float = 0, **more: Any
) -> dict[str, Any]:
    """A node of a conversation; `content`, `metadata` and `recipient` replace those of its message."""
    message = {
        "id": f"message-{identity}",
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_767_000_000 + at,
        "content": {"content_type": "text", "parts": parts},
        "metadata": {},
        "recipient": "all",
    } | more
    return {"id": identity, "parent": parent, "children": [], "message": message}


def chatgpt(identity: str, nodes: Iterable[dict[str, Any]], current: str | None, **more: Any) -> dict[str, Any]:
    root = {"id": "root", "parent": None, "children": [], "message": None}
    return {
        "title": "Knots",
        "create_time": 1_767_000_000.5,
        "mapping": {node["id"]: node for node in [root, *nodes]},
        "current_node": current,
        "conversation_id": identity,
    } | more
