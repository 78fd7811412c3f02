"""Instants as they are written and read: always with a zone, always UTC inside, to the microsecond."""

import re
from datetime import UTC, datetime

_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?P<time>[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?P<zone>[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?"
)


def parse_instant(text: str) -> datetime:
    """Return the instant that an ISO 8601 text names, aware and in UTC.

    Takes a date alone (midnight UTC) or a date and time with a zone (`Z`, `+02:00`); digits past the microsecond are
    cut off. Raises ValueError with the end of a sentence: another form, no zone, an impossible date, out of range.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError("must be a date or a date and time with a zone, such as 2026-04-23T10:00:00Z")
    if found["time"] is not None and found["zone"] is None:
        raise ValueError("must name its time zone, such as Z or +02:00")
    try:
        instant = datetime.fromisoformat(text.upper())
        if instant.tzinfo is None:
            return instant.replace(tzinfo=UTC)
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date and time that exists") from None


def format_instant(instant: datetime) -> str:
    """Write an aware datetime as `2026-04-23T10:00:00Z`: in UTC, six digits of fraction or none."""
    if instant.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def now() -> datetime:
    """Return the present instant, in UTC."""
    return datetime.now(UTC)
