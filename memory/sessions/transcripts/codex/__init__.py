"""Codex: rollouts, one JSON Lines file a session, in the present form and the first."""

from memory.sessions.transcripts.codex.reading import recognises, sessions
from memory.sessions.transcripts.file import Format

CODEX = Format("a Codex rollout", recognises, sessions)
