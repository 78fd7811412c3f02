"""What the routes of the Library share: its revision on every answer, and what a write is based on."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from common.errors import Invalid
from common.folders.names import folded
from common.rest.schema import Problem
from library.basing import ANY
from library.models import LibraryFile
from library.reading import current_revision
from library.rules.names import name_hash
from spaces.rest import InstanceView

REVISION = "X-Library-Revision"
PROBLEM = "application/problem+json"
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the file that this is based on, or * for whatever is there, which is meant without it.",
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="* for a file that is not to be there yet."
)
NOTE = OpenApiParameter("note", str, OpenApiParameter.QUERY, description="Why, for the history; 1,000 characters.")
PATH = OpenApiParameter("path", str, OpenApiParameter.PATH, description="The file's path in the Library.")


def problems(*statuses: int) -> dict[tuple[int, str], type[Problem]]:
    """The refusals of a route, for its description."""
    return {(status, PROBLEM): Problem for status in statuses}


class LibraryView(InstanceView):
    """A route of the Library."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        # A database that does not answer is not asked again.
        if hasattr(self, "caller") and response.status_code < 500 and REVISION not in response:
            response[REVISION] = str(current_revision())
        return response


def base_of(request: Request) -> str | None:
    """What a write says it is based on."""
    return request.headers.get("If-Match")


def base_of_change(request: Request) -> str:
    """The same for a file that is there: a write that says nothing is based on whatever it is.

    Preconditions are the client's to make (RFC 9110, section 13); every content is kept, and can be restored.
    """
    stated = base_of(request)
    return ANY if stated is None else stated


def those_there(paths: Iterable[str]) -> dict[str, str]:
    """What a write that says nothing is based on, for each of these paths that has a file."""
    wanted = {name_hash(folded(path)): path for path in paths}
    found = LibraryFile.objects.filter(deleted_at=None, folded__in=wanted, path__in=wanted.values())
    return dict.fromkeys(found.values_list("path", flat=True), ANY)


def wants_none(request: Request) -> bool:
    """Whether a write is only meant for a path without a file. Raises Invalid for any other If-None-Match."""
    given = request.headers.get("If-None-Match")
    if given is None:
        return False
    if given.strip() != "*" or "If-Match" in request.headers:
        raise Invalid("must be * in a write, and be alone", field="If-None-Match")
    return True
