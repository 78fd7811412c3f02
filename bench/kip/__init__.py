"""`python -m bench kip`: how fast a large KIP graph is asked, searched and changed, and a text is read."""

from bench.kip.measuring import add_arguments, measured, verdicts

__all__ = ["add_arguments", "measured", "verdicts"]
