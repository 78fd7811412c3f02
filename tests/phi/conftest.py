"""A Space with nobody in it but seats, and a seat for each purpose."""

from tests.facts.conftest import north, rest

__all__ = ["north", "rest"]
