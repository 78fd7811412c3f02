"""What recall weighs against each other, and the account of each one's score."""

from dataclasses import dataclass
from datetime import datetime
from math import prod


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that recall may answer with.

    What the caller supplies, all within one scope:

    - the 100 best live memories of layers 1–3 by BM25 and the 10 nearest fragments (layer 1), each with both measures:
      `bm` as the word search gave it, 0 where it did not; `cosine` exact, for each fragment that has a vector,
      whichever arm found it, None for anything else;
    - the fragments beside those in their sessions, if they are live: `bm` 0, `cosine` exact or 0, which measured alike;
    - lines not yet distilled (layer 0, negative ids), `bm` by the scope's own idf and mean length, no cosine;
    - events and concepts reached by spreading: `activation`, and `members`.

    `strength` is the decayed score now, 0 to 1. `role`, `speaker`, `said_at` and `length` (characters) are those of the
    whole line. `line` is (session, index): parts of one long line have it in common. `neighbours` are the ids of the
    fragments before and after it in its session, `events` of the events it hangs under. `members` are, for layers 2 and
    3, the ids of the fragments under it or that mention it; those among the candidates suffice.
    """

    id: int
    layer: int
    bm: float = 0.0
    cosine: float | None = None
    strength: float = 1.0
    role: str = "user"
    length: int = 0
    speaker: str = ""
    said_at: datetime | None = None
    has_time: bool = False
    has_number: bool = False
    line: tuple[int, int] | None = None
    neighbours: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    members: tuple[int, ...] = ()
    activation: float = 0.0


@dataclass(frozen=True, slots=True)
class Account:
    """Every term of a score. `own` = (words + cosine + activation) × all factors; the score follows from `total`."""

    words: float
    cosine: float
    activation: float
    factors: dict[str, float]
    spread: dict[str, float]
    strength: float
    limit: float | None = None

    @property
    def own(self) -> float:
        """Return what the memory earned by itself, before spreading and strength."""
        return (self.words + self.cosine + self.activation) * prod(self.factors.values())

    @property
    def total(self) -> float:
        """Return the score: (own + spread) × strength, at most `limit` where the memory must stand behind another."""
        score = (self.own + sum(self.spread.values())) * self.strength
        return score if self.limit is None else min(score, self.limit)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A place in the answer: the score, how it came about and, for layers 2 and 3, whose lines stand for it.

    `best_fragments` are one or two fragments that rank above it, best first; empty when no fragment under it is a
    candidate: the caller then takes the memory's own first lines.
    """

    id: int
    layer: int
    score: float
    account: Account
    best_fragments: tuple[int, ...] = ()
