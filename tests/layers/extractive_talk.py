"""Made-up conversations for the tests of the extractive distiller, and what is made of them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

from memory.embedding.wordllama import WordllamaEmbedder
from memory.layers.distillers.extractive import Extractive
from memory.layers.rules.proposals import ConceptProposal, EventProposal, FragmentProposal, Known, Line, Proposals

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@cache
def distiller() -> Extractive:
    return Extractive(WordllamaEmbedder().embed)


def lines(*rows: tuple[str, str], session: int = 1, role: str | None = None, start: datetime = START) -> list[Line]:
    """One line a minute. A row is (speaker, text); "user", "assistant", "tool" and "system" stand for their roles."""
    made = []
    first = rows[0][0] if rows else ""
    for index, (speaker, text) in enumerate(rows):
        named = speaker not in {"user", "assistant", "tool", "system"}
        its_role = role or (("user" if speaker == first else "assistant") if named else speaker)
        at = start + timedelta(minutes=index)
        made.append(Line(session, index, its_role, speaker if named else "", text, at))
    return made


def distilled(*rows: tuple[str, str], known: Known | None = None) -> Proposals:
    return distiller().distil(lines(*rows), known or Known())


def fragments(*rows: tuple[str, str]) -> list[FragmentProposal]:
    return list(distilled(*rows).fragments)


def texts(*rows: tuple[str, str]) -> list[str]:
    return [fragment.text for fragment in fragments(*rows)]


def episodes(proposals: Proposals) -> list[EventProposal]:
    return [event for event in proposals.events if event.kind == "episode"]


def decisions(proposals: Proposals) -> list[EventProposal]:
    return [event for event in proposals.events if event.kind == "decision"]


def named(concepts: Sequence[ConceptProposal], name: str) -> ConceptProposal | None:
    return next((concept for concept in concepts if concept.name == name), None)


def kinds(*rows: tuple[str, str], known: Known | None = None) -> dict[str, str]:
    """Name → its type, or the kind of a topic."""
    found = distilled(*rows, known=known).concepts
    return {concept.name: str(concept.attributes.get("kind", concept.type)) for concept in found}
