"""The language itself: text to tree and back. Pure Python."""
