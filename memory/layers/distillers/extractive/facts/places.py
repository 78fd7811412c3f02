"""Whether capitalised words can name a place somebody lives in or comes from."""

import re

from memory.layers.distillers.extractive.facts.grammar import NAME
from memory.layers.distillers.extractive.facts.words import is_tool
from memory.layers.distillers.extractive.lexicon import entries, lower_entries

_KNOWN = lower_entries("cities") | lower_entries("countries") | lower_entries("regions") | {"uk", "us", "usa", "nyc"}
_NO_PLACES = entries("not_names") | frozenset({
    "IT", "HR", "QA", "PR", "Marketing", "Sales", "Support", "Engineering", "Finance", "Legal", "Design", "Product",
    "Operations", "Hell", "Heaven", "Team", "Slack", "Notion", "Discord", "Zoom", "Teams", "Twitter", "Facebook",
    "Instagram", "Reddit", "YouTube", "Minecraft", "Fear", "My", "The", "Your", "A", "An", "I", "Hogwarts", "Narnia",
    "Gondor", "Mordor", "Mars", "Jupiter",
})  # fmt: skip
_PLACE = re.compile(rf"(?P<the>(?i:the ))?(?P<name>{NAME})(?P<within>, {NAME})?")


def named_place(words: str, *, only_known: bool = False) -> str | None:
    """Return the place that words begin with, its country or state after a comma included, or None.

    With `only_known`, a place that no list holds is None too.
    """
    found = _PLACE.match(words)
    if found is None:
        return None
    name = found["name"].rstrip(".'’")
    if name.endswith(("'s", "’s")):
        return None
    known = name.lower() in _KNOWN
    if not known and (
        only_known or name.split()[0] in _NO_PLACES or is_tool(name) or _is_acronym(name) or found["the"]
    ):
        return None
    within = (found["within"] or "").rstrip(".'’")
    if within[2:].lower() not in _KNOWN:
        within = ""
    return (found["the"] or "").lower() + name + within


def _is_acronym(name: str) -> bool:
    return name.isupper() and len(name) <= 4
