"""A contradiction as its page shows it: claims side by side, how the rule decides, who was preferred when."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from common.actors import shown_names
from common.times import format_instant, now
from memory.facts.chains import chain_lengths
from memory.facts.contradictions import Contradiction, as_claim
from memory.facts.reading import facts_ever_of_claim
from memory.facts.rules.decay import parse_decay
from memory.facts.rules.disagreement import Claim, Rule
from memory.facts.rules.preference import Spell, Stretch, stretches
from memory.facts.rules.record import FactRecord
from memory.facts.views import FactView
from spaces.access import Binding

# Of a contradiction with more claims the others are named below; of a long history the latest turns are shown.
MOST_CLAIMS = 8
MOST_TURNS = 8
MOST_REMEMBERED = 60
# Where two curves of confidence cross, they may be equal for some microseconds: that is no turn to tell of.
_BLINK = timedelta(milliseconds=1)

_PARTS: dict[str, Callable[[FactView], Any]] = {
    "object": lambda view: as_claim(view).object,
    "negated": lambda view: view.record.negated,
    "recorded": lambda view: view.record.recorded_at,
    "valid": lambda view: (view.record.valid_from, view.record.valid_until),
    "source": lambda view: view.record.source,
    "author": lambda view: view.recorded_by,
    "confidence": lambda view: (view.record.confidence, view.record.decay),
}


@dataclass(frozen=True)
class ShownClaim:
    """A claim with its letter; `differs` names the parts in which the claims shown are not all alike."""

    letter: str
    view: FactView
    author: str
    is_preferred: bool
    differs: frozenset[str]

    @property
    def record(self) -> FactRecord:
        return self.view.record


@dataclass(frozen=True)
class RuleTest:
    """One of the rules, applied to the first claim and its rival; `winner` is a letter, or empty."""

    name: str
    first: Any
    rival: Any
    winner: str
    decides: bool


@dataclass(frozen=True)
class Turn:
    """From an instant on another claim was preferred, or none; `view` is it, with its letter when it stands now.

    `form` is how exactly the instant needs to be written to tell it from its neighbours.
    """

    stretch: Stretch
    view: FactView | None
    letter: str
    is_now: bool
    form: str

    @property
    def as_of(self) -> str:
        """The instant as an address says it."""
        return format_instant(self.stretch.begin)


def shown_claims(contradiction: Contradiction) -> list[ShownClaim]:
    """The claims, best first, the rival of the first one among them."""
    conflict = contradiction.conflict
    views = [claim.payload for claim in conflict.ranked[:MOST_CLAIMS]]
    if conflict.rival.payload not in views:
        views[-1] = conflict.rival.payload
    differs = frozenset(name for name, part in _PARTS.items() if any(part(a) != part(b) for a, b in pairwise(views)))
    names = shown_names(view.recorded_by for view in views)
    first = conflict.preferred
    return [
        ShownClaim(letter, view, names[view.recorded_by], first is not None and view.record.id == first.id, differs)
        for letter, view in zip(ascii_uppercase, views, strict=False)
    ]


def tests_of(
    binding: Binding, contradiction: Contradiction, claims: Sequence[ShownClaim], at: datetime
) -> list[RuleTest]:
    """The four rules in their order, for the first claim and the best of those against it."""
    conflict = contradiction.conflict
    first, rival = conflict.ranked[0], conflict.rival
    length = chain_lengths(binding, contradiction.scope, [first.id, rival.id], at)
    rows: list[tuple[Rule, str, Callable[[Claim[FactView]], Any], bool]] = [
        (Rule.ASSERTED, "Not negated", lambda claim: not claim.negated, True),
        (Rule.NEWER, "Newer record", lambda claim: claim.recorded_at, True),
        (Rule.SURER, "Higher effective confidence", lambda claim: claim.effective, True),
        (Rule.SHORTER, "Shorter chain to a root", lambda claim: length(claim.id), False),
    ]
    letters = {claim.record.id: claim.letter for claim in claims}
    found = []
    for rule, name, value, most in rows:
        one, other = value(first), value(rival)
        better = first if (one > other) is most else rival
        found.append(RuleTest(name, one, other, "" if one == other else letters[better.id], conflict.rule is rule))
    return found


def turns_of(binding: Binding, contradiction: Contradiction, claims: Sequence[ShownClaim]) -> list[Turn]:
    """Since when which claim is preferred, and until when: the latest turns up to now, and those that lie ahead."""
    at = now()
    views = facts_ever_of_claim(binding, contradiction.claim, most=MOST_REMEMBERED)
    known = {view.record.id: view for view in views if view.scope == contradiction.scope}
    found = stretches(
        [_spell(view) for view in known.values()],
        chain_lengths(binding, contradiction.scope, list(known), at),
        multi_valued=contradiction.multi_valued,
    )
    letters = {claim.record.id: claim.letter for claim in claims}
    ends = [*(stretch.begin for stretch in found[1:]), None]
    found = [stretch for stretch, end in zip(found, ends, strict=True) if end is None or end - stretch.begin > _BLINK]
    past = [stretch for stretch in found if stretch.begin <= at]
    ahead = [stretch for stretch in found if stretch.begin > at]
    listed = [*past[-MOST_TURNS:], *ahead[:MOST_TURNS]]
    in_minute = Counter(stretch.begin.replace(second=0, microsecond=0) for stretch in listed)
    return [
        Turn(
            stretch,
            known.get(stretch.first or ""),
            letters.get(stretch.first or "", ""),
            bool(past) and stretch is past[-1],
            "second" if in_minute[stretch.begin.replace(second=0, microsecond=0)] > 1 else "minute",
        )
        for stretch in listed
    ]


def _spell(view: FactView) -> Spell:
    record = view.record
    return Spell(
        claim=Claim(**{**vars(as_claim(view)), "payload": None}),
        confidence=record.confidence,
        decay=parse_decay(record.decay) if record.decay else None,
        superseded_at=view.superseded_at,
    )
