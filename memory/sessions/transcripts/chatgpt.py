"""ChatGPT: `conversations.json` of an export, a list of conversations, each a tree of messages."""

from collections.abc import Iterator
from typing import Any

from memory.sessions.transcripts.blocks import words
from memory.sessions.transcripts.file import Format, SessionLines, TranscriptFile, given_id
from memory.sessions.transcripts.transcript import Tally, TranscriptLine, TranscriptSession
from memory.sessions.transcripts.values import called, instant, named, shortened, worth_keeping

_ROLES = {"user", "assistant", "system", "tool"}
_LEFT_OUT = {
    "thoughts": "thinking",
    "reasoning_recap": "thinking",
    "user_editable_context": "injected text",
    "model_editable_context": "injected text",
}


def _recognises(value: dict[str, Any]) -> bool:
    return isinstance(value.get("mapping"), dict)


def _sessions(file: TranscriptFile) -> Iterator[TranscriptSession]:
    for found in file.objects(file.progress):
        value = found.value
        mapping = value.get("mapping")
        if not isinstance(mapping, dict):
            file.broken(found.number, "is not a conversation")
            continue
        path = _path(mapping, value.get("current_node"))
        kept = {id(node) for node in path}
        abandoned = sum(bool(_said(node, Tally())) for node in mapping.values() if id(node) not in kept)
        if abandoned:
            file.tally.skip("abandoned branch", abandoned)
        client_id = given_id(value.get("conversation_id")) or given_id(value.get("id"))
        started_at = instant(value.get("create_time"))
        lines = _lines(path, file.tally, client_id)
        yield TranscriptSession(client_id, named(value.get("title")), started_at, lines)


CHATGPT = Format("a ChatGPT export (conversations.json)", _recognises, _sessions)


def _path(mapping: dict[str, Any], current: Any) -> list[Any]:
    """Return the nodes from the root to the current one, or to the newest where none is named."""
    at = current if isinstance(current, str) and current in mapping else _newest(mapping)
    path: list[Any] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in mapping and at not in seen:
        seen.add(at)
        path.append(mapping[at])
        at = mapping[at].get("parent") if isinstance(mapping[at], dict) else None
    return path[::-1]


def _newest(mapping: dict[str, Any]) -> str | None:
    times = [
        (time.timestamp(), place, key)
        for place, (key, node) in enumerate(mapping.items())
        if (time := instant(_message(node).get("create_time")))
    ]
    return max(times)[2] if times else next(reversed(mapping), None)


def _message(node: Any) -> dict[str, Any]:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else {}


def _part(message: dict[str, Any], key: str) -> dict[str, Any]:
    value = message.get(key)
    return value if isinstance(value, dict) else {}


def _lines(path: list[Any], tally: Tally, client_id: str | None) -> Iterator[TranscriptLine]:
    made = SessionLines(tally, client_id or "")
    for node in path:
        said = _said(node, tally)
        if said is None:
            continue
        message = _message(node)
        identity = given_id(message.get("id")) or given_id(node.get("id"))
        metadata = _part(message, "metadata")
        author = _part(message, "author")
        role, text = said
        yield from made.line(
            role,
            text,
            identity=f"chatgpt:{identity}" if identity else "",
            at=instant(message.get("create_time")),
            more=worth_keeping(model=metadata.get("model_slug"), tool=_tool(author, message)),
        )


def _said(node: Any, tally: Tally) -> tuple[str, str] | None:
    """Return role and text of a node; None, and counted, for what is not part of the conversation."""
    message = _message(node)
    content = _part(message, "content")
    author = _part(message, "author")
    role = author.get("role")
    if not message or role not in _ROLES:
        if message:
            tally.skip("other")
        return None
    kind = named(content.get("content_type"))
    metadata = _part(message, "metadata")
    if kind in _LEFT_OUT:
        tally.skip(_LEFT_OUT[kind])
        return None
    text = _text(content, tally)
    if not text.strip():
        return None
    if metadata.get("is_visually_hidden_from_conversation") is True or metadata.get("is_user_system_message") is True:
        tally.skip("injected text")
        return None
    if role == "assistant" and _tool(author, message):
        return "tool", called(_tool(author, message), text)
    return str(role), shortened(text) if role == "tool" else text


def _tool(author: dict[str, Any], message: dict[str, Any]) -> str:
    """Return the tool that a message comes from or goes to, empty for one between person and model."""
    if author.get("role") == "tool":
        return named(author.get("name"))
    recipient = named(message.get("recipient"))
    return "" if recipient == "all" or author.get("role") != "assistant" else recipient


def _text(content: dict[str, Any], tally: Tally) -> str:
    parts = content.get("parts")
    if isinstance(parts, list):
        return words([part for part in parts if part != ""], tally)
    text = content.get("text", content.get("result"))
    return text if isinstance(text, str) else ""
