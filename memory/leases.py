"""Work that one worker does at a time: how long it is held without a sign of life, and when it is tried again."""

from datetime import timedelta

LEASE = timedelta(minutes=5)
_FIRST_WAIT = timedelta(minutes=1)
_LONGEST_WAIT = timedelta(hours=6)
_MOST_DOUBLINGS = 20


class LeaseLost(Exception):
    """Another worker took the work over, or a person stopped it: what was not committed is not this one's to commit."""


def wait_after(attempts: int) -> timedelta:
    """How long to wait after so many attempts, from 1: a minute, doubled each time, six hours at most."""
    return min(_LONGEST_WAIT, _FIRST_WAIT * (1 << min(attempts - 1, _MOST_DOUBLINGS)))
