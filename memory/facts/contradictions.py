"""The inbox of contradictions: claims that can't both hold, what decides between them, and how people settled them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from common.times import now
from memory.facts.disagreement import Claim, Conflict, canonical, conflict_among
from memory.facts.models import ContradictionDecision, Predicate
from memory.facts.reading import facts_of_claims, predicate_values, subject_values
from memory.facts.record import ABSENT
from memory.facts.statements import fetch
from memory.facts.views import FactView
from spaces.access import Binding

# Groups are looked at in pieces, and a page ends after so many pieces even when little was found in them.
_PIECE = 200
_MOST_PIECES = 10
_DEEPEST = 64

Key = tuple[int, bool, str, str, str]


@dataclass(frozen=True)
class Contradiction:
    """A subject and predicate whose claims disagree."""

    scope: int
    claim: UUID
    subject: str
    predicate: str
    conflict: Conflict[FactView]
    dismissed: ContradictionDecision | None = None

    @property
    def fact_ids(self) -> list[str]:
        return [claim.id for claim in self.conflict.ranked]


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
    multi_valued = set(Predicate.objects.filter(multi_valued=True).values_list("name", flat=True))
    found: list[Contradiction] = []
    key = after
    for _ in range(_MOST_PIECES):
        groups = _candidates(binding, query, key)
        judged = _judged(binding, groups, multi_valued, as_of, valid_at)
        for group in groups:
            contradiction = judged.get((group.scope, group.claim))
            if contradiction is None or (contradiction.dismissed and not query.include_dismissed):
                key = group.key
                continue
            if len(found) == query.limit:
                return ContradictionPage(as_of, found, key)
            found.append(contradiction)
            key = group.key
        if len(groups) < _PIECE:
            return ContradictionPage(as_of, found)
    return ContradictionPage(as_of, found, key)


def find_contradiction(binding: Binding, claim: UUID, *, as_of: datetime | None = None) -> Contradiction | None:
    """The contradiction of one claim group, or None when its claims agree, or are not there for the reader."""
    at = as_of or now()
    groups = [_Group(scope, claim, False, "", "") for scope in binding.scope_ids]
    multi_valued = set(Predicate.objects.filter(multi_valued=True).values_list("name", flat=True))
    return next(iter(_judged(binding, groups, multi_valued, at, at).values()), None)


def count_open(binding: Binding, *, most: int) -> int:
    """How many contradictions wait for somebody, counted up to `most`."""
    return len(find_contradictions(binding, ContradictionQuery(limit=most)).contradictions)


@dataclass(frozen=True)
class _Group:
    scope: int
    claim: UUID
    sealed: bool
    subject: str
    predicate: str

    @property
    def key(self) -> Key:
        return self.scope, self.sealed, self.subject, self.predicate, str(self.claim)


def _candidates(binding: Binding, query: ContradictionQuery, after: Key | None) -> list[_Group]:
    """The next claim groups in order: now those where two claims stand, in the past all that ever had two."""
    where = ["g.scope = any(%(scopes)s)"]
    values: dict[str, object] = {"scopes": binding.scope_ids, "limit": _PIECE}
    if query.as_of is None and query.valid_at is None:
        where.append("g.open")
    if query.subject is not None:
        where.append("g.subject = any(%(subject)s)")
        values["subject"] = subject_values(binding, query.subject)
    if query.predicate is not None:
        where.append("g.predicate = any(%(predicate)s)")
        values["predicate"] = predicate_values(binding, query.predicate)
    if after is not None:
        where.append(
            "(g.scope, g.sealed, g.subject, g.predicate, g.claim)"
            " > (%(k0)s, %(k1)s::boolean, %(k2)s, %(k3)s, %(k4)s::uuid)"
        )
        values |= {f"k{position}": value for position, value in enumerate(after)}
    rows = fetch(
        "select scope, claim, sealed, subject, predicate from fact_group g"
        f" where {' and '.join(where)} order by scope, sealed, subject, predicate, claim limit %(limit)s",
        values,
    )
    return [_Group(**row) for row in rows]


def _judged(
    binding: Binding, groups: Sequence[_Group], multi_valued: set[str], as_of: datetime, valid_at: datetime
) -> dict[tuple[int, UUID], Contradiction]:
    """The contradictions among the facts of these groups, by scope and claim."""
    if not groups:
        return {}
    facts: dict[tuple[int, UUID], list[FactView]] = defaultdict(list)
    for view in facts_of_claims(binding, [group.claim for group in groups], as_of, valid_at):
        facts[view.scope, view.claim].append(view)
    dismissals = _dismissals(binding, list({claim for _, claim in facts}), as_of)
    found = {}
    for (scope, claim), views in facts.items():
        subject, predicate = views[0].record.subject or "", views[0].record.predicate or ""
        chains = _Chains(scope)
        conflict = conflict_among(
            [_claim(view) for view in views], chains.length, multi_valued=predicate in multi_valued
        )
        if conflict is None:
            continue
        dismissed = dismissals.get((scope, claim))
        if dismissed is not None and not {c.id for c in conflict.ranked} <= set(dismissed.facts):
            dismissed = None
        found[scope, claim] = Contradiction(scope, claim, subject, predicate, conflict, dismissed)
    return found


def _claim(view: FactView) -> Claim[FactView]:
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


def _dismissals(binding: Binding, claims: list[UUID], as_of: datetime) -> dict[tuple[int, UUID], ContradictionDecision]:
    """The latest dismissal of each claim that had been made by `as_of`."""
    decisions = ContradictionDecision.objects.filter(
        scope__in=binding.scope_ids,
        claim__in=claims,
        kind=ContradictionDecision.Kind.DISMISSED,
        decided_at__lte=as_of,
    )
    return {(decision.scope, decision.claim): decision for decision in decisions.order_by("number")}


class _Chains:
    """How far facts of a scope are from their roots: the longest path over `derivedFrom`, at most 64 steps."""

    def __init__(self, scope: int) -> None:
        self._scope = scope

    def length(self, fact_id: str) -> int:
        """The longest path from `fact_id` to a root; a step back to a fact already on the path does not count."""
        rows = fetch(
            'with recursive up(id, parent) as (select %(id)s::text collate "C", p.parent'
            "  from fact f join fact_parent p on p.fact = f.number where f.scope = %(scope)s and f.id = %(id)s"
            "  union select f.id, p.parent from up join fact f on f.scope = %(scope)s and f.id = up.parent"
            "  join fact_parent p on p.fact = f.number)"
            " select id, parent from up limit 10000",
            {"scope": self._scope, "id": fact_id},
        )
        parents: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            parents[row["id"]].append(row["parent"])
        return _longest(fact_id, parents, frozenset(), {})


def _longest(fact_id: str, parents: dict[str, list[str]], path: frozenset[str], known: dict[str, int]) -> int:
    if fact_id in known:
        return known[fact_id]
    if fact_id in path or len(path) >= _DEEPEST:
        return 0
    onward = [parent for parent in parents.get(fact_id, ()) if parent not in path]
    known[fact_id] = max((1 + _longest(parent, parents, path | {fact_id}, known) for parent in onward), default=0)
    return known[fact_id]


def settled_groups(binding: Binding, *, most: int = 100) -> Iterator[ContradictionDecision]:
    """The latest decisions in the bound scopes, newest first."""
    yield from ContradictionDecision.objects.filter(scope__in=binding.scope_ids).order_by("-number")[:most]
