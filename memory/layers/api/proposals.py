"""The review queue over REST."""

from typing import Annotated, Any, ClassVar, Literal

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from common.errors import Invalid
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, validated
from common.times import format_instant
from memory.facts.asking import ScopeQuery
from memory.layers.api.distillation_answers import Decided, ProposalList
from memory.layers.models import Proposal
from memory.layers.review import approve, refuse, waiting
from spaces.access import Binding
from spaces.databases.transactions import attempted
from spaces.rest import SpaceView


class ProposalsQuery(ScopeQuery):
    """The query string of the queue."""

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class DecisionsInput(StrictModel):
    """What to do with proposals; `edits` maps an id (as text) to the fields that are to be another before approval."""

    ids: Annotated[list[int], Field(min_length=1, max_length=500)]
    decision: Literal["approve", "refuse"]
    edits: Annotated[dict[str, dict[str, Any]], Field(max_length=500)] = {}


class ProposalsView(SpaceView):
    """Proposals that wait for a person."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="proposals_list", parameters=query_parameters(ProposalsQuery), responses={200: ProposalList}
    )
    def get(self, request: Request, space: str) -> Response:
        """What waits, in the order it was proposed."""
        given = parsed_query(ProposalsQuery, request.query_params)
        binding = self.bound()
        rows = waiting(binding, after=given.after, limit=given.limit + 1)
        more = len(rows) > given.limit
        return Response(
            {
                "proposals": [shown(binding, row) for row in rows[: given.limit]],
                "next": rows[given.limit - 1].pk if more else None,
            }
        )


class ProposalDecisionsView(SpaceView):
    """Deciding them."""

    rules: ClassVar[dict[str, str]] = {"POST": "memory:govern"}

    @extend_schema(
        operation_id="proposals_decide",
        parameters=query_parameters(ScopeQuery),
        request=DecisionsInput,
        responses={
            200: Decided,
            (400, "application/problem+json"): Problem,
            (404, "application/problem+json"): Problem,
            (409, "application/problem+json"): Problem,
        },
    )
    def post(self, request: Request, space: str) -> Response:
        """Approve, with edits where there are any, or refuse; all of them or none."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(DecisionsInput, self.body())
        binding = self.bound(writing=True)
        if given.decision == "refuse":
            if given.edits:
                raise Invalid("has no meaning for what is refused", field="edits")
            return Response({"decided": attempted(lambda act: refuse(act, binding, given.ids))})
        edits = {_number(given.ids, key): changes for key, changes in given.edits.items()}
        return Response({"decided": approve(binding, given.ids, edits)})


def _number(ids: list[int], key: str) -> int:
    number = int(key) if key.isdecimal() and len(key) < 19 else -1
    if number not in ids:
        raise Invalid("is not among the ids", field=f"edits.{key}")
    return number


def shown(binding: Binding, row: Proposal) -> dict[str, Any]:
    """A proposal as REST shows it."""
    return {
        "id": row.pk,
        "scope": binding.names[row.scope],
        "run": str(row.run_id),
        "kind": row.kind,
        "state": row.state,
        "body": row.body,
        "memory": str(row.node) if row.node else None,
        "decided_at": format_instant(row.decided_at) if row.decided_at else None,
    }
