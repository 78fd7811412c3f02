"""The rules of sessions: pure Python."""
