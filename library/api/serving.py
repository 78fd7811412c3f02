"""The answer that is a content: never shown by a browser as a page of ours, in pieces, whole or one range of it."""

from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header, http_date, parse_etags

from common.errors import NotFound
from library.models import Blob
from library.reading import open_blob
from library.refusals import RangeRefused
from library.rules.media_types import answered_type
from library.rules.ranges import OutOfRange, asked_range

_PIECE = 256 * 1024
_POLICY = "sandbox; default-src 'none'"


class _Pieces(Iterator[bytes]):
    """So many bytes of an open file, in pieces; it is closed with the answer."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._left = length

    def __next__(self) -> bytes:
        piece = self._file.read(min(_PIECE, self._left)) if self._left else b""
        if not piece:
            self.close()
            raise StopIteration
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def content_answer(request: HttpRequest, blob: Blob, path: str, etag: str, changed_at: datetime) -> HttpResponseBase:
    """The content of a file as an attachment: 200, 206 for a range, 304 for who has it.

    Raises RangeRefused for a range behind the end, and NotFound where the content is gone from the disk.
    """
    if _is_known(request, etag):
        return _headed(HttpResponseNotModified(), etag, changed_at)
    start, end, is_part = 0, blob.size, False
    asked = request.headers.get("Range")
    if asked and request.method == "GET" and _range_counts(request, etag):
        try:
            part = asked_range(asked, blob.size)
        except OutOfRange:
            raise RangeRefused(f"The content has {blob.size:,} bytes.", size=blob.size) from None
        if part is not None:
            (start, end), is_part = part, True
    response = _body(request, blob, start, end)
    response["Content-Type"] = answered_type(blob.media_type, path)
    response["Content-Length"] = str(end - start)
    response["Content-Disposition"] = content_disposition_header(True, path.rpartition("/")[2]) or "attachment"
    if is_part:
        response.status_code = 206
        response["Content-Range"] = f"bytes {start}-{end - 1}/{blob.size}"
    return _headed(response, etag, changed_at)


def _body(request: HttpRequest, blob: Blob, start: int, end: int) -> HttpResponseBase:
    if request.method == "HEAD":
        return HttpResponse()
    try:
        file = open_blob(blob)
    except FileNotFoundError:
        raise NotFound("The content is not on this machine's disk any more.") from None
    file.seek(start)
    return StreamingHttpResponse(_Pieces(file, end - start))


def _headed(response: HttpResponseBase, etag: str, changed_at: datetime) -> HttpResponseBase:
    response["ETag"] = etag
    response["Last-Modified"] = http_date(changed_at.timestamp())
    response["Accept-Ranges"] = "bytes"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = _POLICY
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _is_known(request: HttpRequest, etag: str) -> bool:
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return any(item == "*" or item.removeprefix("W/") == etag for item in known)


def _range_counts(request: HttpRequest, etag: str) -> bool:
    """Whether a range is meant for this content: by If-Range, which may name the one that was begun."""
    begun = request.headers.get("If-Range")
    return begun is None or begun.strip() == etag
