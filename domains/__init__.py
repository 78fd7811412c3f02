"""Directories that related projects share: what they rely on, what changed, and their credentials."""
