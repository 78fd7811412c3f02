"""Concepts while they are gathered: one a type and name, whatever forms of the name are met."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.layers.distillers.extractive.keys import concept_key
from memory.layers.rules.proposals import ConceptProposal, EventProposal


@dataclass(slots=True)
class Draft:
    """A concept, the fragments that mention it so far, and the events it takes part in."""

    type: str
    name: str
    attributes: dict[str, Any]
    aliases: dict[str, None] = field(default_factory=dict)
    fragments: dict[str, None] = field(default_factory=dict)
    events: dict[str, None] = field(default_factory=dict)

    def all_events(self, events_of: Mapping[str, Sequence[str]]) -> set[str]:
        """Return the events it takes part in and those its fragments hang under."""
        return set(self.events).union(*(events_of.get(fragment, ()) for fragment in self.fragments))


def events_by_fragment(events: Sequence[EventProposal]) -> dict[str, list[str]]:
    """Return the keys of the events that each fragment, by its key, hangs under."""
    found: dict[str, list[str]] = {}
    for event in events:
        for fragment in event.fragments:
            found.setdefault(fragment, []).append(event.key)
    return found


class Drafts:
    """The concepts of a batch. One the scope knows already keeps its type, name and attributes."""

    def __init__(self, known: Mapping[str, tuple[str, str]]) -> None:
        self._known = known
        self._drafts: dict[str, Draft] = {}
        self._by_form: dict[str, Draft] = {}

    def add(self, type_name: str, name: str, fragments: Iterable[str], **attributes: object) -> Draft:
        """Add mentions of a concept, a new one or one added before, and return it."""
        if known := self._known.get(name.lower()):
            draft = self._draft(*known, {})
        else:
            draft = self._draft(type_name, name, attributes)
        self.call(draft, name)
        draft.fragments |= dict.fromkeys(fragments)
        return draft

    def call(self, draft: Draft, form: str) -> None:
        """Let a concept go by one more form of its name."""
        if form.lower() != draft.name.lower():
            draft.aliases[form] = None
        self._by_form[form.lower()] = draft

    def person(self, name: str) -> Draft:
        """Return the person who goes by a name in any of its forms, added when there is none."""
        return self._by_form.get(name.lower()) or self.add("Person", name, (), person_class="Human")

    def proposals(self, fragments: Sequence[str], events: Sequence[EventProposal]) -> list[ConceptProposal]:
        """Return the concepts in the order they were added, their fragments and events in the order given here.

        A concept belongs to every event that one of its fragments hangs under.
        """
        place = {key: number for number, key in enumerate(fragments)}
        event_place = {event.key: number for number, event in enumerate(events)}
        events_of = events_by_fragment(events)
        return [
            ConceptProposal(
                key=key,
                type=draft.type,
                name=draft.name,
                aliases=tuple(draft.aliases),
                fragments=tuple(sorted(draft.fragments, key=place.__getitem__)),
                events=tuple(sorted(draft.all_events(events_of), key=event_place.__getitem__)),
                attributes=draft.attributes,
            )
            for key, draft in self._drafts.items()
        ]

    def _draft(self, type_name: str, name: str, attributes: dict[str, Any]) -> Draft:
        return self._drafts.setdefault(concept_key(type_name, name), Draft(type_name, name, attributes))
