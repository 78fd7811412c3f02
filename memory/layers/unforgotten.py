"""What a distiller proposed, without what was forgotten, whether it tells it as a memory or within another."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.layers.batches import Batch
from memory.layers.models import Node
from memory.layers.rules.proposals import ConceptProposal, EventProposal, FragmentProposal, Proposals
from memory.layers.tombstones import Blocked

_LONGEST_TITLE = 100
_LONGEST_TEXT = 1_000


def unforgotten(batch: Batch, blocked: Blocked) -> Proposals:
    """The proposals of a batch that may be made.

    An event under which a forgotten fragment was proposed, or that retells one, is told anew by the fragments that are
    left, and goes where none is.
    """
    given = batch.proposals
    fragments = {
        fragment.key: fragment
        for fragment in given.fragments
        if not blocked.fragment(fragment.text, *batch.place_of(fragment.lines))
    }
    gone = {fragment.key for fragment in given.fragments} - set(fragments)
    events = [event for told in given.events if (event := _event(batch, blocked, told, fragments, gone))]
    gone |= {event.key for event in given.events} - {event.key for event in events}
    return Proposals(
        list(fragments.values()),
        events,
        [concept for told in given.concepts if (concept := _concept(blocked, told, gone))],
        [fact for fact in given.facts if fact.fragment not in gone and not blocked.retold(fact.statement)],
    )


def _event(
    batch: Batch, blocked: Blocked, event: EventProposal, fragments: Mapping[str, FragmentProposal], gone: set[str]
) -> EventProposal | None:
    under = [key for key in event.fragments if key not in gone]
    if not under or _is_forgotten(batch, blocked, event):
        return None
    if len(under) == len(event.fragments) and not blocked.retold(event.title, event.text):
        return event
    told = _texts(batch, under, fragments)
    if not told:
        return None
    return replace(event, title=_short(told[:1], _LONGEST_TITLE), text=_short(told, _LONGEST_TEXT), fragments=under)


def _texts(batch: Batch, keys: Sequence[str], fragments: Mapping[str, FragmentProposal]) -> list[str]:
    """What these fragments say, those among them too that were stored before."""
    stored = [batch.adopted[key] for key in keys if key not in fragments and key in batch.adopted]
    texts = dict(Node.objects.filter(pk__in=stored).values_list("pk", "text")) if stored else {}
    said = [fragments[key].text if key in fragments else texts.get(batch.adopted.get(key, 0), "") for key in keys]
    return [text for text in said if text]


def _is_forgotten(batch: Batch, blocked: Blocked, event: EventProposal) -> bool:
    lines = [batch.ranges[key] for key in event.fragments if key in batch.ranges]
    if not lines:
        return False
    first, last = min(item.first for item in lines), max(item.last for item in lines)
    return blocked.event(batch.sessions[lines[0].session].pk, first, last, event.title, event.text)


def _concept(blocked: Blocked, concept: ConceptProposal, gone: set[str]) -> ConceptProposal | None:
    fragments = [key for key in concept.fragments if key not in gone]
    events = [key for key in concept.events if key not in gone]
    names = [concept.name, *concept.aliases]
    if not (fragments or events) or blocked.concept(concept.type, concept.name):
        return None
    if blocked.retold(*names, *_words(concept.attributes)):
        return None
    return replace(concept, fragments=fragments, events=events)


def _words(attributes: Mapping[str, Any]) -> list[str]:
    return [value for value in attributes.values() if isinstance(value, str)]


def _short(texts: Sequence[str], most: int) -> str:
    """In one line, cut at a space."""
    flat = " ".join(" ".join(texts).split())
    return flat if len(flat) <= most else f"{flat[: most - 1].rsplit(' ', 1)[0]}…"
