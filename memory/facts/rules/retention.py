"""When a fact is due for deletion: an ISO 8601 duration after it was recorded, or an instant of its own."""

import re
from calendar import monthrange
from datetime import MAXYEAR, datetime, timedelta

from common.times import parse_instant

_DURATION = re.compile(
    r"P(?=[0-9T])(?:(?P<years>[0-9]{1,9})Y)?(?:(?P<months>[0-9]{1,9})M)?(?:(?P<weeks>[0-9]{1,9})W)?"
    r"(?:(?P<days>[0-9]{1,9})D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]{1,9})H)?(?:(?P<minutes>[0-9]{1,9})M)?"
    r"(?:(?P<seconds>[0-9]{1,9}(?:[.,][0-9]{1,6})?)S)?)?"
)
_FORM = "must be a duration such as P7Y or P1M, or a date or instant such as 2030-01-01"


def due(recorded_at: datetime, retention: str) -> datetime:
    """Return the instant (UTC) at which a fact recorded at `recorded_at` is due for deletion.

    Durations follow the calendar: years and months first, a day that the month lacks becoming its last, then weeks,
    days and times; only seconds take a fraction. A duration of nothing is refused, since it would never be kept; an
    absolute instant may lie in the past, and is then due at once. Raises ValueError with the end of a sentence.
    """
    if not retention.startswith("P"):
        try:
            return parse_instant(retention)
        except ValueError:
            raise ValueError(_FORM) from None
    found = _DURATION.fullmatch(retention)
    if found is None:
        raise ValueError(_FORM)
    part = {name: float((digits or "0").replace(",", ".")) for name, digits in found.groupdict().items()}
    if not any(part.values()):
        raise ValueError("must be longer than nothing")
    try:
        later = _months_later(recorded_at, int(part.pop("years")) * 12 + int(part.pop("months")))
        return later + timedelta(**part)
    except OverflowError:
        raise ValueError("must end before the year 10000") from None


def _months_later(instant: datetime, months: int) -> datetime:
    years, month = divmod(instant.month - 1 + months, 12)
    year = instant.year + years
    if year > MAXYEAR:
        raise OverflowError
    last_day = monthrange(year, month + 1)[1]
    return instant.replace(year=year, month=month + 1, day=min(instant.day, last_day))
