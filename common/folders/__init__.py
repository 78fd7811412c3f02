"""Folders on disk that a history in the database stands behind: names, safe writing, walking. No tables."""
