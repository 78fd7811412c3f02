"""One batch on its way from proposals to memories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

from common.times import format_instant
from memory.layers.models import LayerSettings
from memory.layers.rules.proposals import (
    ConceptProposal,
    EventProposal,
    FactProposal,
    FragmentProposal,
    Line,
    LineRange,
    Proposals,
)
from memory.layers.vectors import Vectors
from memory.recall.rules.indexing import IndexedText
from memory.sessions.models import Session
from spaces.access import Binding

Proposed = TypeVar("Proposed", FragmentProposal, EventProposal, ConceptProposal)


@dataclass(frozen=True)
class Batch:
    """What one batch was made of. `sessions` are in the order of `Line.session`; `texts` are masked lines by place.

    `adopted` maps keys of proposals that were stored before to their nodes, `adopted_lines` those of fragments to
    their lines.
    """

    binding: Binding
    run: UUID
    settings: LayerSettings
    sessions: Sequence[Session]
    lines: Mapping[tuple[int, int], Line]
    proposals: Proposals
    adopted: Mapping[str, int] = field(default_factory=dict)
    adopted_lines: Mapping[str, LineRange] = field(default_factory=dict)

    @property
    def scope(self) -> int:
        return self.binding.one.pk

    def place_of(self, lines: LineRange) -> tuple[UUID, int, int]:
        """A line range by its session's id."""
        return self.sessions[lines.session].pk, lines.first, lines.last

    def class_of(self, fragments: Iterable[str]) -> str | None:
        """The classification of what rests on these fragments: that of the first one's session."""
        first = next((self.ranges[key] for key in fragments if key in self.ranges), None)
        return self.sessions[first.session].classification if first else None

    @cached_property
    def ranges(self) -> Mapping[str, LineRange]:
        """The lines of each fragment of the batch, by its key."""
        return {**self.adopted_lines, **{proposal.key: proposal.lines for proposal in self.proposals.fragments}}

    def text_at(self, session: int, index: int) -> str | None:
        """The masked text of a line, None where there is none."""
        line = self.lines.get((session, index))
        return line.text if line else None


@dataclass(frozen=True)
class Ready(Generic[Proposed]):
    """A proposal with what is to be indexed of it.

    `twin` is what says the same: the number of a live node, or the key of an earlier proposal of the batch.
    """

    proposal: Proposed
    attributes: dict[str, Any]
    words: IndexedText
    vector: Vectors
    twin: int | str | None = None

    @property
    def key(self) -> str:
        """The proposal's name within its batch."""
        return self.proposal.key


@dataclass(frozen=True)
class Prepared:
    """A batch whose model calls and comparisons are done; what is left is one transaction."""

    fragments: Sequence[Ready[FragmentProposal]] = ()
    events: Sequence[Ready[EventProposal]] = ()
    concepts: Sequence[Ready[ConceptProposal]] = ()
    facts: Sequence[FactProposal] = ()


def fragment_attributes(proposal: FragmentProposal, lines: Mapping[tuple[int, int], Line]) -> dict[str, Any]:
    """What a fragment keeps beside its text."""
    line = lines[proposal.lines.session, proposal.lines.first]
    found: dict[str, Any] = {"kind": proposal.kind, "role": line.role, "length": len(line.text)}
    if proposal.speaker:
        found["speaker"] = proposal.speaker
    if proposal.spoken:
        spoken = proposal.spoken
        found["spoken"] = {
            "words": spoken.words,
            "begins": format_instant(spoken.begins),
            "ends": format_instant(spoken.ends),
            "grain": spoken.grain,
        }
    return found


def event_attributes(proposal: EventProposal) -> dict[str, Any]:
    """What an event keeps beside its text."""
    return {
        "event_class": proposal.kind,
        "title": proposal.title,
        "start_time": format_instant(proposal.begins),
        "end_time": format_instant(proposal.ends),
        "content_summary": proposal.text,
    }


def concept_attributes(proposal: ConceptProposal) -> dict[str, Any]:
    """What a concept keeps beside its name."""
    return {**proposal.attributes, **({"aliases": list(proposal.aliases)} if proposal.aliases else {})}


def description_of(proposal: ConceptProposal) -> str:
    """What a concept's text is: how its distiller describes it, if it does."""
    return str(proposal.attributes.get("description", ""))
