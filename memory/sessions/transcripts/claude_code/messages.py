"""An assistant's message in Claude Code: several lines with one id, a block each, some of them written again."""

from dataclasses import dataclass
from typing import Any

from memory.sessions.transcripts.blocks import block_type, placed
from memory.sessions.transcripts.values import named


@dataclass(frozen=True, slots=True)
class Written:
    """A line of a message: its uuid, the line it hangs on, and its content."""

    uuid: str
    parent: str | None
    content: Any


@dataclass(slots=True)
class _Slot:
    uuid: str
    parent: str | None
    index: int
    block: Any


def merged(lines: list[Written]) -> tuple[dict[str, list[tuple[int, Any]]], int]:
    """Return the blocks of a message by the line each of them stands on, with their places in it.

    A block that was written again counts as it was written last, in the place where it came first: its key stays.
    The second value is how many were written again.
    """
    slots: list[_Slot] = []
    latest: dict[tuple[str, int | str], _Slot] = {}
    rewritten = 0
    for line in lines:
        for index, block in placed(line.content):
            place = (block_type(block), _identity(block) or index)
            slot = latest.get(place)
            if slot is not None and _is_rewritten(slot, line, block):
                slot.block = block
                rewritten += 1
            else:
                latest[place] = _Slot(line.uuid, line.parent, index, block)
                slots.append(latest[place])
    by_line: dict[str, list[tuple[int, Any]]] = {}
    for slot in slots:
        by_line.setdefault(slot.uuid, []).append((slot.index, slot.block))
    return by_line, rewritten


def _identity(block: Any) -> str:
    return named(block.get("id")) if isinstance(block, dict) else ""


def _is_rewritten(slot: _Slot, line: Written, block: Any) -> bool:
    """Tell a new version of a block from the next block, given that both have the same type and id, or place."""
    if _identity(block):
        return True
    before, after = _text(slot.block), _text(block)
    if before is None or after is None:
        return bool(slot.block == block)
    # Blocks of one message hang on each other; a second version hangs where the first one does.
    return after.startswith(before) or slot.parent == line.parent


def _text(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    text = block.get("text", block.get("thinking")) if isinstance(block, dict) else None
    return text if isinstance(text, str) else None
