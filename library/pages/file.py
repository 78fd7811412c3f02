"""The page of one file: what is in it, what it was, who reads it; and its content for the browser to show."""

import uuid
from typing import Annotated, Any, cast

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from pydantic import Field

from common.errors import NotFound
from common.rest.query import QueryModel, parsed_query
from library.models import Blob, LibraryFile
from library.pages.addresses import file_named, folder_of
from library.readers import readers_in
from library.reading import etag_of, open_blob, version_of
from library.rules.difference import Difference, difference
from library.rules.media import is_text, opens_in_browser
from library.rules.sizes import size_words
from library.showing_file import MOST_EDITED, Preview, compared_texts, preview_of
from library.showing_folder import crumbs
from library.showing_history import Version, versions_of
from spaces.pages import Here, space_page

_Version = Annotated[int, Field(ge=1, le=2**31 - 1)]


class FileQuery(QueryModel):
    """From which version on the history is shown."""

    before: _Version | None = None


class ContentQuery(QueryModel):
    """Which version of the content, and whether it is to be saved rather than shown."""

    version: _Version | None = None
    download: Annotated[str, Field(pattern=r"\A1?\z")] = ""


class DifferenceQuery(QueryModel):
    """Two versions of a file."""

    earlier: _Version
    later: _Version


@require_safe
@space_page("library_pages:read", enters=False)
def one_file(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """A file: its content as far as it can be shown, its last change, its history, and who reads it."""
    given = parsed_query(FileQuery, request.GET)
    found = file_named(file)
    versions, older = versions_of(found, given.before)
    is_live = found.deleted_at is None
    context: dict[str, Any] = {
        "file": found,
        "crumbs": crumbs(folder_of(found.path)),
        "folder": folder_of(found.path),
        "size": size_words(found.blob.size),
        "etag": etag_of(found),
        "preview": _preview(found) if is_live else None,
        "may_edit": is_live and is_text(found.blob.media_type) and found.blob.size <= MOST_EDITED,
        "opens": opens_in_browser(found.blob.media_type),
        "versions": versions,
        "older": older,
        "changed": _last_change(found, versions) if is_live and given.before is None else None,
        "readers": readers_in(here.space),
    }
    return render(request, "library/file.html", context)


@require_safe
@space_page("library_pages:read", enters=False)
def content(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """The bytes of a version. Pictures and PDF files open in the browser, which may run nothing in them.

    Everything else is handed over to be saved, under a type that no browser runs.
    """
    given = parsed_query(ContentQuery, request.GET)
    found = file_named(file)
    blob = found.blob if given.version is None else version_of(found, given.version).blob
    if blob is None or (given.version is None and found.deleted_at is not None):
        raise NotFound("The file has no such content.")
    in_place = opens_in_browser(blob.media_type) and not given.download
    try:
        stream = open_blob(blob)
    except OSError:
        raise NotFound("The content is not on the disk any more.") from None
    response = FileResponse(
        stream,
        as_attachment=not in_place,
        filename=found.path.rpartition("/")[2],
        content_type=blob.media_type if in_place else "application/octet-stream",
    )
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    # A page is given anything that is sent as an answer; the type of those that are streamed is Django's own.
    return cast(HttpResponse, response)


@require_safe
@space_page("library_pages:read", enters=False)
def file_difference(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """Two versions of a file side by side."""
    given = parsed_query(DifferenceQuery, request.GET)
    found = file_named(file)
    earlier, later = version_of(found, given.earlier), version_of(found, given.later)
    context = {
        "file": found,
        "crumbs": crumbs(folder_of(found.path)),
        "earlier": earlier,
        "later": later,
        "changed": _compared(earlier.blob, later.blob),
    }
    return render(request, "library/difference.html", context)


def _preview(file: LibraryFile) -> Preview | None:
    """What is shown of the content; None where the disk has lost it."""
    try:
        return preview_of(file.path, file.blob)
    except OSError:
        return None


def _last_change(file: LibraryFile, versions: list[Version]) -> dict[str, Any] | None:
    """What the newest version changed in the text; None where it is the first, or no text."""
    if not versions or versions[0].earlier is None:
        return None
    former = next((one.row for one in versions if one.row.version == versions[0].earlier), None)
    if former is None or former.blob_id == file.blob_id:
        return None
    changed = _compared(former.blob, file.blob)
    return {"earlier": former, "later": versions[0].row, "changed": changed} if changed else None


def _compared(earlier: Blob | None, later: Blob | None) -> Difference | None:
    """The difference of two contents; None where they can't be compared."""
    if earlier is None or later is None:
        return None
    try:
        before, after = compared_texts(earlier, later)
    except OSError:
        return None
    return None if before is None or after is None else difference(before, after)
