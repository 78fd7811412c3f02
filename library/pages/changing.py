"""Pages that change one file: edit its text, replace it, rename or move it, delete it, bring it back."""

import uuid
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from common.errors import Invalid, KndlError, NotFound, Stale
from library import writing
from library.models import LibraryFile
from library.pages.addresses import file_address, file_named, folder_of, panel_address, put_on_record
from library.pages.conflict import edited_meanwhile
from library.reading import etag_of
from library.showing_file import whole_text
from library.showing_folder import crumbs
from spaces.forms import say_errors
from spaces.pages import Here, space_page


class _BasedForm(forms.Form):
    """A change that names what it is based on, and may say why it is made."""

    base = forms.CharField(max_length=100, widget=forms.HiddenInput)
    note = forms.CharField(required=False, max_length=1_000, help_text="Why; it stays with the revision.")


class EditForm(_BasedForm):
    """A text in place of the one that is there."""

    text = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "class": "code-area", "spellcheck": "true"}),
    )
    field_order = ("base", "text", "note")


class MoveForm(_BasedForm):
    """Another name, or another folder."""

    path = forms.CharField(
        label="Path",
        max_length=2_000,
        strip=False,
        help_text="The folders and the name. Folders that are not there are made.",
    )
    field_order = ("base", "path", "note")


class DeleteForm(_BasedForm):
    """Why it goes."""


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("library_pages:write", enters=False)
def edit(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """Edit a text in place. When somebody changed it meanwhile, both texts are shown with their difference."""
    found = file_named(file, live=True)
    current = _text_of(found)
    if current is None:
        raise Invalid("This is no text that can be edited here. Replace the file instead.")
    if request.method != "POST":
        form = EditForm(initial={"base": etag_of(found), "text": current})
        return render(request, "library/edit.html", _context(found, form))
    form = EditForm(request.POST)
    if not form.is_valid():
        return render(request, "library/edit.html", _context(found, form), status=400)
    text = _line_ends(form.cleaned_data["text"], current)
    try:
        writing.edit_text(here.caller, found.path, text, base=form.cleaned_data["base"], note=form.cleaned_data["note"])
    except Stale as error:
        return edited_meanwhile(request, file_named(file), text, form.cleaned_data["note"], error)
    except KndlError as error:
        return _refused(request, here, found, form, error, "library/edit.html")
    messages.success(request, f"Saved {found.path}.")
    return redirect(file_address(here, found))


@require_POST
@space_page("library_pages:write", enters=False)
def replace(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """Put another content in place of a file's."""
    found = file_named(file, live=True)
    form = DeleteForm(request.POST)
    sent = request.FILES.get("content")
    if sent is None or not form.is_valid():
        raise Invalid("Choose a file first.")
    given = form.cleaned_data
    return _done(
        request,
        here,
        found,
        lambda: writing.add(here.caller, found.path, sent, base=given["base"], note=given["note"]),
        f"Replaced {found.path}.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("library_pages:write", enters=False)
def move(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """Rename a file, or move it to another folder."""
    found = file_named(file, live=True)
    if request.method != "POST":
        form = MoveForm(initial={"base": etag_of(found), "path": found.path})
        return render(request, "library/move.html", _context(found, form))
    form = MoveForm(request.POST)
    if not form.is_valid():
        return render(request, "library/move.html", _context(found, form), status=400)
    given = form.cleaned_data
    try:
        writing.move(here.caller, found.path, given["path"], base=given["base"], note=given["note"])
    except KndlError as error:
        return _refused(request, here, found, form, error, "library/move.html")
    messages.success(request, f"Moved to {given['path']}.")
    return redirect(file_address(here, found))


@require_http_methods(["GET", "HEAD", "POST"])
@space_page("library_pages:write", enters=False)
def delete(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """Say what goes and what stays; then delete a file."""
    found = file_named(file, live=True)
    if request.method != "POST":
        form = DeleteForm(initial={"base": etag_of(found)})
        return render(request, "library/delete.html", _context(found, form))
    form = DeleteForm(request.POST)
    if not form.is_valid():
        return render(request, "library/delete.html", _context(found, form), status=400)
    try:
        writing.delete(here.caller, found.path, base=form.cleaned_data["base"], note=form.cleaned_data["note"])
    except KndlError as error:
        return _refused(request, here, found, form, error, "library/delete.html")
    messages.success(request, f"Deleted {found.path}. It can be restored.")
    return redirect(panel_address(here, folder_of(found.path)))


@require_POST
@space_page("library_pages:write", enters=False)
def restore(request: HttpRequest, here: Here, file: uuid.UUID) -> HttpResponse:
    """Bring back a version of a file, or a file that was deleted."""
    found = file_named(file)
    version = request.POST.get("version", "")
    if not version.isdecimal() or len(version) > len("2147483647"):
        raise Invalid("Say which version.")
    return _done(
        request,
        here,
        found,
        lambda: writing.restore(here.caller, found.pk, int(version)),
        f"Restored {found.path} as it was in version {version}.",
    )


def _done(request: HttpRequest, here: Here, file: LibraryFile, write: Callable[[], object], said: str) -> HttpResponse:
    """Make a change that has no page of its own, and go back to the file with what became of it."""
    try:
        write()
    except NotFound:
        raise
    except KndlError as error:
        put_on_record(request, here, error)
        detail = error.detail[:1].upper() + error.detail[1:].rstrip(".")
        messages.warning(request, f"{detail}. Nothing was changed.")
    else:
        messages.success(request, said)
    return redirect(file_address(here, file))


def _refused(
    request: HttpRequest, here: Here, file: LibraryFile, form: forms.Form, error: KndlError, template: str
) -> HttpResponse:
    """The form again with the reason; after somebody else's change it is based on what is there now."""
    put_on_record(request, here, error)
    if isinstance(error, Stale):
        form.data = {**request.POST.dict(), "base": etag_of(file_named(file.pk))}
    say_errors(form, error)
    return render(request, template, _context(file, form), status=error.status)


def _context(file: LibraryFile, form: forms.Form) -> dict[str, Any]:
    return {"file": file, "form": form, "crumbs": crumbs(folder_of(file.path)), "folder": folder_of(file.path)}


def _text_of(file: LibraryFile) -> str | None:
    try:
        return whole_text(file.blob)
    except OSError:
        raise NotFound("The content is not on the disk any more.") from None


def _line_ends(text: str, current: str) -> str:
    """The text with the line ends of the one that is there; a browser sends CR LF whatever it was given."""
    text = text.replace("\r\n", "\n")
    return text.replace("\n", "\r\n") if "\r\n" in current else text
