"""Addresses of the pages, and what several of them do alike."""

import uuid
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from common.errors import KndlError, NotFound
from library.models import LibraryFile
from spaces.pages import Here
from spaces.recording import record_refusal


def panel_address(here: Here, folder: str = "") -> str:
    """The panel at a folder."""
    address = reverse("library_page", args=[here.space.slug])
    return f"{address}?{urlencode({'folder': folder})}" if folder else address


def file_address(here: Here, file: LibraryFile) -> str:
    """The page of a file."""
    return reverse("library_file", args=[here.space.slug, file.pk])


def folder_of(path: str) -> str:
    """The folder of a path, with the slash at its end; nothing at the top."""
    return path[: path.rfind("/") + 1]


def file_named(file: uuid.UUID, *, live: bool = False) -> LibraryFile:
    """The file with this id, one that was deleted as well unless it must be `live`. Raises NotFound."""
    files = LibraryFile.objects.select_related("blob", "revision").filter(pk=file)
    found = (files.filter(deleted_at=None) if live else files).first()
    if found is None:
        raise NotFound("There is no such file.")
    return found


def put_on_record(request: HttpRequest, here: Here, error: KndlError) -> None:
    """Record a refusal that is shown on a page of ours, where refusals of its kind are recorded."""
    record_refusal(here.caller, None, request, error)
