"""The places of an answer as the page of recall shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from common.times import parse_instant
from memory.layers.pages.memory_addresses import session_address
from memory.layers.showing_words import lines_words
from memory.recall.items import Item
from memory.recall.pages.reasons import details_of, met_terms, reason_of
from memory.recall.rules.adding_up import Step, most_of, steps_of
from memory.recall.rules.marking import marked
from memory.sessions.models import Session
from spaces.access import Binding

# Characters of a text; its own page shows it whole.
LONGEST = 600
BAR = 96


@dataclass(frozen=True)
class Bar:
    """A term with the ends of its bar, of a width of 96, and which way it goes."""

    step: Step
    begins: float
    ends: float

    @property
    def takes(self) -> bool:
        """Whether the term makes the score smaller."""
        return self.step.adds < 0

    @property
    def amount(self) -> str:
        """How much it adds or takes, without its sign."""
        return f"{abs(self.step.adds):.3f}"


@dataclass(frozen=True)
class Place:
    """One place: its text in pieces (with whether the question met them), why it stands here, where it comes from."""

    item: Item
    scope: str
    heading: list[tuple[str, bool]]
    pieces: list[tuple[str, bool]]
    reason: str
    bars: list[Bar]
    details: list[tuple[str, str]]
    sources: list[tuple[str, str]]
    said_at: datetime | None

    @property
    def scope_query(self) -> str:
        """Its scope, as the query string of an address names it."""
        return urlencode({"scope": self.scope})


def places_of(binding: Binding, items: Sequence[Item]) -> list[Place]:
    """Each item as it is shown; one statement reads the titles of their sessions."""
    titles = titles_of({source[0] for item in items for source in item.sources})
    steps = [_steps(item) for item in items]
    most = most_of(steps)
    return [_place(binding, item, of_item, most, titles) for item, of_item in zip(items, steps, strict=True)]


def titles_of(sessions: set[UUID]) -> dict[UUID, str]:
    """What sessions are called: by their title, or as their client names them."""
    rows = Session.objects.filter(pk__in=sessions).values_list("pk", "title", "client_id")
    return {session: title or client_id for session, title, client_id in rows}


def bars_of(steps: Sequence[Step], most: float) -> list[Bar]:
    """The steps with their bars, of which one as wide as `most` fills the row."""
    scale = BAR / most if most > 0 else 0.0
    return [Bar(step, *sorted((step.before * scale, step.after * scale))) for step in steps]


def _steps(item: Item) -> list[Step]:
    """The terms of its score; none of what PHI and the plain order are not scored by."""
    terms = (item.explanation or {}).get("terms")
    return steps_of(terms, item.layer) if terms else []


def _place(binding: Binding, item: Item, steps: Sequence[Step], most: float, titles: dict[UUID, str]) -> Place:
    because = item.explanation or {}
    met, scope = met_terms(because), binding.names[item.scope]
    has_text = item.text != item.title
    return Place(
        item=item,
        scope=scope,
        heading=marked(item.title, met),
        pieces=marked(shortened(item.text), met) if has_text else [],
        reason=reason_of(because, item.layer),
        bars=bars_of(steps, most),
        details=details_of(because),
        sources=[
            (
                f"{titles.get(session, client_id)}, {lines_words(first, last)}",
                session_address(binding.space.slug, scope, str(session), first),
            )
            for session, client_id, first, last in item.sources
        ],
        said_at=parse_instant(item.said_at) if item.said_at else None,
    )


def shortened(text: str) -> str:
    """The begin of a long text."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
