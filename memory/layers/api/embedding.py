"""Moving a Space to another embedder, over REST."""

from typing import Annotated, Any, ClassVar, Literal

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, Field
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import Conflict
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, validated
from common.times import format_instant
from memory.facts.asking import ScopeQuery
from memory.layers.api.settings import LayersGoverningView
from memory.layers.models import Reembedding
from memory.layers.reembedding import begin, running_job, stop
from memory.layers.showing_embedding import embedding_of_space
from memory.layers.tasks import send_reembedding
from spaces.rest_schema import IDEMPOTENCY_KEY


class EmbeddingInput(StrictModel):
    """The embedder to move to."""

    embedder: Annotated[
        str,
        Field(
            min_length=1,
            max_length=200,
            description="As KNDL_EMBEDDER has it: wordllama, fastembed:<model> or openai:<model>.",
        ),
    ]


class MoveAnswer(BaseModel):
    """A move to another embedder. Of `total` memories `done` have their new vectors."""

    id: str
    embedder: str
    state: Literal["running", "done", "failed", "stopped"]
    total: int
    done: int
    asked_at: str
    finished_at: str | None
    reason: str | None
    next_try_at: str | None


class UsedAnswer(BaseModel):
    """How many memories have vectors of an embedder, and in how many scopes."""

    embedder: str
    scopes: int
    memories: int


class EmbeddingAnswer(BaseModel):
    """The embedder of new memories, those of the memories that are there, and the move under way."""

    embedder: str
    used: list[UsedAnswer]
    move: MoveAnswer | None


class EmbeddingView(LayersGoverningView):
    """The embedder of the Space."""

    rules: ClassVar[dict[str, str]] = {"GET": "layers:govern", "POST": "layers:govern"}

    @extend_schema(
        operation_id="embedding_read", parameters=query_parameters(ScopeQuery), responses={200: EmbeddingAnswer}
    )
    def get(self, request: Request, space: str) -> Response:
        """Which embedder the vectors are of, and how far a move to another one is."""
        parsed_query(ScopeQuery, request.query_params)
        found = embedding_of_space()
        return Response(
            {
                "embedder": found.embedder,
                "used": [vars(use) for use in found.used],
                "move": _shown(found.job) if found.job else None,
            }
        )

    @extend_schema(
        operation_id="embedding_move",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=EmbeddingInput,
        responses={
            202: MoveAnswer,
            (400, "application/problem+json"): Problem,
            (409, "application/problem+json"): Problem,
        },
    )
    def post(self, request: Request, space: str) -> Response:
        """Give all memories vectors of another embedder. Until a scope has them all, it is searched by its old ones."""
        parsed_query(ScopeQuery, request.query_params)
        self.refuse_unconfirmed()
        given = validated(EmbeddingInput, self.body())

        def write(act: Act) -> str:
            return str(begin(act, self.caller, given.embedder).pk)

        response = self.once(202, write, _by_id)
        job = running_job()
        if job is not None:
            send_reembedding(self.space.pk, job.pk)
        return response


class EmbeddingStopView(LayersGoverningView):
    """Stopping a move."""

    rules: ClassVar[dict[str, str]] = {"POST": "layers:govern"}

    @extend_schema(
        operation_id="embedding_stop",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={200: MoveAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Stop the move under way: scopes that have their new vectors keep them, the others keep their old ones."""
        parsed_query(ScopeQuery, request.query_params)
        self.refuse_unconfirmed()

        def write(act: Act) -> str:
            job = running_job()
            if job is None:
                raise Conflict("There is no move under way.")
            return str(stop(act, self.caller, job.pk).pk)

        return self.once(200, write, _by_id)


def _by_id(made: str) -> dict[str, Any]:
    return _shown(Reembedding.objects.get(pk=made))


def _shown(job: Reembedding) -> dict[str, Any]:
    return {
        "id": str(job.pk),
        "embedder": job.embedder,
        "state": job.state,
        "total": job.total,
        "done": job.done,
        "asked_at": format_instant(job.asked_at),
        "finished_at": format_instant(job.finished_at) if job.finished_at else None,
        "reason": job.reason or None,
        "next_try_at": format_instant(job.next_try_at) if job.next_try_at else None,
    }
