"""Small transcripts of our own making."""

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

from tests.rest.client import Rest


def plain(texts: Sequence[str], session: str | None = None, start: int = 0) -> bytes:
    """JSON Lines, a minute between two lines; all of one session where it is named."""
    named = {} if session is None else {"session": session}
    lines = [
        named | {"role": "user", "speaker": "Ana", "text": text, "at": f"2026-02-01T{10 + n // 60:02}:{n % 60:02}:00Z"}
        for n, text in enumerate(texts, start)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def claude(texts: Sequence[str], session: str = "claude-1", first: int = 0) -> bytes:
    """A Claude Code session in which a person and the assistant speak in turn."""
    lines = []
    for number, text in enumerate(texts, first):
        role = "user" if number % 2 == 0 else "assistant"
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        lines.append(
            {
                "type": role,
                "uuid": f"u-{number}",
                "parentUuid": f"u-{number - 1}" if number else None,
                "sessionId": session,
                "timestamp": f"2026-02-01T10:{number // 60:02}:{number % 60:02}.000Z",
                "message": {"role": role, "content": content} | ({"id": f"m-{number}"} if role == "assistant" else {}),
            }
        )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def zipped(**files: bytes) -> bytes:
    """A ZIP archive of files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.jsonl", content)
    return out.getvalue()


def sent(rest: Rest, content: bytes, kind: str = "application/octet-stream", **query: Any) -> Any:
    """Send a file and return the answer."""
    return rest.client.post(rest.address("transcripts"), content, content_type=kind, query_params=query)


def imported(rest: Rest, content: bytes, **query: Any) -> dict[str, Any]:
    """Send a file, which must be taken at once, and return what became of it."""
    answer = sent(rest, content, **query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found
