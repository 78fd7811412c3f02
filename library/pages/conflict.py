"""The page of an edit that came too late: both texts, and what differs between them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from common.errors import NotFound, Stale
from library.models import LibraryFile
from library.pages.addresses import folder_of
from library.reading import etag_of
from library.rules.difference import difference
from library.showing_file import whole_text
from library.showing_folder import crumbs
from library.showing_history import versions_of


def edited_meanwhile(request: HttpRequest, file: LibraryFile, text: str, note: str, error: Stale) -> HttpResponse:
    """What is there now beside what was to be saved, 412; saving it once more is based on what is there now."""
    if file.deleted_at is not None:
        raise NotFound("The file was deleted in the meantime. Restore it first.")
    current = whole_text(file.blob)
    versions, _ = versions_of(file)
    context = {
        "file": file,
        "crumbs": crumbs(folder_of(file.path)),
        "folder": folder_of(file.path),
        "base": etag_of(file),
        "text": text,
        "note": note,
        "current": current,
        "by": versions[0] if versions else None,
        "changed": None if current is None else difference(current, text),
    }
    return render(request, "library/edited_meanwhile.html", context, status=error.status)
