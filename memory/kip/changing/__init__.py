"""KML: what a text changes of a graph, in one transaction."""

from memory.kip.changing.applying import apply

__all__ = ["apply"]
