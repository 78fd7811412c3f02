"""The sliders over both axes of time: for a scope with how much there is along them, for one fact over its own days."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from common.templatetags.kndl_marks import in_zone
from common.times import now
from memory.facts.histogram import Span, histogram
from memory.facts.pages.filters import DAYS_AHEAD, Slider, local_field, slider
from memory.facts.rules.record import FactRecord
from spaces.pages import Here

# A fact that has been true for longer is looked at in the past by its date field.
MOST_DAYS_BACK = 3_650


def scope_axes(here: Here, as_of: datetime | None, valid_at: datetime | None) -> dict[str, Any]:
    """Both date fields, their sliders and the bars along them, as a part of a page's context."""
    zone, at = here.space.zone, now()
    known = as_of or at
    known_slider, valid_slider = slider(known, at, zone), slider(valid_at or known, at, zone, ahead=DAYS_AHEAD)
    return {
        "valid_field": local_field(valid_at, zone),
        "known_field": local_field(as_of, zone),
        "valid_slider": valid_slider,
        "known_slider": known_slider,
        "bars": histogram(here.bound, _span(known_slider), _span(valid_slider)),
    }


def fact_axes(zone: str, record: FactRecord, as_of: datetime | None, valid_at: datetime | None) -> dict[str, Any]:
    """The same for one fact: from the day it was recorded to now, and from the day it became true to a year ahead."""
    at = now()
    known = as_of or at
    return {
        "valid_field": local_field(valid_at, zone),
        "known_field": local_field(as_of, zone),
        "valid_slider": _from_day(record.valid_from, valid_at or known, at, zone, ahead=DAYS_AHEAD),
        "known_slider": _from_day(record.recorded_at, known, at, zone),
    }


def _from_day(begin: datetime, chosen: datetime, at: datetime, zone: str, *, ahead: int = 0) -> Slider:
    today = at.astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    back = (today.date() - in_zone(begin, ZoneInfo(zone)).date()).days
    # A slider has two days at least.
    back = min(max(back, 0 if ahead else 1), MOST_DAYS_BACK)
    first, days = today - timedelta(days=back), back + ahead
    value = min(max((in_zone(chosen, ZoneInfo(zone)).date() - first.date()).days, 0), days)
    return Slider(first, days, value, (first, first + timedelta(days=days // 2), first + timedelta(days=days)))


def _span(chosen: Slider) -> Span:
    return Span(chosen.first, chosen.days)
