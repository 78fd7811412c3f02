"""The list of files, and uploads of several, over REST."""

from typing import Annotated, Any, ClassVar

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, Field
from rest_framework.request import Request
from rest_framework.response import Response

from common import cursor, jsonio
from common.errors import Invalid
from common.rest.query import QueryModel, parsed_query
from common.rest.schema import query_parameters
from library.api.answers import FileList, UploadAnswer, shown_file
from library.api.base import LibraryView, problems, those_there
from library.api.uploading import ReceivedUpload, receive_files
from library.models import LibraryFile
from library.naming import require_path
from library.reading import current_revision, live_files
from library.writing import MOST_FILES, add_many

MOST_LISTED = 1_000
_FORM_FIELDS = {"folder", "note", "bases", "csrfmiddlewaretoken"}


class FileListQuery(QueryModel):
    """The query string of the list."""

    prefix: Annotated[str, Field(max_length=2_000, description="Paths that begin so; a folder with its “/”.")] = ""
    name: Annotated[str, Field(max_length=255, description="Paths that hold this, whatever its case.")] = ""
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED, description="Files a page.")] = 100
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


class UploadForm(BaseModel):
    """A form of several parts. Each `file` has its path, below `folder`, as its name."""

    file: Annotated[list[bytes], Field(min_length=1, max_length=MOST_FILES)]
    folder: str = ""
    note: str = ""
    bases: Annotated[
        str,
        Field(description="JSON: by path, the ETag of each file that is replaced; without one, whatever is there is."),
    ] = "{}"


class FilesView(LibraryView):
    """The files of the Library."""

    rules: ClassVar[dict[str, str]] = {"GET": "library:read", "POST": "library:write"}

    def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> Request:
        # Before the check of a browser's token reads the form.
        receive_files(request)
        return super().initialize_request(request, *args, **kwargs)

    @extend_schema(
        operation_id="library_files_list",
        parameters=query_parameters(FileListQuery),
        responses={200: FileList, **problems(400)},
    )
    def get(self, request: Request) -> Response:
        """Files by path, with the Library's revision."""
        given = parsed_query(FileListQuery, request.query_params)
        files = live_files(given.prefix)
        if given.name:
            files = files.filter(path__icontains=given.name)
        if given.cursor is not None:
            position = cursor.decode(given.cursor, expect={"path", "of"})
            if position["of"] != "library" or not isinstance(position["path"], str):
                raise Invalid("is not a cursor of this list", field="cursor")
            files = files.filter(path__gt=position["path"])
        found = list(files[: given.limit + 1])
        page = found[: given.limit]
        after = cursor.encode({"path": page[-1].path, "of": "library"}) if len(found) > given.limit else None
        answer = FileList(revision=current_revision(), files=[shown_file(file) for file in page], next=after)
        return Response(answer.model_dump())

    @extend_schema(
        operation_id="library_files_upload",
        request={"multipart/form-data": UploadForm},
        responses={201: UploadAnswer, **problems(400, 409, 412, 413, 415, 428)},
    )
    def post(self, request: Request) -> Response:
        """Upload one or several files: one revision, all of them or none."""
        form = request._request
        if form.content_type != "multipart/form-data":
            raise Invalid("Send a form: Content-Type: multipart/form-data.", field="Content-Type")
        given = form.POST
        unknown = set(given) - _FORM_FIELDS
        if unknown:
            raise Invalid("is not a known field", field=min(unknown))
        folder = given.get("folder", "").removesuffix("/")
        items = [(f"{folder}/{file.path}" if folder else file.path, file.received) for file in _files(form)]
        bases = those_there(require_path(path) for path, _ in items) | _bases(given.get("bases", "{}"))
        revision = add_many(self.caller, items, given.get("note", ""), bases=bases)
        files = LibraryFile.objects.filter(revision_id=revision.number).select_related("blob").order_by("path")
        answer = UploadAnswer(revision=revision.number, files=[shown_file(file) for file in files])
        return Response(answer.model_dump(), status=201)


def _files(form: Any) -> list[ReceivedUpload]:
    """The files of the form, in whatever field they are."""
    return [file for _, files in form.FILES.lists() for file in files if isinstance(file, ReceivedUpload)]


def _bases(given: str) -> dict[str, str]:
    found = jsonio.loads(given.encode())
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise Invalid("must be an object of paths and ETags", field="bases")
    return found
