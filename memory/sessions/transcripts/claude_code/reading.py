"""Second pass over a Claude Code file: the lines of the conversation, read where the index found them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from memory.sessions.transcripts.blocks import CALL, RESULT, Piece, pieces, placed
from memory.sessions.transcripts.claude_code.indexing import Index, indexed
from memory.sessions.transcripts.claude_code.messages import Written, merged
from memory.sessions.transcripts.claude_code.tree import conversation
from memory.sessions.transcripts.file import SessionLines, TranscriptFile
from memory.sessions.transcripts.progress import Part
from memory.sessions.transcripts.transcript import TranscriptLine, TranscriptSession
from memory.sessions.transcripts.values import instant, shortened, worth_keeping
from memory.sessions.transcripts.wrappers import is_summary, said_to_claude, told_by_claude_tool

# Lines of a message that together are longer are not compared with each other.
_LONGEST_MESSAGE = 32_000_000


def recognises(value: dict[str, Any]) -> bool:
    """Tell an object that only Claude Code writes."""
    kind = value.get("type")
    message = value.get("message")
    if not isinstance(kind, str):
        return False
    if isinstance(message, dict) and kind in {"user", "assistant"} and "content" in message:
        return True
    if kind == "summary":
        return isinstance(value.get("leafUuid"), str)
    return isinstance(value.get("sessionId"), str) and "role" not in value


def sessions(file: TranscriptFile) -> Iterator[TranscriptSession]:
    """Yield each session of a file once, with the conversation that was continued."""
    index = indexed(file, file.progress.between(0, 0.5))
    kept = conversation(index.nodes)
    spoken = sum(bool(node.kind) for node in index.nodes.values())
    if spoken > len(kept):
        file.tally.skip("abandoned branch", spoken - len(kept))
    by_session: dict[str | None, list[str]] = {}
    for uuid in kept:
        by_session.setdefault(index.nodes[uuid].session, []).append(uuid)
    start = 0
    for session, uuids in by_session.items():
        end = start + len(uuids)
        part = file.progress.between(0.5 + start / len(kept) / 2, 0.5 + end / len(kept) / 2)
        times = [index.nodes[uuid].at for uuid in uuids if index.nodes[uuid].at >= 0]
        started_at = datetime.fromtimestamp(min(times), UTC) if times else None
        lines = _Conversation(file, index, session, uuids).lines(part)
        yield TranscriptSession(session, index.title_of(session, uuids), started_at, lines)
        start = end


class _Conversation:
    """The lines of one session as they are read."""

    def __init__(self, file: TranscriptFile, index: Index, session: str | None, uuids: list[str]) -> None:
        self._file = file
        self._nodes = index.nodes
        self._uuids = uuids
        self._made = SessionLines(file.tally, session or "")
        self._place: dict[str, str] = {}
        self._messages: dict[str, list[str]] = {}
        for uuid in uuids:
            message = index.nodes[uuid].message
            if message:
                self._messages.setdefault(message, []).append(uuid)
        for message_uuids in self._messages.values():
            message_uuids.sort(key=lambda uuid: self._nodes[uuid].number)
            if sum(self._nodes[uuid].length for uuid in message_uuids) > _LONGEST_MESSAGE:
                message_uuids.clear()
        self._waiting: dict[str, dict[str, list[tuple[int, Any]]]] = {}

    def lines(self, part: Part) -> Iterator[TranscriptLine]:
        for done, uuid in enumerate(self._uuids):
            part.at(done, len(self._uuids))
            line = self._read(uuid)
            yield from self._spoken(uuid, line, self._blocks(uuid, line))
        part.at(1, 1)

    def _read(self, uuid: str) -> dict[str, Any]:
        node = self._nodes[uuid]
        return self._file.object_at(node.number, node.offset, node.length)

    def _blocks(self, uuid: str, line: dict[str, Any]) -> list[tuple[int, Any]]:
        """Return the blocks that stand on a line; a message of several is read whole at the first of them."""
        message = self._nodes[uuid].message
        if message is None or len(self._messages[message]) <= 1:
            return placed(_content(line))
        if message not in self._waiting:
            lines = [
                Written(each, self._nodes[each].parent, _content(self._read(each))) for each in self._messages[message]
            ]
            self._waiting[message], rewritten = merged(lines)
            if rewritten:
                self._file.tally.skip("duplicate", rewritten)
        return self._waiting[message].pop(uuid, [])

    def _spoken(self, uuid: str, line: dict[str, Any], blocks: list[tuple[int, Any]]) -> Iterator[TranscriptLine]:
        role = self._nodes[uuid].kind
        at = instant(line.get("timestamp"))
        message = line.get("message")
        about = worth_keeping(model=message.get("model")) if isinstance(message, dict) else {}
        about |= self._new_place(line)
        for piece in pieces(blocks, self._file.tally):
            text = self._said(role, piece)
            if text is None:
                continue
            tool = piece.kind in {CALL, RESULT}
            own = "" if uuid.startswith("#") else f"claude:{uuid}:{piece.index}" if piece.index else f"claude:{uuid}"
            more = about | piece.more
            yield from self._made.line("tool" if tool else role, text, identity=own, at=at, more=more)

    def _said(self, role: str, piece: Piece) -> str | None:
        """Return what a piece says without its wrapping; None, and counted, where nothing else is in it."""
        if piece.kind == RESULT:
            return shortened(told_by_claude_tool(piece.text))
        if piece.kind == CALL or role == "assistant":
            return piece.text
        said = said_to_claude(piece.text)
        if said and not is_summary(said):
            return said
        if piece.text.strip():
            self._file.tally.skip("summary" if said else "injected text")
            return None
        return ""

    def _new_place(self, line: dict[str, Any]) -> dict[str, Any]:
        """Return the working folder and branch where they differ from those of the line before."""
        place = worth_keeping(cwd=line.get("cwd"), branch=line.get("gitBranch"))
        new = {key: value for key, value in place.items() if self._place.get(key) != value}
        self._place |= new
        return new


def _content(line: dict[str, Any]) -> Any:
    message = line.get("message")
    return message.get("content") if isinstance(message, dict) else None
