"""Decay passes over REST: what they did, what the next will take, and a person's say."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any, ClassVar

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import NotFound
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.times import format_instant, now
from memory.facts.asking import ScopeQuery
from memory.layers.api.answers import NextPassAnswer, PassAnswer, PassList
from memory.layers.api.asking import MemoryListQuery, PageQuery, continued, cursor_of
from memory.layers.api.documents import instant, memory_document
from memory.layers.api.settings import LayersGoverningView
from memory.layers.decay import approve_pass, next_pass_at, refuse_pass, undo_pass
from memory.layers.models import DecayPass
from memory.layers.reading import count_memories, query_memories
from spaces.access import Caller
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY

_SHOWN = 60


class NextPassQuery(PageQuery):
    """Of which layer, and which page."""

    layer: Annotated[int, Field(ge=1, le=2)] | None = None


class PassesView(SpaceView):
    """The decay passes of the Space."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(operation_id="decay_passes", parameters=query_parameters(ScopeQuery), responses={200: PassList})
    def get(self, request: Request, space: str) -> Response:
        """The latest sixty passes, the latest first; one that is stopped waits for a person."""
        parsed_query(ScopeQuery, request.query_params)
        passes = DecayPass.objects.order_by("-date")[:_SHOWN]
        at = next_pass_at(self.space, now())
        return Response({"next_pass_at": format_instant(at), "passes": [_shown(row) for row in passes]})


class NextPassView(SpaceView):
    """What the next pass will take."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="decay_next", parameters=query_parameters(NextPassQuery), responses={200: NextPassAnswer}
    )
    def get(self, request: Request, space: str) -> Response:
        """The memories of the bound scopes that will be below their threshold by then, the first to fade first."""
        given = parsed_query(NextPassQuery, request.query_params)
        binding = self.bound()
        at = next_pass_at(self.space, now())
        listed = MemoryListQuery(**given.model_dump(), sort="fading")
        query, after, begun = continued(listed)
        query = replace(query, fades_by=at)
        page = query_memories(binding, query, after, at=begun.at if begun else None)
        taken = count_memories(binding, query)
        return Response(
            {
                "next_pass_at": format_instant(at),
                "taken": {str(layer): count for layer, count in sorted(taken.items())},
                "at": format_instant(page.at),
                "count": len(page.memories),
                "memories": [memory_document(binding, memory) for memory in page.memories],
                "next": cursor_of(listed, page),
            }
        )


Decide = Callable[[Act, Caller, date, datetime], DecayPass]


class _DecidingView(LayersGoverningView):
    rules: ClassVar[dict[str, str]] = {"POST": "layers:govern"}

    def decided(self, day: str, decide: Decide) -> Response:
        """Do what a person says of the pass of a date."""
        parsed_query(ScopeQuery, self.request.query_params)
        self.refuse_unconfirmed()
        of = _date(day)
        return self.once(
            200,
            lambda act: str(decide(act, self.caller, of, now()).date),
            lambda made: _shown(DecayPass.objects.get(pk=made)),
        )


class ApproveView(_DecidingView):
    """Letting a stopped pass go on."""

    @extend_schema(
        operation_id="decay_approve",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={200: PassAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, day: str) -> Response:
        """Archive what the pass would have taken."""
        return self.decided(day, approve_pass)


class RefuseView(_DecidingView):
    """Leaving everything where it is."""

    @extend_schema(
        operation_id="decay_refuse",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={200: PassAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, day: str) -> Response:
        """Archive nothing on that date."""
        return self.decided(day, refuse_pass)


class UndoView(_DecidingView):
    """Undoing a pass."""

    @extend_schema(
        operation_id="decay_undo",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={200: PassAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, day: str) -> Response:
        """Restore what the pass archived and nobody restored or replaced since."""
        return self.decided(day, undo_pass)


def _date(day: str) -> date:
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise NotFound("There was no decay pass on this date.") from None


def _shown(row: DecayPass) -> dict[str, Any]:
    return {
        "date": row.date.isoformat(),
        "at": format_instant(row.at),
        "state": row.state,
        "archived": row.archived,
        "decided_by": row.decided_by,
        "decided_at": instant(row.decided_at),
    }
