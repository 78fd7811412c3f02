"""The limits of the Library over REST."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.rest.query import parsed_query
from common.strict import validated
from library.api.answers import LimitsAnswer, shown_limits
from library.api.base import LibraryView, problems
from library.api.one_file import NothingAsked
from library.limits import LimitsInput, current_limits, set_limits
from spaces.rest_schema import IDEMPOTENCY_KEY


class LimitsView(LibraryView):
    """How much the Library takes."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:limits", "PUT": "library:limits"}

    @extend_schema(operation_id="library_limits_read", responses={200: LimitsAnswer})
    def get(self, request: Request) -> Response:
        """The limits; for the instance's owner and admins."""
        parsed_query(NothingAsked, request.query_params)
        return Response(_shown())

    @extend_schema(
        operation_id="library_limits_change",
        parameters=[IDEMPOTENCY_KEY],
        request=LimitsInput,
        responses={200: LimitsAnswer, **problems(400)},
    )
    def put(self, request: Request) -> Response:
        """Set the limits. What is in the Library already stays."""
        parsed_query(NothingAsked, request.query_params)
        given = validated(LimitsInput, self.body())

        def write(act: Act) -> str:
            set_limits(act, self.caller, given)
            return "limits"

        return self.once(200, write, lambda _: _shown())


def _shown() -> dict[str, Any]:
    return shown_limits(current_limits()).model_dump()
