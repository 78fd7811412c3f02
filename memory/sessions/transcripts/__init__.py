"""Transcripts that people have, of several kinds, read as sessions with lines: pure Python, nothing stored."""

from memory.sessions.transcripts.reading import read_transcripts
from memory.sessions.transcripts.transcript import (
    BrokenLine,
    NotATranscript,
    Tally,
    TranscriptLine,
    TranscriptSession,
)

__all__ = ["BrokenLine", "NotATranscript", "Tally", "TranscriptLine", "TranscriptSession", "read_transcripts"]
