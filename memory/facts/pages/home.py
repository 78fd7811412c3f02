"""What facts put on the home page of a Space, and where their pages stand in the navigation."""

from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import rules
from django.db.models import Q
from django.urls import reverse

from common.registries import HomeFigure, HomePart, NavigationItem, home_cards, navigation
from common.times import now
from memory.facts.reading import FactQuery, count_facts, query_facts
from memory.facts.rules.confidence import Band
from memory.facts.views import FactView
from spaces.access import EVERY_SCOPE, Binding, visible_scopes
from spaces.pages import Here

MOST_COUNTED = 20_000
# How many facts are judged one by one for the figures of the bands.
MOST_JUDGED = 5_000
RECENT = 100
SHOWN = 8


def register() -> None:
    """Tell the house about the pages of facts."""
    home_cards.add("facts", home_part)
    within = frozenset({"fact_page", "fact_new", "fact_supersede", "facts_import"})
    within |= {"fact_provenance_page", "fact_derived_page", "facts_difference", "rules_page"}
    navigation.add("facts", NavigationItem("Facts", "facts_page", "What it holds true", "f", within=within))
    navigation.add("retention", NavigationItem("Retention", "retention_page", "Governance", "b"))


def home_part(here: Here) -> HomePart:
    """The figures of facts and the newest of them, in the reader's own scopes and the shared ones.

    Other people's memory is left out, also for those who may open it: a look at home is no look into it.
    """
    binding, everything = own_and_shared(here)
    address = reverse("facts_page", args=[here.space.slug])
    link = f"{address}?{urlencode({'scope': everything})}" if everything else ""
    newest = FactQuery(include_superseded=True, include_expired=True, order="recorded", limit=RECENT)
    recent = query_facts(binding, newest)
    context: dict[str, object] = {
        "facts": _with_scope(binding, recent.facts[:SHOWN]),
        "url": link or address,
        "may_write": rules.test_rule("facts:write", here.caller, here.space),
    }
    figures = _figures(binding, link, here.space.zone, recent.facts) if recent.facts else ()
    return HomePart(figures, "memory/home_facts.html", context)


def _figures(binding: Binding, link: str, zone: str, recent: list[FactView]) -> tuple[HomeFigure, ...]:
    held = count_facts(binding, FactQuery(), most=MOST_COUNTED + 1)
    midnight = since_midnight(now(), zone)
    learnt = sum(view.record.recorded_at >= midnight for view in recent)
    figures = [HomeFigure("Facts held true now", bounded(held, MOST_COUNTED), "known, valid and not superseded", link)]
    if held <= MOST_JUDGED:
        figures += [_of_band(binding, link, "uncertain", "to be verified before use")]
        figures += [_of_band(binding, link, "stale", "not to be relied on")]
    figures += [HomeFigure("Facts learnt since midnight", bounded(learnt, RECENT - 1), f"by the clock of {zone}", link)]
    return tuple(figures)


def _of_band(binding: Binding, link: str, band: Band, note: str) -> HomeFigure:
    found = count_facts(binding, FactQuery(band=band), most=MOST_JUDGED)
    return HomeFigure(f"Of them {band}", bounded(found, MOST_JUDGED), note, link and f"{link}&band={band}")


def since_midnight(at: datetime, zone: str) -> datetime:
    """The begin of the day of `at` in `zone`."""
    return at.astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)


def bounded(count: int, most: int) -> str:
    """A count with thousands separators; one beyond `most` as "20,000+"."""
    return f"{count:,}" if count <= most else f"{most:,}+"


def own_and_shared(here: Here) -> tuple[Binding, str]:
    """The binding, and the scope that a link names to show the same; empty when no single name does."""
    visible = visible_scopes(here.caller, here.space)
    scopes = tuple(visible.filter(Q(owner=None) | Q(owner=here.caller.person)).order_by("pk"))
    binding = Binding(here.space, here.caller, scopes)
    if len(scopes) == 1:
        return binding, scopes[0].name
    return binding, EVERY_SCOPE if visible.count() == len(scopes) else ""


def _with_scope(binding: Binding, views: list[FactView]) -> list[tuple[FactView, str]]:
    return [(view, binding.names[view.scope]) for view in views]
