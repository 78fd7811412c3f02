"""First pass over a Claude Code file: of each line only where it is and what it hangs on."""

import math
from dataclasses import dataclass, field
from typing import Any

from memory.sessions.transcripts.blocks import block_type
from memory.sessions.transcripts.claude_code.tree import Node, Nodes
from memory.sessions.transcripts.file import Found, TranscriptFile, given_id
from memory.sessions.transcripts.progress import Part
from memory.sessions.transcripts.values import instant, named

_SPEAKERS = {"user", "assistant"}
# Titles, weakest first: a summary is the program's, a custom title the person's.
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}


@dataclass
class Index:
    """The lines of a file by uuid, and the titles it gives: (strength, title) by session id, or by a line's uuid."""

    nodes: Nodes = field(default_factory=dict)
    titles: dict[str, tuple[int, str]] = field(default_factory=dict)
    last_session: str | None = None

    def title_of(self, session: str | None, uuids: list[str]) -> str:
        given = [self.titles[key] for key in [session or "", *uuids] if key in self.titles]
        return max(given, default=(0, ""))[1]


def indexed(file: TranscriptFile, part: Part) -> Index:
    """Read a whole file into an index, counting the lines that are not part of what was said."""
    index = Index()
    for found in file.objects(part):
        line = found.value
        kind = line.get("type")
        if not isinstance(kind, str):
            file.broken(found.number, "is not a Claude Code line")
            continue
        index.last_session = given_id(line.get("sessionId") or line.get("session_id")) or index.last_session
        _take_title(index, kind, line)
        if line.get("isSidechain") is True:
            file.tally.skip("side thread")
            continue
        reason = _not_said(kind, line)
        if reason == _NO_MESSAGE:
            file.broken(found.number, reason)
        elif reason:
            file.tally.skip(reason)
        _take_line(index, found, "" if reason else kind, file)
    return index


_NO_MESSAGE = "holds no message"


def _not_said(kind: str, line: dict[str, Any]) -> str:
    """Return as what a line is left out, empty when it belongs to the conversation."""
    if kind not in _SPEAKERS:
        return kind or "other"
    if line.get("isCompactSummary") is True:
        return "summary"
    message = line.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | list):
        return _NO_MESSAGE
    if line.get("isMeta") is True or message.get("model") == "<synthetic>" or _sent_by_the_program(kind, line, message):
        return "injected text"
    return ""


def _sent_by_the_program(kind: str, line: dict[str, Any], message: dict[str, Any]) -> bool:
    if kind != "user" or _ids(message, "tool_result", "tool_use_id"):
        return False
    origin = line.get("origin")
    source = origin.get("kind") if isinstance(origin, dict) else None
    return isinstance(source, str) and source != "human"


def _take_title(index: Index, kind: str, line: dict[str, Any]) -> None:
    field_name = _TITLES.get(kind, "")
    title = named(line.get(field_name))
    key = given_id(line.get("leafUuid")) if kind == "summary" else index.last_session
    if title and key:
        strength = list(_TITLES).index(kind)
        if strength >= index.titles.get(key, (0, ""))[0]:
            index.titles[key] = (strength, title)


def _take_line(index: Index, found: Found, kind: str, file: TranscriptFile) -> None:
    line = found.value
    uuid = given_id(line.get("uuid"))
    if uuid is None and not kind:
        return
    uuid = uuid or f"#{found.number}"
    earlier = index.nodes.get(uuid)
    if earlier is not None:
        # A resumed session copies earlier lines; a line may also be written again when more of it is known.
        if kind:
            file.tally.skip("duplicate")
        if kind == earlier.kind:
            earlier.offset, earlier.length = found.offset, found.length
        return
    message = line.get("message")
    message = message if kind and isinstance(message, dict) else {}
    at = instant(line.get("timestamp"))
    index.nodes[uuid] = Node(
        number=found.number,
        offset=found.offset,
        length=found.length,
        kind=kind,
        session=index.last_session,
        parent=given_id(line.get("parentUuid")),
        logical_parent=given_id(line.get("logicalParentUuid")),
        at=at.timestamp() if at else -math.inf,
        message=given_id(message.get("id")) if kind == "assistant" else None,
        calls=_ids(message, "tool_use", "id"),
        answers=_ids(message, "tool_result", "tool_use_id"),
    )


def _ids(message: dict[str, Any], kind: str, key: str) -> tuple[str, ...]:
    content = message.get("content")
    if not isinstance(content, list):
        return ()
    return tuple(found for block in content if block_type(block).endswith(kind) and (found := named(block.get(key))))
