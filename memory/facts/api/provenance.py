"""Provenance, what rests on a fact, and "still true", over REST."""

from typing import Annotated, ClassVar

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import Instant
from memory.facts.api.answers import FactAnswer, ProvenanceAnswer
from memory.facts.api.facts import written
from memory.facts.api.provenance_document import provenance_document
from memory.facts.asking import ScopeQuery
from memory.facts.provenance import DEEPEST, DEFAULT_DEPTH, derived, provenance
from memory.facts.renewing import still_true
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY


class WalkQuery(ScopeQuery):
    """How far, and as it was known when."""

    max_depth: Annotated[int, Field(ge=0, le=DEEPEST, description="Steps away from the fact.")] = DEFAULT_DEPTH
    as_of: Instant | None = None


class ProvenanceView(SpaceView):
    """Where a fact comes from."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read"}

    @extend_schema(
        operation_id="facts_provenance",
        parameters=query_parameters(WalkQuery),
        responses={200: ProvenanceAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, fact_id: str) -> Response:
        """What stands behind a fact: its parents, what it superseded, its rule, and their parents."""
        given = parsed_query(WalkQuery, request.query_params)
        found = provenance(self.bound(), fact_id, max_depth=given.max_depth, as_of=given.as_of)
        return Response(provenance_document(found))


class DerivedView(SpaceView):
    """What rests on a fact."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read"}

    @extend_schema(
        operation_id="facts_derived",
        parameters=query_parameters(WalkQuery),
        responses={200: ProvenanceAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, fact_id: str) -> Response:
        """What was derived from a fact, and from that: what falls when its source is withdrawn."""
        given = parsed_query(WalkQuery, request.query_params)
        found = derived(self.bound(), fact_id, max_depth=given.max_depth, as_of=given.as_of)
        return Response(provenance_document(found))


class StillTrueView(SpaceView):
    """Saying that a fact is still true."""

    rules: ClassVar[dict[str, str]] = {"POST": "facts:write"}

    @extend_schema(
        operation_id="facts_still_true",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={201: FactAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, fact_id: str) -> Response:
        """Write the same claim again with a fresh `validFrom`, in the old one's place."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound(writing=True)
        return written(self, binding, lambda act: still_true(act, binding, fact_id), stated=False)
