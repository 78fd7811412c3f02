"""The same Space and seat as the tests of facts have."""

from tests.facts.conftest import north, rest

__all__ = ["north", "rest"]
