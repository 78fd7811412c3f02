"""The inbox of contradictions: claims that can't both hold, what decides between them, and how people settled them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from common.times import now
from memory.facts.chains import chain_lengths
from memory.facts.models import ORDERED_BY, ContradictionDecision, Predicate
from memory.facts.reading import facts_of_claims, predicate_values, subject_values
from memory.facts.rules.disagreement import Claim, Conflict, canonical, conflict_among
from memory.facts.rules.record import ABSENT
from memory.facts.statements import fetch
from memory.facts.views import FactView
from memory.keys.keeping import hashed
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

# Groups are looked at in pieces, and a page ends after so many groups even when little was found in them.
_LARGEST_PIECE = 200
_SMALLEST_PIECE = 25
_MOST_GROUPS = 2_000

_SEEN = (
    "(not g.sealed or %(gate_open)s and exists ("
    f"select 1 from fact f where f.scope = g.scope and f.claim = g.claim and {released_sql()}))"
)

# Of a predicate that may have several values only a denial can contradict, and many such groups would be read in vain.
_MAY_DISAGREE = (
    "(not exists (select 1 from predicate p where p.name = g.predicate and p.multi_valued)"
    " or exists (select 1 from fact f where f.scope = g.scope and f.claim = g.claim and f.negated offset 0))"
)

# As the indexes of the groups have it.
_SUBJECT = f'left(g.subject, {ORDERED_BY}) collate "C"'
_ORDER = f'g.scope, g.sealed, {_SUBJECT}, left(g.predicate, {ORDERED_BY}) collate "C", g.claim'

Key = tuple[int, bool, str, str, str]


@dataclass(frozen=True)
class Contradiction:
    """A subject and predicate whose claims disagree."""

    scope: int
    claim: UUID
    subject: str
    predicate: str
    conflict: Conflict[FactView]
    multi_valued: bool = False
    dismissed: ContradictionDecision | None = None

    @property
    def fact_ids(self) -> list[str]:
        return [claim.id for claim in self.conflict.ranked]

    @property
    def is_phi(self) -> bool:
        """Whether every claim is PHI, so that subject and predicate stand in the clear nowhere."""
        return all(claim.payload.is_phi for claim in self.conflict.ranked)


@dataclass(frozen=True)
class ContradictionPage:
    """One page, and where the next begins."""

    as_of: datetime
    contradictions: list[Contradiction] = field(default_factory=list)
    next_key: Key | None = None


@dataclass(frozen=True)
class ContradictionQuery:
    """What is asked: of one subject, one predicate, or whole scopes; as it was known and stood at an instant."""

    subject: str | None = None
    predicate: str | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    include_dismissed: bool = False
    limit: int = 50


def find_contradictions(binding: Binding, query: ContradictionQuery, after: Key | None = None) -> ContradictionPage:
    """Contradictions in the order of their scope, subject and predicate; those of PHI alone come last.

    Candidates come from the claim groups; the rules are applied to the released facts of those groups alone.
    """
    as_of = query.as_of or now()
    valid_at = query.valid_at or as_of
    multi_valued = _multi_valued()
    found: list[Contradiction] = []
    key = after
    piece = min(max(query.limit + 1, _SMALLEST_PIECE), _LARGEST_PIECE)
    for _ in range(_MOST_GROUPS // piece):
        groups = _candidates(binding, query, key, piece)
        judged = _judged(binding, [group.claim for group in groups], multi_valued, as_of, valid_at)
        for group in groups:
            contradiction = judged.get((group.scope, group.claim))
            if contradiction is None or (contradiction.dismissed and not query.include_dismissed):
                key = group.key
                continue
            if len(found) == query.limit:
                return ContradictionPage(as_of, found, key)
            found.append(contradiction)
            key = group.key
        if len(groups) < piece:
            return ContradictionPage(as_of, found)
    return ContradictionPage(as_of, found, key)


def find_contradiction(binding: Binding, claim: UUID) -> Contradiction | None:
    """The contradiction of one claim group now, or None when its claims agree, or are not there for the reader."""
    return contradictions_of(binding, [claim]).get(claim)


def contradictions_of(
    binding: Binding, claims: Sequence[UUID], *, as_of: datetime | None = None
) -> dict[UUID, Contradiction]:
    """The contradictions of these claim groups, dismissed ones too; those whose claims agree are left out."""
    at = as_of or now()
    return {found.claim: found for found in _judged(binding, claims, _multi_valued(), at, at).values()}


def as_claim(view: FactView) -> Claim[FactView]:
    """A fact as a claim, with the effective confidence that it was judged to have."""
    record = view.record
    return Claim(
        id=record.id,
        object=None if record.object is ABSENT else canonical(record.object),
        negated=record.negated,
        recorded_at=record.recorded_at,
        effective=view.effective_confidence,
        valid_from=record.valid_from,
        valid_until=record.valid_until,
        payload=view,
    )


def stored_predicate(contradiction: Contradiction) -> str:
    """The name under which the Space keeps what was said of its predicate: of PHI a keyed hash."""
    name = contradiction.predicate
    return hashed(contradiction.scope, "predicate", name) if contradiction.is_phi else name


@dataclass(frozen=True)
class _Group:
    scope: int
    claim: UUID
    sealed: bool
    subject: str
    predicate: str

    @property
    def key(self) -> Key:
        return self.scope, self.sealed, self.subject[:ORDERED_BY], self.predicate[:ORDERED_BY], str(self.claim)


def _multi_valued() -> set[str]:
    return set(Predicate.objects.filter(multi_valued=True).values_list("name", flat=True))


def _candidates(binding: Binding, query: ContradictionQuery, after: Key | None, most: int) -> list[_Group]:
    """The next claim groups in order: now those where two claims stand, in the past all that ever had two.

    One of PHI alone is left out where nothing of it is released, so that no cursor tells of it.
    """
    where = ["g.scope = any(%(scopes)s)", _SEEN, _MAY_DISAGREE]
    values: dict[str, object] = gate_values(binding) | {"scopes": binding.scope_ids, "limit": most}
    if query.as_of is None and query.valid_at is None:
        where.append("g.open")
    if query.subject is not None:
        where.append(f"{_SUBJECT} = any(%(begins)s) and g.subject = any(%(subject)s)")
        values["subject"] = subject_values(binding, query.subject)
        values["begins"] = [value[:ORDERED_BY] for value in subject_values(binding, query.subject)]
    if query.predicate is not None:
        where.append("g.predicate = any(%(predicate)s)")
        values["predicate"] = predicate_values(binding, query.predicate)
    if after is not None:
        where.append(f"({_ORDER}) > (%(k0)s, %(k1)s::boolean, %(k2)s, %(k3)s, %(k4)s::uuid)")
        values |= {f"k{position}": value for position, value in enumerate(after)}
    rows = fetch(
        "select scope, claim, sealed, subject, predicate from fact_group g"
        f" where {' and '.join(where)} order by {_ORDER} limit %(limit)s",
        values,
    )
    return [_Group(**row) for row in rows]


def _judged(
    binding: Binding, claims: Sequence[UUID], multi_valued: set[str], as_of: datetime, valid_at: datetime
) -> dict[tuple[int, UUID], Contradiction]:
    """The contradictions among the facts of these claims, by scope and claim."""
    if not claims:
        return {}
    facts: dict[tuple[int, UUID], list[FactView]] = defaultdict(list)
    for view in facts_of_claims(binding, list(set(claims)), as_of, valid_at):
        facts[view.scope, view.claim].append(view)
    dismissals = _dismissals(binding, list({claim for _, claim in facts}), as_of)
    found = {}
    for (scope, claim), views in facts.items():
        subject, predicate = views[0].record.subject or "", views[0].record.predicate or ""
        several = bool(multi_valued & {predicate, hashed(scope, "predicate", predicate)})
        conflict = conflict_among(
            [as_claim(view) for view in views],
            chain_lengths(binding, scope, [view.record.id for view in views], as_of),
            multi_valued=several,
        )
        if conflict is None:
            continue
        dismissed = dismissals.get((scope, claim))
        if dismissed is not None and not {c.id for c in conflict.ranked} <= set(dismissed.facts):
            dismissed = None
        found[scope, claim] = Contradiction(scope, claim, subject, predicate, conflict, several, dismissed)
    return found


def _dismissals(binding: Binding, claims: list[UUID], as_of: datetime) -> dict[tuple[int, UUID], ContradictionDecision]:
    """The latest dismissal of each claim that had been made by `as_of`."""
    decisions = ContradictionDecision.objects.filter(
        scope__in=binding.scope_ids,
        claim__in=claims,
        kind=ContradictionDecision.Kind.DISMISSED,
        decided_at__lte=as_of,
    )
    return {(decision.scope, decision.claim): decision for decision in decisions.order_by("number")}
