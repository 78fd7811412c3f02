"""The history over REST: of one file, and of the Library."""

import uuid
from collections import defaultdict
from typing import Annotated, Any, ClassVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from common import cursor
from common.errors import Invalid, NotFound
from common.rest.query import QueryModel, parsed_query
from common.rest.schema import query_parameters
from common.strict import StrictModel, validated
from library.api.answers import (
    FileAnswer,
    FileVersionList,
    RevisionList,
    shown_file,
    shown_revisions,
    shown_versions,
)
from library.api.base import PATH, LibraryView, problems
from library.api.one_file import FileView, NothingAsked
from library.api.serving import content_answer
from library.models import FileRevision, LibraryRevision
from library.reading import current_revision, find_by_id, find_file, find_former, revisions_of, version_of
from library.writing import restore
from spaces.rest_schema import IDEMPOTENCY_KEY

_GREATEST = 2_147_483_647


class HistoryQuery(QueryModel):
    """The query string of a history."""

    limit: Annotated[int, Field(ge=1, le=500)] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


class RestoreInput(StrictModel):
    """Which version comes back; `file` is the file's id, where another one has its path now."""

    version: Annotated[int, Field(ge=1, le=_GREATEST)]
    file: Annotated[str, Field(pattern=r"\A[0-9a-f-]{32,36}\z")] | None = None
    note: Annotated[str, Field(max_length=1_000)] = ""


class _BehindPath(LibraryView):
    """A route behind a file's path. A file may end like the route: what is meant for it is answered as for any."""

    own_methods: ClassVar[frozenset[str]] = frozenset()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        path = request.path_info.partition("/library/files/")[2]
        if request.method not in self.own_methods or (request.method != "POST" and _is_there(path)):
            return FileView.as_view()(request, path=path)
        return super().dispatch(request, *args, **kwargs)


class FileVersionsView(_BehindPath):
    """The versions of a file."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read"}
    own_methods = frozenset({"GET", "HEAD", "OPTIONS"})

    @extend_schema(
        operation_id="library_file_versions",
        parameters=[PATH, *query_parameters(HistoryQuery)],
        responses={200: FileVersionList, **problems(404)},
    )
    def get(self, request: Request, path: str) -> Response:
        """What the file was, the newest first; of a file that was deleted as well."""
        given = parsed_query(HistoryQuery, request.query_params)
        file = find_former(path)
        versions = revisions_of(file)
        before = _position(given.cursor, "versions")
        if before is not None:
            versions = versions.filter(version__lt=before)
        found = list(versions[: given.limit + 1])
        page = found[: given.limit]
        answer = FileVersionList(
            id=str(file.pk),
            path=file.path,
            deleted=file.deleted_at is not None,
            versions=shown_versions(page),
            next=_next(page[-1].version, "versions") if len(found) > given.limit else None,
        )
        return Response(answer.model_dump())


class FileVersionView(_BehindPath):
    """One version of a file."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read"}
    own_methods = frozenset({"GET", "HEAD", "OPTIONS"})

    @extend_schema(
        operation_id="library_file_version",
        parameters=[PATH],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 304: None, **problems(404)},
    )
    def get(self, request: Request, path: str, version: int) -> HttpResponseBase:
        """The content that the file had at a version."""
        parsed_query(NothingAsked, request.query_params)
        if version > _GREATEST:
            raise NotFound("The file has no such version.")
        file = find_former(path)
        former = version_of(file, version)
        if former.blob is None:
            raise NotFound("The file has no such version.")
        etag = f'"{file.pk.hex[:16]}.{version}"'
        return content_answer(request._request, former.blob, former.path, etag, former.revision.at)


class RestoreView(_BehindPath):
    """A former version comes back."""

    rules: ClassVar[dict[str, str]] = {"POST": "library:write"}
    own_methods = frozenset({"POST", "OPTIONS"})

    @extend_schema(
        operation_id="library_file_restore",
        parameters=[PATH, IDEMPOTENCY_KEY],
        request=RestoreInput,
        responses={200: FileAnswer, **problems(400, 404, 409)},
    )
    def post(self, request: Request, path: str) -> Response:
        """Give the file the content of one of its versions again; a deleted file comes back with its path."""
        parsed_query(NothingAsked, request.query_params)
        given = validated(RestoreInput, self.body())
        file_id = _file_id(given.file) if given.file is not None else find_former(path).pk
        return self.once(
            200,
            lambda _: str(restore(self.caller, file_id, given.version, note=given.note).pk),
            lambda made: shown_file(find_by_id(made)).model_dump(),
        )


class RevisionsView(LibraryView):
    """The revisions of the Library."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read"}

    @extend_schema(
        operation_id="library_revisions", parameters=query_parameters(HistoryQuery), responses={200: RevisionList}
    )
    def get(self, request: Request) -> Response:
        """Every write to the Library, the newest first, with the first 100 files of each."""
        given = parsed_query(HistoryQuery, request.query_params)
        revisions = LibraryRevision.objects.order_by("-number")
        before = _position(given.cursor, "revisions")
        if before is not None:
            revisions = revisions.filter(number__lt=before)
        found = list(revisions[: given.limit + 1])
        page = found[: given.limit]
        answer = RevisionList(
            revision=current_revision(),
            revisions=shown_revisions(page, _written_by(page)),
            next=_next(page[-1].number, "revisions") if len(found) > given.limit else None,
        )
        return Response(answer.model_dump())


def _written_by(revisions: list[LibraryRevision]) -> dict[int, list[FileRevision]]:
    written = defaultdict(list)
    for item in FileRevision.objects.filter(revision__in=revisions).select_related("blob").order_by("path"):
        written[item.revision_id].append(item)
    return written


def _is_there(path: str) -> bool:
    try:
        find_file(path)
    except NotFound:
        return False
    return True


def _file_id(given: str) -> uuid.UUID:
    try:
        return uuid.UUID(given)
    except ValueError:
        raise Invalid("must be the id of a file", field="file") from None


def _position(given: str | None, of: str) -> int | None:
    if given is None:
        return None
    position = cursor.decode(given, expect={"before", "of"})
    before = position["before"]
    if position["of"] != f"library {of}" or not isinstance(before, int):
        raise Invalid("is not a cursor of this list", field="cursor")
    return before


def _next(before: int, of: str) -> str:
    return cursor.encode({"before": before, "of": f"library {of}"})
