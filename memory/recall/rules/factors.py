"""What a fragment's own score is multiplied with: who said it, when, and whether it holds what the query asks for."""

from datetime import UTC, date, datetime, timedelta

from memory.layers.rules.spoken import Period
from memory.recall.rules.candidates import Candidate
from memory.recall.rules.querying import Query

LONG = 600
"""Characters from which a line that no user said counts as long prose."""
LONG_PROSE = 0.6
BRIEF = 150
"""Characters below which a line counts as brief: the shorter it is, the less it can say."""
BRIEF_FACTOR = 0.8
SPEAKER = 1.2
HOLDS_IT = 1.1
DATE = 0.7

_FEW_DAYS = 10
_A_MONTH = 31


def factors_of(query: Query, candidate: Candidate) -> dict[str, float]:
    """Return the factors that apply, by name; one that would be 1 is left out.

    "long prose" 0.6; "brief" from 0.8 for an empty line to 1 for one of 150 characters; "speaker" 1.2 where exactly one
    is named; "time" and "number" 1.1 where the query asks for one and the fragment holds one; "date" 1 to 1.7 by how
    well the fragment's day matches what the query mentions.
    """
    found: dict[str, float] = {}
    if candidate.role != "user" and candidate.length > LONG:
        found["long prose"] = LONG_PROSE
    if candidate.length < BRIEF:
        found["brief"] = BRIEF_FACTOR + (1 - BRIEF_FACTOR) * candidate.length / BRIEF
    if len(query.speakers) == 1 and candidate.speaker == query.speakers[0]:
        found["speaker"] = SPEAKER
    if query.asks_time and candidate.has_time:
        found["time"] = HOLDS_IT
    if query.asks_number and candidate.has_number:
        found["number"] = HOLDS_IT
    if query.periods and candidate.said_at is not None:
        match = max(date_match(period, candidate.said_at) for period in query.periods)
        if match:
            found["date"] = 1 + DATE * match
    return found


def date_match(period: Period, said_at: datetime) -> float:
    """Return from 0 to 1 how well a day fits what was mentioned; a thing is often told in the days after it happened.

    A day: 1 up to ten days after it, 0.4 from ten days before to a month after. A month: 1 in it, 0.5 in the first ten
    days of the next; of any year if none is mentioned. A year alone: 0.3. Days are those of UTC.
    """
    said = said_at.astimezone(UTC).date()
    if period.month is None:
        return 0.3 if period.year == said.year else 0.0
    years = (said.year, said.year - 1) if period.year is None else (period.year,)
    return max(_match_in(year, period.month, period.day, said) for year in years)


def _match_in(year: int, month: int, day: int | None, said: date) -> float:
    try:
        begins = date(year, month, day or 1)
    except ValueError:
        return 0.0
    after = (said - begins).days
    if day is not None:
        if 0 <= after <= _FEW_DAYS:
            return 1.0
        return 0.4 if -_FEW_DAYS <= after <= _A_MONTH else 0.0
    if (said.year, said.month) == (year, month):
        return 1.0
    next_month = (begins + timedelta(days=_A_MONTH)).replace(day=1)
    return 0.5 if 0 <= (said - next_month).days < _FEW_DAYS else 0.0
