"""When claims can't both hold, and which of them is preferred. No database here.

The rules are those of the KNDL memory conventions ("Contradiction resolution"), made exact: see docs/facts.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import combinations
from typing import Any, Generic, TypeVar

from common.jsonio import dumps

Payload = TypeVar("Payload")
_LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


class Rule(Enum):
    """What decided between the first claim and the best of those that it can't hold beside."""

    ASSERTED = "asserted before denied"
    NEWER = "newer record"
    SURER = "higher effective confidence"
    SHORTER = "shorter derivation chain"
    TIE = "nothing: they tie"


@dataclass(frozen=True)
class Claim(Generic[Payload]):
    """A fact as a claim about a subject and predicate. `object` is its canonical form; None when there is none."""

    id: str
    object: str | None
    negated: bool
    recorded_at: datetime
    effective: float
    valid_from: datetime
    valid_until: datetime | None
    payload: Payload


@dataclass(frozen=True)
class Conflict(Generic[Payload]):
    """Claims of one subject and predicate that disagree, best first.

    `opposed` are those of them that the first one can't hold beside, best first as well; `since` is when two of them
    first stood against each other.
    """

    ranked: tuple[Claim[Payload], ...]
    opposed: tuple[Claim[Payload], ...]
    rule: Rule
    since: datetime

    @property
    def tied(self) -> bool:
        return self.rule is Rule.TIE

    @property
    def preferred(self) -> Claim[Payload] | None:
        """The first claim; None when it ties with one that it can't hold beside."""
        return None if self.tied else self.ranked[0]

    @property
    def rival(self) -> Claim[Payload]:
        """The best claim against the first one."""
        return self.opposed[0]

    @property
    def confidence_disagrees(self) -> bool:
        """Whether a claim against the preferred one is surer than it."""
        first = self.preferred
        return first is not None and any(claim.effective > first.effective for claim in self.opposed)


def canonical(value: Any) -> str:
    """A JSON value in one spelling: keys sorted, and 1, 1.0, 1e0 and, for 0, -0.0 as one number each."""
    return dumps(_canonical(value))


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        # By its digits: 1e300 is the number that is written so, not the nearest that a double can hold.
        return int(Decimal(repr(value)))
    return value


def disagree(first: Claim[Any], second: Claim[Any], *, multi_valued: bool = False) -> bool:
    """Whether two claims about one subject and predicate can't both hold while both are valid.

    Two different objects, neither denied; or one object asserted and denied. Where the predicate may have several
    values only the latter counts.
    """
    if not _overlap(first, second):
        return False
    if first.object == second.object:
        return first.negated != second.negated
    return not (multi_valued or first.negated or second.negated)


def _overlap(first: Claim[Any], second: Claim[Any]) -> bool:
    return _begins_before_end(first, second) and _begins_before_end(second, first)


def _begins_before_end(first: Claim[Any], second: Claim[Any]) -> bool:
    return second.valid_until is None or first.valid_from < second.valid_until


def disagreeing(
    claims: Sequence[Claim[Payload]], *, multi_valued: bool = False
) -> Iterator[tuple[Claim[Payload], Claim[Payload]]]:
    """The pairs among these claims that can't both hold."""
    return (pair for pair in combinations(claims, 2) if disagree(*pair, multi_valued=multi_valued))


def conflict_among(
    claims: Sequence[Claim[Payload]], chain_length: Callable[[str], int], *, multi_valued: bool = False
) -> Conflict[Payload] | None:
    """The conflict among claims of one subject and predicate, or None when they agree.

    `chain_length(id)` is the longest path from a fact to a root; it is asked only when nothing before it decides.
    """
    pairs = list(disagreeing(claims, multi_valued=multi_valued))
    if not pairs:
        return None
    involved = {claim.id for pair in pairs for claim in pair}
    ranked = sorted((claim for claim in claims if claim.id in involved), key=lambda claim: (_rank(claim), claim.id))
    ranked = _by_chain(ranked, chain_length)
    first = ranked[0]
    opposed = tuple(claim for claim in ranked if disagree(first, claim, multi_valued=multi_valued))
    return Conflict(
        ranked=tuple(ranked),
        opposed=opposed,
        rule=_deciding_rule(first, opposed[0], chain_length),
        since=min(max(map(_stands_from, pair)) for pair in pairs),
    )


def _stands_from(claim: Claim[Any]) -> datetime:
    return max(claim.recorded_at, claim.valid_from)


def _rank(claim: Claim[Any]) -> tuple[bool, timedelta, float]:
    return claim.negated, _LAST_INSTANT - claim.recorded_at, -claim.effective


def _by_chain(ranked: list[Claim[Payload]], chain_length: Callable[[str], int]) -> list[Claim[Payload]]:
    """Order claims of equal rank by the length of their chains; chains are looked up for those alone."""
    ranks = [_rank(claim) for claim in ranked]
    if len(set(ranks)) == len(ranks):
        return ranked
    lengths = {
        claim.id: chain_length(claim.id) for claim, rank in zip(ranked, ranks, strict=True) if ranks.count(rank) > 1
    }
    return sorted(ranked, key=lambda claim: (_rank(claim), lengths.get(claim.id, 0), claim.id))


def _deciding_rule(first: Claim[Any], second: Claim[Any], chain_length: Callable[[str], int]) -> Rule:
    if first.negated != second.negated:
        return Rule.ASSERTED
    if first.recorded_at != second.recorded_at:
        return Rule.NEWER
    if first.effective != second.effective:
        return Rule.SURER
    if chain_length(first.id) != chain_length(second.id):
        return Rule.SHORTER
    return Rule.TIE
