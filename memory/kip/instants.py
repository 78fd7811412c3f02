"""Instants as answers write them, in SQL."""


def instant_sql(instant: str) -> str:
    """The text of an instant: in UTC, with microseconds."""
    return f"to_char({instant} at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
