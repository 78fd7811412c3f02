"""The filters of the facts page: the query string of REST, as a form fills it in and as chips take it away."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.http import HttpRequest, QueryDict

from common.times import format_instant
from memory.facts.asking import FactListQuery

INSTANTS = ("as_of", "valid_at")
_LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?")
_MILLISECOND = timedelta(milliseconds=1)
# How many days the sliders reach back and, where something may come to be true, ahead.
DAYS_BACK, DAYS_AHEAD = 730, 365
# Days. From here on, the begin, the middle and the end of a slider lie in three different months.
SHORTEST_IN_MONTHS = 180


@dataclass(frozen=True)
class Chip:
    """An active filter: what it says, and the address without it."""

    text: str
    url: str


@dataclass(frozen=True)
class Slider:
    """A slider of days: the first day, how many, the chosen one counted from the first, and three days to label it."""

    first: datetime
    days: int
    value: int
    marks: tuple[datetime, datetime, datetime]

    @property
    def mark_form(self) -> str:
        """How the three days are written: by the month, or by the day where months would say the same twice."""
        return "M Y" if self.days >= SHORTEST_IN_MONTHS else "j M Y"


def exact_address(request: HttpRequest, zone: str, instants: tuple[str, ...] = INSTANTS) -> str | None:
    """Where a filled-in form leads, None when the address says it exactly already.

    Empty fields are left out, and in `instants` a clock time without a zone, as a browser's date field sends it, is one
    of the Space's zone. So an address means the same to everybody, and to REST.
    """
    exact = QueryDict(mutable=True)
    for name, values in request.GET.lists():
        kept = [exact_instant(value, zone) if name in instants else value for value in values if value.strip()]
        if kept:
            exact.setlist(name, kept)
    if exact == request.GET:
        return None
    return f"{request.path}?{exact.urlencode()}"


def exact_instant(text: str, zone: str) -> str:
    """`text` as an instant when it is a clock time without a zone, which is one of `zone`; else as it is."""
    if not _LOCAL.fullmatch(text):
        return text
    try:
        return format_instant(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)))
    except (ValueError, OverflowError):
        return text


def local_field(instant: datetime | None, zone: str) -> str:
    """An instant as a browser's date field takes it, in `zone`; rounded up to the millisecond, the finest it knows."""
    if instant is None:
        return ""
    try:
        rounded = instant + (-timedelta(microseconds=instant.microsecond) % _MILLISECOND)
    except OverflowError:
        rounded = instant
    local = _local(rounded, zone)
    return local.replace(tzinfo=None).isoformat(timespec="milliseconds" if local.microsecond else "seconds")


def chips(request: HttpRequest, given: FactListQuery, zone: str) -> list[Chip]:
    """A chip for each filter that is active, in the order of the form."""
    found = []
    for name, text in _texts(given, zone):
        rest = request.GET.copy()
        for gone in (name, "cursor"):
            rest.pop(gone, None)
        found.append(Chip(text, f"{request.path}?{rest.urlencode()}"))
    return found


def slider(chosen: datetime, now: datetime, zone: str, *, ahead: int = 0) -> Slider:
    """A slider over the days around `now` in `zone`, on the day of `chosen` or the nearest it reaches."""
    today = now.astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    first, days = today - timedelta(days=DAYS_BACK), DAYS_BACK + ahead
    value = min(max((_local(chosen, zone).date() - first.date()).days, 0), days)
    return Slider(first, days, value, (first, first + timedelta(days=days // 2), first + timedelta(days=days)))


def _texts(given: FactListQuery, zone: str) -> list[tuple[str, str]]:
    def moment(at: datetime) -> str:
        local = _local(at, zone)
        return f"{local.day} {local:%b} {local.year}, {local:%H:%M}"

    said: dict[str, str | None] = {
        "subject": given.subject and f"subject {given.subject}",
        "predicate": given.predicate and f"predicate {given.predicate}",
        "text": given.text and f"words “{given.text}”",
        "band": given.band and f"band {given.band}",
        "classification": given.classification and f"class {given.classification}",
        "min_confidence": None if given.min_confidence is None else f"at least {given.min_confidence:g}",
        "include_superseded": "superseded too" if given.include_superseded else None,
        "include_expired": "expired too" if given.include_expired else None,
        "valid_at": f"true on {moment(given.valid_at)}" if given.valid_at else None,
        "as_of": f"known on {moment(given.as_of)}" if given.as_of else None,
    }
    return [(name, text) for name, text in said.items() if text]


def _local(at: datetime, zone: str) -> datetime:
    """`at` on the clock of `zone`; of UTC where the calendar ends."""
    try:
        return at.astimezone(ZoneInfo(zone))
    except OverflowError:
        return at
