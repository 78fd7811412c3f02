"""Settling a contradiction: choosing a claim, declaring the predicate multi-valued, or dismissing it with a reason.

Each is a decision on record. No fact is edited: a choice is a superseding fact for each claim that lost.
"""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from audit.recording import Act
from common.errors import Invalid, NotFound
from common.strict import StrictModel, VisibleText
from common.times import now
from memory.facts.contradictions import Contradiction, find_contradiction
from memory.facts.document import FactId
from memory.facts.models import ContradictionDecision, Predicate
from memory.facts.reading import facts_by_id
from memory.facts.renewing import asserted_again
from memory.facts.views import FactView
from spaces.access import Binding

Kind = ContradictionDecision.Kind


class DecisionInput(StrictModel):
    """How to settle the contradiction in which these facts stand."""

    facts: Annotated[list[FactId], Field(min_length=2, max_length=200)]
    decision: Literal["choose", "multi_valued", "dismiss"]
    chosen: FactId | None = None
    reason: Annotated[str, VisibleText(1, 2_000)] | None = None


def settle(act: Act, binding: Binding, given: DecisionInput) -> ContradictionDecision:
    """Settle a contradiction in the bound scope.

    Raises NotFound when these facts do not stand in one contradiction now, and Invalid for a choice that is not among
    them and for a dismissal without a reason.
    """
    contradiction = _contradiction_of(binding, given.facts)
    match given.decision:
        case "choose":
            return _choose(act, binding, contradiction, given)
        case "multi_valued":
            declare_predicate(act, binding, contradiction.predicate, multi_valued=True)
            return _decide(act, binding, contradiction, Kind.MULTI_VALUED, given)
        case "dismiss":
            if given.reason is None:
                raise Invalid("is needed to dismiss a contradiction", field="reason")
            return _decide(act, binding, contradiction, Kind.DISMISSED, given)


def declare_predicate(act: Act, binding: Binding, name: str, *, multi_valued: bool) -> Predicate:
    """Say for the whole Space whether a predicate may have several values at once."""
    predicate, _ = Predicate.objects.update_or_create(
        name=name,
        defaults={"multi_valued": multi_valued, "said_at": now(), "said_by": str(binding.caller.actor)},
    )
    act.record(binding.caller.actor, "predicate.declare", multi_valued=multi_valued)
    return predicate


def _contradiction_of(binding: Binding, ids: list[str]) -> Contradiction:
    views = facts_by_id(binding, ids)
    claims: set[UUID] = {view.claim for view in views if view.claim is not None}
    if len(views) != len(set(ids)) or len(claims) != 1:
        raise NotFound("These facts do not stand in one contradiction.")
    found = find_contradiction(binding, claims.pop())
    if found is None or not set(ids) <= set(found.fact_ids):
        raise NotFound("These facts do not stand in one contradiction now.")
    return found


def _choose(act: Act, binding: Binding, contradiction: Contradiction, given: DecisionInput) -> ContradictionDecision:
    chosen = next((claim for claim in contradiction.conflict.ranked if claim.id == given.chosen), None)
    if chosen is None:
        raise Invalid("must be one of the facts that contradict each other", field="chosen")
    losers = [claim.payload for claim in contradiction.conflict.ranked if _lost(claim.payload, chosen.payload)]
    for loser in losers:
        asserted_again(act, binding, chosen.payload, supersedes=loser.record.id, because=given.reason)
    return _decide(act, binding, contradiction, Kind.SUPERSEDED, given)


def _lost(view: FactView, chosen: FactView) -> bool:
    return view.record.id != chosen.record.id and not _says_the_same(view, chosen)


def _says_the_same(first: FactView, second: FactView) -> bool:
    return first.record.object == second.record.object and first.record.negated == second.record.negated


def _decide(
    act: Act, binding: Binding, contradiction: Contradiction, kind: Kind, given: DecisionInput
) -> ContradictionDecision:
    decision = ContradictionDecision.objects.create(
        scope=contradiction.scope,
        claim=contradiction.claim,
        kind=kind,
        facts=contradiction.fact_ids,
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
        facts=contradiction.fact_ids[:50],
    )
    return decision
