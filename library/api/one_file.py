"""One file over REST: its content in and out, its path."""

import hmac
from typing import Annotated, Any, ClassVar

from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from common.crypto import derived
from common.errors import Invalid, Stale
from common.rest.query import QueryModel, parsed_query
from common.rest.schema import query_parameters
from common.strict import StrictModel, validated
from library.api.answers import FileAnswer, shown_file
from library.api.base import (
    IF_MATCH,
    IF_NONE_MATCH,
    PATH,
    LibraryView,
    base_of,
    base_of_change,
    problems,
    those_there,
    wants_none,
)
from library.api.serving import content_answer
from library.limits import current_limits, require_size
from library.naming import require_path
from library.reading import etag_of, find_by_id, find_file
from library.refusals import BaseRequired, RangeRefused
from library.storing import Received, receive
from library.writing import add, delete, move
from spaces.rest_schema import IDEMPOTENCY_KEY

_Note = Annotated[str, Field(max_length=1_000, description="Why, for the history.")]
_RANGE = OpenApiParameter("Range", str, OpenApiParameter.HEADER, description="One range of bytes.")


class NoteQuery(QueryModel):
    """The query string of a write."""

    note: _Note = ""


class NothingAsked(QueryModel):
    """A query string without parameters."""


class MoveInput(StrictModel):
    """Where a file goes."""

    path: str
    note: _Note = ""


class FileView(LibraryView):
    """One file."""

    rules: ClassVar[dict[str, str]] = {
        "GET": "library:read",
        "PUT": "library:write",
        "PATCH": "library:write",
        "DELETE": "library:write",
    }
    _received: Received | None = None
    _size = 0

    @extend_schema(
        operation_id="library_file_read",
        parameters=[PATH, _RANGE],
        responses={
            (200, "application/octet-stream"): OpenApiTypes.BINARY,
            (206, "application/octet-stream"): OpenApiTypes.BINARY,
            304: None,
            **problems(404, 416),
        },
    )
    def get(self, request: Request, path: str) -> HttpResponseBase:
        """The content, as an attachment, with its ETag."""
        parsed_query(NothingAsked, request.query_params)
        file = find_file(path)
        self._size = file.blob.size
        return content_answer(request._request, file.blob, file.path, etag_of(file), file.changed_at)

    @extend_schema(
        operation_id="library_file_write",
        parameters=[PATH, *query_parameters(NoteQuery), IF_MATCH, IF_NONE_MATCH, IDEMPOTENCY_KEY],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: FileAnswer, 201: FileAnswer, **problems(400, 409, 412, 413, 415, 428)},
    )
    def put(self, request: Request, path: str) -> Response:
        """Add a file, or replace it: the version that If-Match names, where it does. The body is its content."""
        given = parsed_query(NoteQuery, request.query_params)
        base, must_be_new = base_of(request), wants_none(request)
        name = require_path(path)
        if base is None and not must_be_new:
            base = those_there([name]).get(name)
        self._received = received = self._body_received(request)
        try:
            return self.once(
                201 if base is None else 200,
                lambda _: str(add(self.caller, path, received, note=given.note, base=base).pk),
                self._shown,
            )
        except BaseRequired as error:
            if must_be_new:
                current = error.extra["current"]
                raise Stale("There is a file with this path already.", current=current, diff=None) from None
            raise
        finally:
            received.discard()

    @extend_schema(
        operation_id="library_file_move",
        parameters=[PATH, IF_MATCH, IDEMPOTENCY_KEY],
        request=MoveInput,
        responses={200: FileAnswer, **problems(400, 404, 409, 412)},
    )
    def patch(self, request: Request, path: str) -> Response:
        """Rename the file, or move it to another folder."""
        parsed_query(NothingAsked, request.query_params)
        given, base = validated(MoveInput, self.body()), base_of_change(request)
        return self.once(
            200, lambda _: str(move(self.caller, path, given.path, base=base, note=given.note).pk), self._shown
        )

    @extend_schema(
        operation_id="library_file_delete",
        parameters=[PATH, *query_parameters(NoteQuery), IF_MATCH, IDEMPOTENCY_KEY],
        responses={200: FileAnswer, **problems(404, 412)},
    )
    def delete(self, request: Request, path: str) -> Response:
        """Delete the file. What it was stays readable, and it can be restored."""
        given = parsed_query(NoteQuery, request.query_params)
        base = base_of_change(request)
        return self.once(200, lambda _: str(delete(self.caller, path, base=base, note=given.note).pk), self._shown)

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        if isinstance(exc, RangeRefused):
            response["Content-Range"] = f"bytes */{self._size}"
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if isinstance(response, Response) and isinstance(response.data, dict) and "etag" in response.data:
            response["ETag"] = response.data["etag"]
        return response

    def _body_received(self, request: Request) -> Received:
        """The body on the disk, as long as it was said to be."""
        stated = request.headers.get("Content-Length", "")
        for name in ("Content-Encoding", "Content-Range"):
            if request.headers.get(name, "identity") != "identity":
                raise Invalid("is not taken: send the whole content as it is", field=name)
        limits = current_limits()
        if stated.isascii() and stated.isdigit():
            require_size(limits, int(stated))
        received = receive(request._request, limits)
        if stated and stated != str(received.size):
            received.discard()
            raise Invalid("ends before it should", field="body")
        return received

    def _digest(self) -> bytes:
        """Of a content, which was read already, its hash stands for it."""
        if self._received is None:
            return super()._digest()
        request = self.request._request
        given = f"{request.method} {request.get_full_path()}\0{self._received.sha256}".encode()
        return hmac.new(derived(settings.SECRET_KEY.encode(), "kndl idempotency keys"), given, "sha256").digest()

    def _shown(self, file_id: str) -> dict[str, Any]:
        return shown_file(find_by_id(file_id)).model_dump()
