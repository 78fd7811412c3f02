"""Plain JSON Lines: a message a line under the names that are commonly given, or a whole conversation a line."""

from memory.sessions.transcripts.file import Format
from memory.sessions.transcripts.plain.reading import recognises, sessions

PLAIN = Format("JSON Lines with a role and a content each", recognises, sessions)
