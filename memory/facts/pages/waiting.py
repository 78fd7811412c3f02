"""What of facts waits for a person: in the navigation, and on the home page of a Space."""

from typing import Any

import rules
from django.urls import reverse
from django.utils.http import urlencode

from common.registries import HomeFigure, HomePart, NavigationItem, home_cards, navigation
from memory.facts.contradictions import ContradictionQuery, find_contradictions
from memory.facts.counting import open_contradictions, soon_fading
from memory.facts.fading import FadingQuery, fading_facts
from memory.facts.pages.home import own_and_shared
from spaces.access import Binding
from spaces.pages import Here

GROUP = "What it holds true"
SHOWN = 4


def register_card() -> None:
    """Tell the house what of facts waits; before the other cards, so that it stands above them."""
    home_cards.add("waiting", home_part)


def register_pages() -> None:
    """Tell the house about the inbox and the page of what fades."""
    within = frozenset({"contradiction_decisions"})
    navigation.add(
        "contradictions",
        NavigationItem(
            "Contradictions",
            "contradictions_page",
            GROUP,
            "c",
            within=within,
            count=open_contradictions,
            is_due=True,
        ),
    )
    navigation.add("fading", NavigationItem("Fading", "fading_page", GROUP, "i", count=soon_fading))


def home_part(here: Here) -> HomePart:
    """How many contradictions are open and how many facts fade, and the first of them; nothing where nothing waits."""
    binding, everything = own_and_shared(here)
    pages = {name: _address(here, f"{name}_page", everything) for name in ("contradictions", "fading")}
    figures = []
    for name, label, note, count in (
        ("contradictions", "Contradictions open", "claims that cannot both hold", open_contradictions),
        ("fading", "Facts about to fade", "leave their band within 30 days", soon_fading),
    ):
        number, more = count(binding)
        if number:
            figures.append(
                HomeFigure(label, f"{number:,}{'+' if more else ''}", note, pages[name] if everything else "")
            )
    context: dict[str, object] = {
        "contradictions": _contradictions(here, binding),
        "fading": _fading(here, binding),
        "pages": pages,
        "may_write": rules.test_rule("facts:write", here.caller, here.space),
    }
    return HomePart(tuple(figures), "memory/home_waiting.html", context)


def _contradictions(here: Here, binding: Binding) -> list[dict[str, Any]]:
    page = find_contradictions(binding, ContradictionQuery(limit=SHOWN))
    return [
        {
            "item": item,
            "url": f"{_address(here, 'contradictions_page', binding.names[item.scope])}&claim={item.claim}",
        }
        for item in page.contradictions
    ]


def _fading(here: Here, binding: Binding) -> list[dict[str, Any]]:
    page = fading_facts(binding, FadingQuery(limit=SHOWN))
    return [
        {
            "fading": fading,
            "scope": (scope := binding.names[fading.view.scope]),
            "url": _address(here, "fading_page", scope),
        }
        for fading in page.facts
    ]


def _address(here: Here, view: str, scope: str) -> str:
    address = reverse(view, args=[here.space.slug])
    return f"{address}?{urlencode({'scope': scope})}" if scope else address
