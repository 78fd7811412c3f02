"""What a distiller is given, masked lines, and what it gives back, proposals. Code decides what becomes of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

EventKind = Literal["decision", "episode"]
Grain = Literal["instant", "day", "week", "month", "season", "year", "span"]


@dataclass(frozen=True, slots=True)
class Line:
    """One masked line. `session` tells the sessions of a batch apart, `index` is the line's place in its session."""

    session: int
    index: int
    role: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines `first` to `last` of a session, both included."""

    session: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """A time as it was told, resolved: from `begins` to before `ends` (aware, UTC), and the words that said it."""

    words: str
    begins: datetime
    ends: datetime
    grain: Grain


@dataclass(frozen=True, slots=True)
class FragmentProposal:
    """One memory of its own words. `key` is the proposal's name within its batch; `salience` is 0 to 1."""

    key: str
    text: str
    kind: str
    lines: LineRange
    speaker: str = ""
    said_at: datetime | None = None
    salience: float = 1.0
    spoken: SpokenTime | None = None


@dataclass(frozen=True, slots=True)
class EventProposal:
    """A decision or an episode, and the fragments (by key) that hang under it."""

    key: str
    title: str
    text: str
    kind: EventKind
    begins: datetime
    ends: datetime
    fragments: Sequence[str]


@dataclass(frozen=True, slots=True)
class ConceptProposal:
    """A person, place, skill, belief…: its type, its name, and the fragments and events (by key) that mention it."""

    key: str
    type: str
    name: str
    aliases: Sequence[str] = ()
    fragments: Sequence[str] = ()
    events: Sequence[str] = ()
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FactProposal:
    """A KNDL fact to be written: `confidence` 0 to 1, `decay` as KNDL spells it ("0.5/365d") or None.

    `review` asks that a person look at it first, whatever the Space's setting.
    """

    subject: str
    predicate: str
    object: Any
    statement: str
    confidence: float
    decay: str | None
    fragment: str
    negated: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    review: bool = False


@dataclass(frozen=True, slots=True)
class Proposals:
    """Everything a distiller made of one batch of lines."""

    fragments: Sequence[FragmentProposal] = ()
    events: Sequence[EventProposal] = ()
    concepts: Sequence[ConceptProposal] = ()
    facts: Sequence[FactProposal] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What the scope knows already, by which a distiller weighs words and names; nothing that another scope holds.

    `concepts` maps a lower-case name or alias to (type, name). `frequent` holds lexemes that are common in the scope.
    """

    concepts: dict[str, tuple[str, str]] = field(default_factory=dict)
    frequent: frozenset[str] = frozenset()


class Distiller(Protocol):
    """A plug-in that turns lines into proposals."""

    name: str

    def distil(self, lines: Sequence[Line], known: Known) -> Proposals:
        """Proposals for these lines, which are in order within each session.

        Every key is unique in the batch and every reference names one of them. Raises DistillerRefused when nothing
        usable came back: the whole batch stays pending then.
        """


class DistillerRefused(Exception):
    """A distiller could not do its work; the message says why, in words for a person, without any of the lines."""

    def __init__(self, reason: str, *, retry: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry
