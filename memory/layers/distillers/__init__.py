"""Plug-ins that turn lines of conversation into proposals."""
