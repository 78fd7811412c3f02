"""Contradictions, what predicates are, and rules, over REST."""

from typing import Annotated, Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import Invalid
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, VisibleText, validated
from common.times import format_instant
from memory.facts.api.answers import (
    ContradictionList,
    DecisionAnswer,
    PredicateAnswer,
    PredicateList,
    RuleAnswer,
    RuleList,
)
from memory.facts.asking import ScopeQuery
from memory.facts.contradiction_asking import ContradictionListQuery, continued, cursor_of
from memory.facts.contradictions import Contradiction, find_contradictions
from memory.facts.inference_rules import RuleInput, keep_rule, rules_of
from memory.facts.models import ContradictionDecision, InferenceRule, Predicate
from memory.facts.rules.disagreement import Claim
from memory.facts.rules.record import ABSENT
from memory.facts.settling import DecisionInput, declare_predicate, settle
from memory.facts.views import FactView
from memory.keys.keeping import HASH_PREFIX
from spaces.access import Binding
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY


class PredicateInput(StrictModel):
    """What a predicate is."""

    predicate: Annotated[str, VisibleText(1, 500)]
    multi_valued: bool


class ContradictionsView(SpaceView):
    """Claims that can't both hold."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read"}

    @extend_schema(
        operation_id="contradictions_list",
        parameters=query_parameters(ContradictionListQuery),
        responses={200: ContradictionList, (400, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str) -> Response:
        """Contradictions with their claims, the preferred one first."""
        given = parsed_query(ContradictionListQuery, request.query_params)
        binding = self.bound()
        query, after = continued(given)
        page = find_contradictions(binding, query, after)
        return Response(
            {
                "as_of": format_instant(page.as_of),
                "count": len(page.contradictions),
                "conflicts": [shown(binding, item) for item in page.contradictions],
                "next": cursor_of(given, page),
            }
        )


class DecisionsView(SpaceView):
    """Settling contradictions."""

    rules: ClassVar[dict[str, str]] = {"POST": "facts:write"}

    @extend_schema(
        operation_id="contradictions_settle",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=DecisionInput,
        responses={
            201: DecisionAnswer,
            (404, "application/problem+json"): Problem,
            (409, "application/problem+json"): Problem,
        },
    )
    def post(self, request: Request, space: str) -> Response:
        """Choose one claim, declare the predicate multi-valued, or dismiss the contradiction with a reason."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(DecisionInput, self.body())
        binding = self.bound(writing=True)
        return self.once(
            201,
            lambda act: str(settle(act, binding, given).number),
            lambda made: _decision(ContradictionDecision.objects.get(number=int(made))),
        )


class PredicatesView(SpaceView):
    """What the Space has said of predicates."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read", "POST": "predicates:declare"}

    @extend_schema(
        operation_id="predicates_list", parameters=query_parameters(ScopeQuery), responses={200: PredicateList}
    )
    def get(self, request: Request, space: str) -> Response:
        """The predicates of which something was said."""
        parsed_query(ScopeQuery, request.query_params)
        predicates = [_predicate(predicate) for predicate in _declared()]
        return Response({"count": len(predicates), "predicates": predicates})

    @extend_schema(
        operation_id="predicates_declare",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=PredicateInput,
        responses={200: PredicateAnswer, (400, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Say whether a predicate may have several values at once, for the whole Space."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(PredicateInput, self.body())
        binding = self.bound(writing=True)

        def declare(act: Act) -> str:
            return declare_predicate(act, binding, given.predicate, multi_valued=given.multi_valued).name

        return self.once(200, declare, lambda name: _predicate(Predicate.objects.get(name=name)))


class RulesView(SpaceView):
    """Rules that facts are inferred by."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read", "POST": "facts:write"}

    @extend_schema(operation_id="rules_list", parameters=query_parameters(ScopeQuery), responses={200: RuleList})
    def get(self, request: Request, space: str) -> Response:
        """The rules of the scope, each as it was written."""
        parsed_query(ScopeQuery, request.query_params)
        rules = rules_of(self.bound())
        return Response({"count": len(rules), "rules": [_rule(rule) for rule in rules]})

    @extend_schema(
        operation_id="rules_keep",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=RuleInput,
        responses={201: RuleAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Keep a rule. The same rule again changes nothing; another one under its id is refused."""
        parsed_query(ScopeQuery, request.query_params)
        document = self.body()
        if not isinstance(document, dict):
            raise Invalid("Send one rule as a JSON object.")
        file = document.pop("kndl:file", None)
        binding = self.bound(writing=True)
        return self.once(
            201,
            lambda act: keep_rule(act, binding, document, file if isinstance(file, str) else None)[0],
            lambda made: _rule(InferenceRule.objects.get(scope=binding.one.pk, id=made)),
        )


def shown(binding: Binding, item: Contradiction) -> dict[str, Any]:
    """A contradiction as REST shows it; ties have no preferred claim."""
    conflict = item.conflict
    preferred = conflict.preferred
    others = conflict.ranked if preferred is None else conflict.ranked[1:]
    found: dict[str, Any] = {
        "subject": item.subject,
        "predicate": item.predicate,
        "scope": binding.names[item.scope],
        "preferred": None if preferred is None else _claim(preferred),
        "tied": conflict.tied,
        "rule": conflict.rule.value,
        "confidence_disagrees": conflict.confidence_disagrees,
        "conflicts_with": [_claim(claim) for claim in others],
    }
    if item.dismissed is not None:
        # What else it was about may be withheld from this reader.
        found["dismissed"] = _decision(item.dismissed) | {"facts": item.fact_ids}
    return found


def _claim(claim: Claim[FactView]) -> dict[str, Any]:
    record = claim.payload.record
    return {
        "id": record.id,
        "object": None if record.object is ABSENT else record.object,
        "negated": record.negated,
        "recordedAt": format_instant(record.recorded_at),
        "effective_confidence": claim.effective,
        "statement": record.statement,
        "source": record.source,
    }


def _decision(decision: ContradictionDecision) -> dict[str, Any]:
    return {
        "id": decision.number,
        "decision": decision.kind,
        "facts": decision.facts,
        "chosen": decision.chosen,
        "reason": decision.reason or None,
        "decided_at": format_instant(decision.decided_at),
        "decided_by": decision.decided_by,
    }


def _predicate(predicate: Predicate) -> dict[str, Any]:
    return {
        "predicate": predicate.name,
        "multi_valued": predicate.multi_valued,
        "said_at": format_instant(predicate.said_at),
    }


def _declared() -> QuerySet[Predicate]:
    """What was said of predicates, without those that only PHI has, whose names are hashes."""
    return Predicate.objects.exclude(name__startswith=HASH_PREFIX).order_by("name")


def _rule(rule: InferenceRule) -> dict[str, Any]:
    document: dict[str, Any] = rule.document
    return document | ({"kndl:file": rule.file} if rule.file else {})
