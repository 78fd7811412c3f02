"""The content of a message as most formats write it: a text, or a list of blocks of text, tool calls and results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory.sessions.transcripts.transcript import Tally
from memory.sessions.transcripts.values import called, compact, worth_keeping

TEXT, CALL, RESULT = "text", "call", "result"

_TEXTS = {"text", "input_text", "output_text", "refusal", "audio_transcription", ""}
_CALLS = {"tool_use", "server_tool_use", "mcp_tool_use"}
# What a block that is left out is counted as; any other under its own type.
_LEFT_OUT = {
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "reasoning": "thinking",
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "image_asset_pointer": "image",
    "audio": "audio",
    "input_audio": "audio",
    "audio_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
    "document": "document",
    "file": "document",
    "input_file": "document",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message that becomes a line: `kind` is text, call or result; `index` its first block's place.

    A result has its full length still.
    """

    kind: str
    text: str
    index: int
    more: dict[str, Any]


def pieces(blocks: list[tuple[int, Any]], tally: Tally) -> Iterator[Piece]:
    """Yield what blocks say in their order, neighbouring texts as one, and count what is left out.

    `blocks` are pairs of a place and a block, as `placed` makes them.
    """
    pending: list[str] = []
    begun = 0
    for index, block in blocks:
        piece = _piece(index, block, tally)
        if piece is None:
            continue
        if piece.kind == TEXT:
            begun = begun if pending else index
            pending.append(piece.text)
            continue
        if pending:
            yield Piece(TEXT, "\n".join(pending), begun, {})
            pending.clear()
        yield piece
    if pending:
        yield Piece(TEXT, "\n".join(pending), begun, {})


def placed(content: Any) -> list[tuple[int, Any]]:
    """Return the blocks of a content, which may be a text, one block or a list, with their places from 0."""
    return list(enumerate(content)) if isinstance(content, list) else [(0, content)]


def words(content: Any, tally: Tally) -> str:
    """Return only the texts of a content, one under the other; calls and results in it count as left out."""
    found = list(pieces(placed(content), tally))
    for piece in found:
        if piece.kind != TEXT:
            tally.skip(piece.kind)
    return "\n".join(piece.text for piece in found if piece.kind == TEXT)


def block_type(block: Any) -> str:
    """Return the type that a block names, empty for a plain text or a block that names none."""
    if not isinstance(block, dict):
        return ""
    kind = block.get("type") or block.get("content_type") or ""
    return kind if isinstance(kind, str) else "other"


def _piece(index: int, block: Any, tally: Tally) -> Piece | None:
    kind = block_type(block)
    if isinstance(block, str):
        return Piece(TEXT, block, index, {})
    if not isinstance(block, dict):
        if block is not None:
            tally.skip("other")
        return None
    if kind in _CALLS:
        return _call(index, block)
    if kind.endswith("tool_result"):
        return _result(index, block, tally)
    text = block.get("text", block.get("refusal"))
    if kind in _TEXTS and isinstance(text, str):
        return Piece(TEXT, text, index, {})
    tally.skip(_LEFT_OUT.get(kind, kind or "other"))
    return None


def _call(index: int, block: dict[str, Any]) -> Piece:
    more = worth_keeping(tool=block.get("name"), call=block.get("id"))
    return Piece(CALL, called(block.get("name"), block.get("input")), index, more)


def _result(index: int, block: dict[str, Any], tally: Tally) -> Piece:
    content = block.get("content")
    text = compact(content) if isinstance(content, dict) else words(content, tally)
    more = worth_keeping(result_of=block.get("tool_use_id"), error=block.get("is_error") is True)
    return Piece(RESULT, text, index, more)
