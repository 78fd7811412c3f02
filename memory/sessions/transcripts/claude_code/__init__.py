"""Claude Code: one JSON Lines file a session, whose lines form a tree."""

from memory.sessions.transcripts.claude_code.reading import recognises, sessions
from memory.sessions.transcripts.file import Format

CLAUDE_CODE = Format("a Claude Code transcript", recognises, sessions)
