"""When the decay pass runs and when it must ask first. One for each local date, none made up for or repeated."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ASKS_FROM = 100
"""A pass that takes fewer memories of a layer than this never stops to ask."""


def date_due(at: datetime, zone: ZoneInfo, last: date | None) -> date | None:
    """The local date whose pass is due at the instant `at`; None when there is none.

    `last` is the latest date that is settled, None for a Space that never had one: its first date is due as well, and
    whoever asks counts it as done. Dates that were missed are passed over. An earlier date than `last`, as after a
    change of zone or a clock set back, is not gone back to.
    """
    today = at.astimezone(zone).date()
    return today if last is None or today > last else None


def next_date_begins(at: datetime, zone: ZoneInfo, last: date | None) -> datetime:
    """The first instant (UTC) after `at` at which another date is due, `last` being the latest that is settled.

    A midnight that the clock jumps over begins with the jump, and a date that the zone skips with the date behind it.
    """
    today = at.astimezone(zone).date()
    latest = max(today, last or today)
    # What does not exist is read with the offset before the jump, which names the very instant of the jump.
    return datetime.combine(latest + timedelta(days=1), time(), zone).astimezone(ZoneInfo("UTC"))


def asks_first(going: int, live: int) -> bool:
    """Whether a pass that would take `going` of a layer's `live` memories stops and asks a person."""
    return going >= ASKS_FROM and 2 * going > live
