"""What a seat may ask about itself."""

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.errors import Forbidden
from common.rest.schema import Problem
from seats.models import SeatToken


class SeatAnswer(BaseModel):
    """Who a seat is, what its token opens, and the revisions of what it is given."""

    space: str
    scope: str
    project: str
    name: str
    kind: str
    client: str
    verbs: list[str]
    purposes: list[str]
    reads_shared: bool
    revisions: dict[str, str]


class SeatView(APIView):
    """The seat whose token asks."""

    @extend_schema(
        operation_id="seat_read",
        responses={
            200: SeatAnswer,
            (401, "application/problem+json"): Problem,
            (403, "application/problem+json"): Problem,
        },
    )
    def get(self, request: Request) -> Response:
        """Who am I: Space, scope, project, kind, client, verbs, purposes."""
        token = request.auth
        if not isinstance(token, SeatToken):
            raise Forbidden("This is answered to a seat's token. You are signed in as a person.")
        seat = token.seat
        answer = SeatAnswer(
            space=seat.space.slug,
            scope=seat.scope.name,
            project=seat.project.slug,
            name=seat.name,
            kind=seat.kind,
            client=seat.client,
            verbs=token.verbs,
            purposes=token.purposes,
            reads_shared=token.reads_shared,
            revisions={},
        )
        return Response(answer.model_dump())
