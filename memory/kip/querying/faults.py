"""Errors that only running a query can show."""

from memory.kip.language.errors import KipError


class RunningFault(KipError):
    """A pattern or a cursor that is refused as the query runs; a dry run does not come so far."""
