"""What a seat reads of the Library as a whole, over REST: its part of the prompt, its files in one, a search."""

from typing import Annotated, ClassVar, TypeVar

from django.http import HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, Field, WithJsonSchema
from rest_framework.request import Request
from rest_framework.response import Response

from common.rest.query import QueryModel, parsed_query
from common.rest.schema import query_parameters
from common.strict import Sentence
from common.times import format_instant
from library.api.base import REVISION, LibraryView, problems
from library.archive import current_archive
from library.manifest import current_manifest
from library.mounts import TARGET
from library.reading import current_revision
from library.rules.media_types import answered_type
from library.words.searching import Hit, search_files

Answer = TypeVar("Answer", bound=HttpResponseBase)
_IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="An ETag of before: 304 while it still holds."
)
_Target = Annotated[
    str,
    Field(pattern=r"\A/[!-~]{0,199}\z"),
    Sentence("must be an absolute path of at most 200 visible ASCII characters"),
    WithJsonSchema({"type": "string", "maxLength": 200, "description": "Where the seat has the Library mounted."}),
]


class ManifestQuery(QueryModel):
    """The query string of the manifest."""

    target: _Target = TARGET


class NothingAsked(QueryModel):
    """A query string without parameters."""


class SearchQuery(QueryModel):
    """The query string of a search."""

    q: Annotated[str, Field(min_length=1, max_length=500, description="Words, all of which are to be there.")]
    page: Annotated[int, Field(ge=1, le=10_000)] = 1
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class ManifestAnswer(BaseModel):
    """What the prompt carries. `size` is bytes; `text` is empty where the Library is."""

    revision: int
    files: int
    size: int
    target: str
    text: str


class FoundFile(BaseModel):
    """A file that a search found. `around` is the text around the first word; empty when only the name has it."""

    path: str
    size: int
    media_type: str
    changed_at: str
    rank: float
    around: str


class SearchAnswer(BaseModel):
    """One page of files, the best first; `more` when there is another."""

    revision: int
    page: int
    more: bool
    files: list[FoundFile]


class ManifestView(LibraryView):
    """The Library's part of a prompt."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read"}

    @extend_schema(
        operation_id="library_manifest",
        parameters=[*query_parameters(ManifestQuery), _IF_NONE_MATCH],
        responses={200: ManifestAnswer, 304: None, **problems(400)},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """What a seat's prompt carries of the Library: names, sizes and days; the same bytes for the same revision.

        Past 50 files they are folded into folders.
        """
        given = parsed_query(ManifestQuery, request.query_params)
        manifest = current_manifest()
        if _is_known(request, manifest.revision):
            return _marked(HttpResponseNotModified(), manifest.revision)
        found = ManifestAnswer(
            revision=manifest.revision,
            files=manifest.files,
            size=manifest.size,
            target=given.target,
            text=manifest.text(given.target),
        )
        return _marked(Response(found.model_dump()), manifest.revision)


class ArchiveView(LibraryView):
    """All files in one."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read"}

    @extend_schema(
        operation_id="library_archive",
        parameters=[_IF_NONE_MATCH],
        responses={
            (200, "application/x-tar"): OpenApiTypes.BINARY,
            304: None,
            **problems(400),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        """The files of the current revision as one tar file, for seats elsewhere; whole, though writes go on."""
        parsed_query(NothingAsked, request.query_params)
        if _is_known(request, revision := current_revision()):
            return _marked(HttpResponseNotModified(), revision)
        archive = current_archive()
        response = StreamingHttpResponse(archive.pieces, content_type="application/x-tar")
        response["Content-Disposition"] = f'attachment; filename="library-{archive.revision}.tar"'
        return _marked(response, archive.revision)


class SearchView(LibraryView):
    """Search by name and content."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read"}

    @extend_schema(
        operation_id="library_search",
        parameters=query_parameters(SearchQuery),
        responses={200: SearchAnswer, **problems(400)},
    )
    def get(self, request: Request) -> Response:
        """Files whose names or contents have all words of `q`, the best first."""
        given = parsed_query(SearchQuery, request.query_params)
        revision = current_revision()
        found = search_files(given.q, page=given.page, limit=given.limit)
        files = [_shown(hit) for hit in found.hits]
        answer = SearchAnswer(revision=revision, page=given.page, more=found.more, files=files)
        response = Response(answer.model_dump())
        response[REVISION] = str(revision)
        return response


def _shown(hit: Hit) -> FoundFile:
    file = hit.file
    return FoundFile(
        path=file.path,
        size=file.blob.size,
        media_type=answered_type(file.blob.media_type, file.path),
        changed_at=format_instant(file.changed_at),
        rank=round(hit.rank, 4),
        around=hit.around,
    )


def _etag(revision: int) -> str:
    return f'"library-{revision}"'


def _is_known(request: Request, revision: int) -> bool:
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return any(etag == "*" or etag.removeprefix("W/") == _etag(revision) for etag in known)


def _marked(response: Answer, revision: int) -> Answer:
    """The answer with the Library's number, which is its ETag: nothing else decides what it says."""
    response[REVISION] = str(revision)
    response["ETag"] = _etag(revision)
    return response
