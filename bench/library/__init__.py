"""`python -m bench library`: how fast a large Library is listed, shown and written to, and what an upload needs."""

from bench.library.measuring import add_arguments, measured, verdicts

__all__ = ["add_arguments", "measured", "verdicts"]
