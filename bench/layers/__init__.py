"""`python -m bench layers`: how fast lines are taken in and distilled, and memories decay, grow stronger and move."""

from bench.layers.measuring import add_arguments, measured, verdicts

__all__ = ["add_arguments", "measured", "verdicts"]
