"""`python -m bench recall`: how long an answer takes, what of it takes how long, beside a bare search of vectors."""

from bench.recall.measuring import add_arguments, measured, verdicts

__all__ = ["add_arguments", "measured", "verdicts"]
