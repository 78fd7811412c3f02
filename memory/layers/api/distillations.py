"""Distillation over REST: asking for a run, seeing what became of it, the review queue, undoing."""

from collections.abc import Sequence, Set
from typing import Annotated, Any, ClassVar
from uuid import UUID

from django.db.models import Q
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import Invalid, NotFound
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, validated
from common.times import format_instant
from memory.facts.asking import ScopeQuery
from memory.layers.api.distillation_answers import DistillationAnswer, DistillationList, Undone
from memory.layers.distilled_sessions import ledger_of, session_to_distil, withheld_among
from memory.layers.models import Distillation
from memory.layers.runs import ask, retry
from memory.layers.tasks import send
from memory.layers.undoing import undo_run
from spaces.access import Binding
from spaces.databases.transactions import attempted
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY

NOT_FOUND = {(404, "application/problem+json"): Problem}


class DistillationInput(StrictModel):
    """What is to be distilled: everything that waits in the scope, or one session; `again`: all of it once more."""

    session: Annotated[str, Field(description="The id of one session.")] | None = None
    again: bool = False


class DistillationsQuery(ScopeQuery):
    """The query string of a list of runs."""

    state: Annotated[str, Field(pattern=r"\A(pending|running|done|failed)\z")] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    before: Annotated[str, Field(description="The id of a run: those that were asked for before it.")] | None = None


class DistillationsView(SpaceView):
    """Runs of a scope."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read", "POST": "memory:write"}

    @extend_schema(
        operation_id="distillations_list",
        parameters=query_parameters(DistillationsQuery),
        responses={200: DistillationList},
    )
    def get(self, request: Request, space: str) -> Response:
        """Runs, the latest first."""
        given = parsed_query(DistillationsQuery, request.query_params)
        binding = self.bound()
        rows = Distillation.objects.filter(scope__in=binding.scope_ids)
        if given.state:
            rows = rows.filter(state=given.state)
        if given.before:
            last = find_run(binding, run_id_of(given.before))
            rows = rows.filter(Q(asked_at__lt=last.asked_at) | Q(asked_at=last.asked_at, pk__lt=last.pk))
        runs = list(rows.order_by("-asked_at", "-pk")[: given.limit + 1])
        more = len(runs) > given.limit
        return Response(
            {
                "distillations": _all_shown(binding, runs[: given.limit]),
                "next": str(runs[given.limit - 1].pk) if more else None,
            }
        )

    @extend_schema(
        operation_id="distillations_ask",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=DistillationInput,
        responses={202: DistillationAnswer, (400, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Distil what waits in the scope, or one session of it. Ask for the run's state until it is done or failed."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(DistillationInput, self.body())
        binding = self.bound(writing=True)
        session = session_to_distil(binding, run_id_of(given.session, "session")) if given.session is not None else None

        def write(act: Act) -> str:
            trigger = Distillation.Trigger.MANUAL
            run = ask(act, binding.one.pk, self.caller.actor, trigger, session=session, again=given.again)
            return str(run.pk)

        response = self.once(202, write, lambda made: shown(binding, find_run(binding, UUID(made))))
        send(self.space.pk, UUID(response.data["id"]))
        return response


class DistillationView(SpaceView):
    """One run."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="distillations_read",
        parameters=query_parameters(ScopeQuery),
        responses={200: DistillationAnswer, **NOT_FOUND},
    )
    def get(self, request: Request, space: str, run_id: UUID) -> Response:
        """A run: its state, the ranges in the ledger, what came of it, or why it failed and when it is tried next."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound()
        run = find_run(binding, run_id)
        return Response(shown(binding, run) | {"ranges": ledger_of(binding, run)})


class RetryView(SpaceView):
    """Trying a failed run again."""

    rules: ClassVar[dict[str, str]] = {"POST": "memory:write"}

    @extend_schema(
        operation_id="distillations_retry",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={202: DistillationAnswer, **NOT_FOUND},
    )
    def post(self, request: Request, space: str, run_id: UUID) -> Response:
        """Try a failed run now instead of at its next try."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound(writing=True)
        response = self.once(
            202,
            lambda act: str(retry(act, self.caller.actor, run_id, binding.scope_ids).pk),
            lambda made: shown(binding, find_run(binding, UUID(made))),
        )
        send(self.space.pk, run_id)
        return response


class UndoView(SpaceView):
    """Undoing a run."""

    rules: ClassVar[dict[str, str]] = {"POST": "memory:govern"}

    @extend_schema(
        operation_id="distillations_undo",
        parameters=[*query_parameters(ScopeQuery)],
        request=None,
        responses={200: Undone, **NOT_FOUND, (422, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, run_id: UUID) -> Response:
        """Take back everything a run formed, reinforced and linked; its facts are withdrawn."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound(writing=True)
        gone = attempted(lambda act: undo_run(act, binding, run_id))
        return Response({"id": str(run_id), "gone": gone})


def find_run(binding: Binding, run_id: UUID) -> Distillation:
    """A run of the bound scopes. Raises NotFound."""
    run = Distillation.objects.filter(pk=run_id, scope__in=binding.scope_ids).first()
    if run is None:
        raise NotFound("There is no such run.")
    return run


def run_id_of(text: str, field: str = "before") -> UUID:
    """An id as it is written in a body or a query. Raises Invalid."""
    try:
        return UUID(text)
    except ValueError:
        raise Invalid("must be an id that this Space gave", field=field) from None


def _all_shown(binding: Binding, runs: Sequence[Distillation]) -> list[dict[str, Any]]:
    withheld = withheld_among(binding, [run.session for run in runs if run.session is not None])
    return [_shown(binding, run, withheld) for run in runs]


def shown(binding: Binding, run: Distillation) -> dict[str, Any]:
    """A run as REST shows it."""
    return _all_shown(binding, [run])[0]


def _shown(binding: Binding, run: Distillation, withheld: Set[UUID]) -> dict[str, Any]:
    return {
        "id": str(run.pk),
        "scope": binding.names[run.scope],
        "session": str(run.session) if run.session and run.session not in withheld else None,
        "trigger": run.trigger,
        "status": run.state,
        "distiller": run.distiller or None,
        "asked_at": format_instant(run.asked_at),
        "started_at": format_instant(run.started_at) if run.started_at else None,
        "finished_at": format_instant(run.finished_at) if run.finished_at else None,
        "attempts": run.attempts,
        "reason": run.reason or None,
        "next_try_at": format_instant(run.next_try_at) if run.next_try_at else None,
        "outcome": run.outcome,
        "undone_at": format_instant(run.undone_at) if run.undone_at else None,
    }
