"""Import of transcripts: of a coding session with its tool calls, and of plain JSON Lines."""

import io
import json
import uuid
from collections.abc import Iterator
from typing import Any

from bench.layers.space import Seated
from bench.layers.talk import Said, conversation
from bench.layers.timing import Rate, timed_rate
from memory.sessions.importing import import_transcript

_BOOK = 1_003
_MB = 1_000_000


def imported(one: Seated, lines: int) -> dict[str, Rate]:
    """Megabytes a second of each format, with everything masked and committed."""
    said = conversation(_BOOK, 0, lines)
    files = {"Claude Code": _coding(said), "JSON Lines": [_plain(line) for line in said]}
    return {name: _imported(one, name, list(records)) for name, records in files.items()}


def _imported(one: Seated, name: str, records: list[dict[str, Any]]) -> Rate:
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    clock = timed_rate(len(data) / _MB)
    outcome = clock.run(lambda: import_transcript(one.binding, io.BytesIO(data), f"{name}.jsonl"))
    if outcome.lines < len(records) / 2 or outcome.broken_count:
        raise RuntimeError(f"of {len(records)} records {outcome.lines} lines were taken")
    return clock.rate()


def _plain(line: Said) -> dict[str, Any]:
    return {"role": line.role, "content": line.text, "timestamp": line.at.isoformat()}


def _coding(said: list[Said]) -> Iterator[dict[str, Any]]:
    """Of every four lines one is asked, one answered, one a call of a tool and one its result."""
    session, parent = str(uuid.UUID(int=_BOOK)), None
    for number, line in enumerate(said):
        role = ("user", "assistant", "assistant", "user")[number % 4]
        name = str(uuid.UUID(int=number + 1))
        message: dict[str, Any] = {"role": role, "content": _content(number, line.text)}
        if role == "assistant":
            message |= {"id": f"message-{number}", "model": "a-model"}
        yield {
            "type": role,
            "uuid": name,
            "parentUuid": parent,
            "sessionId": session,
            "timestamp": line.at.isoformat(),
            "cwd": "/srv/project",
            "isSidechain": False,
            "message": message,
        }
        parent = name


def _content(number: int, text: str) -> str | list[dict[str, Any]]:
    call = f"call-{number // 4}"
    return (
        text,
        [{"type": "text", "text": text}],
        [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"look '{text}'"}}],
        [{"type": "tool_result", "tool_use_id": call, "content": text}],
    )[number % 4]
