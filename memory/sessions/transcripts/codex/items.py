"""One line of a Codex rollout, in either of its two forms, and what it says."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.sessions.transcripts.blocks import block_type, placed, words
from memory.sessions.transcripts.transcript import Tally
from memory.sessions.transcripts.values import called, compact, instant, named, shortened, worth_keeping
from memory.sessions.transcripts.wrappers import said_to_codex

META, ITEM, EVENT = "session_meta", "response_item", "event_msg"

_ENVELOPES = {META, ITEM, EVENT, "turn_context", "compacted"}
_BARE_ITEMS = {
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "local_shell_call_output", "web_search_call",
}  # fmt: skip
_ARGUMENTS = ("arguments", "input", "action", "query")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a rollout: its kind (a new one keeps its own name), what it holds, and when it was written."""

    kind: str
    payload: dict[str, Any]
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Utterance:
    role: str
    text: str
    more: dict[str, Any]


def entry(value: dict[str, Any]) -> Entry:
    """Read a line; kind is empty for an object that no rollout holds."""
    kind = value.get("type")
    payload = value.get("payload")
    at = instant(value.get("timestamp"))
    if isinstance(kind, str) and isinstance(payload, dict):
        return Entry(kind, payload, at)
    if isinstance(kind, str) and kind in _BARE_ITEMS:
        return Entry(ITEM, value, at)
    if isinstance(value.get("record_type"), str):
        return Entry(value["record_type"], value, at)
    if kind is None and isinstance(value.get("id"), str) and at is not None and "role" not in value:
        return Entry(META, value, at)
    return Entry(kind if isinstance(kind, str) else "", value, at)


def is_codex(value: dict[str, Any]) -> bool:
    """Tell an object that only Codex writes."""
    found = entry(value)
    if found.payload is not value:
        return found.kind in _ENVELOPES
    if found.kind == META:
        return "instructions" in value or "git" in value
    if found.kind != ITEM:
        return False
    if value.get("type") != "message":
        return "call_id" in value or "encrypted_content" in value or isinstance(value.get("summary"), list)
    return any(block_type(block) in {"input_text", "output_text"} for _, block in placed(value.get("content")))


def is_message(found: Entry) -> bool:
    """Tell a message of the person or the model."""
    return (
        found.kind == ITEM
        and found.payload.get("type") == "message"
        and found.payload.get("role") in ("user", "assistant")
    )


def said_by_item(item: dict[str, Any], tally: Tally) -> Utterance | None:
    """Return what a response item says; None, and counted, for what is not part of the conversation."""
    kind = named(item.get("type"))
    if kind == "message":
        return _message(item, tally)
    if kind.endswith("_output"):
        return _output(item, tally)
    if kind.endswith("_call"):
        arguments = next((item[key] for key in _ARGUMENTS if item.get(key)), None)
        name = named(item.get("name")) or kind.removesuffix("_call")
        more = worth_keeping(tool=name, call=item.get("call_id") or item.get("id"))
        return Utterance("tool", called(name, arguments), more)
    tally.skip("thinking" if kind == "reasoning" else kind or "other")
    return None


def said_by_event(event: dict[str, Any], tally: Tally) -> Utterance | None:
    """Return what an event says, for a rollout that holds no messages; None, and counted, for any other event."""
    kind = named(event.get("type"))
    text = event.get("message")
    if kind in {"user_message", "agent_message"} and isinstance(text, str):
        return _spoken("user" if kind == "user_message" else "assistant", text, tally)
    tally.skip("thinking" if kind.startswith("agent_reasoning") else kind or "other")
    return None


def _message(item: dict[str, Any], tally: Tally) -> Utterance | None:
    role = item.get("role")
    if role not in ("user", "assistant"):
        tally.skip("injected text")
        return None
    return _spoken(role, words(item.get("content"), tally), tally)


def _spoken(role: str, text: str, tally: Tally) -> Utterance | None:
    said = said_to_codex(text) if role == "user" else text
    if not said.strip() and text.strip():
        tally.skip("injected text")
        return None
    return Utterance(role, said, {})


def _output(item: dict[str, Any], tally: Tally) -> Utterance:
    output = _unpacked(item.get("output"))
    text = words(output, tally) if isinstance(output, list) else compact(output) if output is not None else ""
    return Utterance("tool", shortened(text), worth_keeping(result_of=item.get("call_id")))


def _unpacked(output: Any) -> Any:
    """Return what a tool printed: it may be a text, a text holding JSON with more about it, or an object."""
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return output
    if isinstance(output, dict):
        return output.get("output", output.get("content", output))
    return output
