"""Settling a contradiction: choosing a claim, declaring the predicate multi-valued, or dismissing it with a reason.

Each is a decision on record, about the facts that whoever decided had before them: what comes in meanwhile is not
decided with them. No fact is edited: a choice is a superseding fact for each claim that lost.
"""

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound
from common.strict import StrictModel, VisibleText
from common.times import now
from memory.facts.contradictions import Contradiction, find_contradiction, stored_predicate
from memory.facts.groups import lock_claims
from memory.facts.models import ContradictionDecision, Predicate
from memory.facts.reading import facts_by_id
from memory.facts.renewing import asserted_again
from memory.facts.rules.disagreement import Claim, disagree, disagreeing
from memory.facts.rules.document import FactId
from memory.facts.views import FactView
from spaces.access import Binding
from spaces.rules import require

Kind = ContradictionDecision.Kind


class DecisionInput(StrictModel):
    """How to settle the contradiction in which these facts stand.

    `reopens` is the number of the dismissal that is to be decided again; without it, what was dismissed meanwhile is
    left alone.
    """

    facts: Annotated[list[FactId], Field(min_length=2, max_length=200)]
    decision: Literal["choose", "multi_valued", "dismiss"]
    chosen: FactId | None = None
    reason: Annotated[str, VisibleText(1, 2_000)] | None = None
    reopens: int | None = None


def settle(act: Act, binding: Binding, given: DecisionInput) -> ContradictionDecision:
    """Settle a contradiction in the bound scope.

    Raises NotFound when these facts are not here or were never of one claim; Conflict (`settled_meanwhile`) when they
    do not contradict each other any more, or were dismissed; Forbidden where the caller may not declare predicates; and
    Invalid for a choice that is not among the facts, a declaration that settles nothing, a dismissal without a reason.
    """
    return settle_all(act, binding, [given])[0]


def settle_all(act: Act, binding: Binding, given: Sequence[DecisionInput]) -> list[ContradictionDecision]:
    """Settle several contradictions in one transaction, all or none. Raises as `settle`."""
    claims = [_claim_of(binding, decision.facts) for decision in given]
    lock_claims(claims)
    return [_settled(act, binding, claim, decision) for claim, decision in zip(claims, given, strict=True)]


def declare_predicate(act: Act, binding: Binding, name: str, *, multi_valued: bool) -> Predicate:
    """Say for the whole Space whether a predicate may have several values at once."""
    predicate, _ = Predicate.objects.update_or_create(
        name=name,
        defaults={"multi_valued": multi_valued, "said_at": now(), "said_by": str(binding.caller.actor)},
    )
    act.record(binding.caller.actor, "predicate.declare", multi_valued=multi_valued)
    return predicate


def _claim_of(binding: Binding, ids: list[str]) -> UUID:
    views = facts_by_id(binding, ids)
    claims: set[UUID] = {view.claim for view in views if view.claim is not None}
    if len(views) != len(set(ids)) or len(claims) != 1:
        raise NotFound("These facts do not stand in one contradiction.")
    return claims.pop()


def _settled(act: Act, binding: Binding, claim: UUID, given: DecisionInput) -> ContradictionDecision:
    contradiction = _standing(binding, claim, given)
    claims = [claim for claim in contradiction.conflict.ranked if claim.id in given.facts]
    pairs = list(disagreeing(claims, multi_valued=contradiction.multi_valued))
    if not pairs:
        raise _settled_meanwhile()
    match given.decision:
        case "choose":
            _choose(act, binding, contradiction, claims, given)
            return _decide(act, binding, contradiction, Kind.SUPERSEDED, given)
        case "multi_valued":
            require("predicates:declare", binding.caller, binding.space)
            if all(first.object == second.object for first, second in pairs):
                raise Invalid("settles nothing here: one claim denies what the other asserts", field="decision")
            declare_predicate(act, binding, stored_predicate(contradiction), multi_valued=True)
            return _decide(act, binding, contradiction, Kind.MULTI_VALUED, given)
        case "dismiss":
            if given.reason is None:
                raise Invalid("is needed to dismiss a contradiction", field="reason")
            return _decide(act, binding, contradiction, Kind.DISMISSED, given)


def _standing(binding: Binding, claim: UUID, given: DecisionInput) -> Contradiction:
    """The contradiction as it stands now. Raises Conflict when it is not the one that was decided."""
    found = find_contradiction(binding, claim)
    if found is None or not set(given.facts) <= set(found.fact_ids):
        raise _settled_meanwhile()
    if found.dismissed is not None and found.dismissed.number != given.reopens:
        raise Conflict("This contradiction was dismissed meanwhile.", type="settled_meanwhile")
    return found


def _settled_meanwhile() -> Conflict:
    return Conflict("These facts do not contradict each other any more.", type="settled_meanwhile")


def _choose(
    act: Act, binding: Binding, contradiction: Contradiction, claims: Sequence[Claim[FactView]], given: DecisionInput
) -> None:
    """Put the chosen claim in the place of each that it can't hold beside; those that agree with it stay."""
    chosen = next((claim for claim in claims if claim.id == given.chosen), None)
    if chosen is None:
        raise Invalid("must be one of the facts that contradict each other", field="chosen")
    losers = [claim for claim in claims if disagree(chosen, claim, multi_valued=contradiction.multi_valued)]
    if not losers:
        raise Invalid("contradicts none of the other facts", field="chosen")
    for loser in losers:
        asserted_again(act, binding, chosen.payload, supersedes=loser.id, because=given.reason)


def _decide(
    act: Act, binding: Binding, contradiction: Contradiction, kind: Kind, given: DecisionInput
) -> ContradictionDecision:
    decision = ContradictionDecision.objects.create(
        scope=contradiction.scope,
        claim=contradiction.claim,
        kind=kind,
        facts=given.facts,
        chosen=given.chosen if kind is Kind.SUPERSEDED else None,
        reason=given.reason or "",
        decided_at=now(),
        decided_by=str(binding.caller.actor),
    )
    act.record(
        binding.caller.actor,
        "contradiction.settle",
        f"decision:{decision.number}",
        scope=contradiction.scope,
        kind=str(kind),
        facts=given.facts[:50],
    )
    return decision
