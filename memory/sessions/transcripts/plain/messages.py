"""One message of a plain transcript, under whatever names its fields have."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.sessions.transcripts.blocks import CALL, RESULT, TEXT, Piece, pieces, placed
from memory.sessions.transcripts.file import given_id
from memory.sessions.transcripts.transcript import Tally
from memory.sessions.transcripts.values import called, instant, named, shortened, worth_keeping

_ROLE = ("role", "from", "sender", "author")
_CONTENT = ("content", "text", "value", "message", "body", "parts")
_TIME = ("timestamp", "at", "created_at", "time", "date", "datetime", "ts", "created", "create_time")
_SPEAKER = ("speaker", "name", "author", "username")
_SESSION = ("session", "session_id", "conversation_id", "thread_id", "sessionId", "conversationId", "threadId")
_MESSAGES = ("messages", "conversations", "conversation", "turns")
_ROLES = {
    "user": "user", "human": "user", "person": "user", "customer": "user", "prompter": "user",
    "assistant": "assistant", "ai": "assistant", "bot": "assistant", "model": "assistant", "gpt": "assistant",
    "agent": "assistant", "chatgpt": "assistant", "claude": "assistant",
    "system": "system", "developer": "system",
    "tool": "tool", "function": "tool", "observation": "tool",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A message whose content is not read yet. A role that is somebody's name makes a user with that name."""

    role: str
    speaker: str
    content: Any
    at: datetime | None
    value: dict[str, Any]


def message(value: Any) -> Message | None:
    """Read an object as a message; None where it has no content, or says in no way who speaks."""
    if not isinstance(value, dict):
        return None
    content = _first(value, _CONTENT)
    has_calls = isinstance(value.get("tool_calls"), list) or isinstance(value.get("function_call"), dict)
    if not isinstance(content, str | list | dict) and not has_calls:
        return None
    given = _first(value, _ROLE)
    if isinstance(given, dict):
        given = given.get("role") or given.get("name")
    given = named(given)
    speaker = named(_first(value, _SPEAKER))
    role = _ROLES.get(given.lower())
    if role is None and not given and not speaker:
        return None
    speaker = ("" if speaker == given else speaker) if role else speaker or given
    return Message(role or "user", speaker, content, instant(_first(value, _TIME)), value)


def messages(value: dict[str, Any]) -> list[Any] | None:
    """Return the messages of an object that holds a whole conversation, None for any other."""
    found = _first(value, _MESSAGES)
    return found if isinstance(found, list) and any(message(each) for each in found) else None


def session_of(value: dict[str, Any]) -> str | None:
    """Return the id of the conversation that an object names."""
    return next((found for key in _SESSION if (found := given_id(value.get(key)))), None)


def utterances(said: Message, tally: Tally) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield role, text and the rest of each line that a message becomes."""
    about = worth_keeping(model=said.value.get("model"))
    content = said.content
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        content = content["parts"]
    if any(isinstance(said.value.get(key), str) for key in ("reasoning_content", "reasoning", "thinking")):
        tally.skip("thinking")
    for piece in pieces([] if content is None else placed(content), tally):
        yield from _of_piece(said, piece, about)
    calls = said.value.get("tool_calls")
    for call in [*(calls if isinstance(calls, list) else []), said.value.get("function_call")]:
        if isinstance(call, dict):
            function = call.get("function")
            function = function if isinstance(function, dict) else call
            more = worth_keeping(tool=function.get("name"), call=call.get("id"))
            yield "tool", called(function.get("name"), function.get("arguments")), about | more


def _of_piece(said: Message, piece: Piece, about: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if piece.kind == RESULT or (piece.kind == TEXT and said.role == "tool"):
        more = worth_keeping(result_of=said.value.get("tool_call_id"))
        yield "tool", shortened(piece.text), about | more | piece.more
    else:
        yield "tool" if piece.kind == CALL else said.role, piece.text, about | piece.more


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)
