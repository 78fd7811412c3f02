"""What the Library holds, for whoever may read it."""

import os
import uuid
from typing import BinaryIO

from django.db.models import Max, QuerySet

from common.errors import Invalid, NotFound
from common.folders.names import BadName, checked_path, folded
from library.models import Blob, FileRevision, LibraryFile, LibraryRevision
from library.places import blob_path
from library.rules.names import name_hash


def current_revision() -> int:
    """The Library's revision; 0 before the first write."""
    return LibraryRevision.objects.aggregate(number=Max("number"))["number"] or 0


def live_files(prefix: str = "") -> QuerySet[LibraryFile]:
    """The files that are there, by path, each with its content's row; with `prefix`, those whose path begins so."""
    files = LibraryFile.objects.filter(deleted_at=None).select_related("blob").order_by("path")
    return files.filter(path__startswith=prefix) if prefix else files


def find_file(path: str) -> LibraryFile:
    """The file at `path`, in whatever composition it is given. Raises NotFound, for a path no file can have as well."""
    try:
        path = checked_path(path)
    except BadName:
        raise NotFound("There is no such file.") from None
    found = LibraryFile.objects.filter(deleted_at=None, folded=name_hash(folded(path)), path=path)
    file = found.select_related("blob").first()
    if file is None:
        raise NotFound("There is no such file.")
    return file


def find_former(path: str) -> LibraryFile:
    """The file at `path`; where none is, the one that had it when it was deleted last. Raises NotFound."""
    try:
        return find_file(path)
    except NotFound:
        try:
            path = checked_path(path)
        except BadName:
            raise NotFound("There is no such file.") from None
    gone = LibraryFile.objects.filter(folded=name_hash(folded(path)), path=path).exclude(deleted_at=None)
    file = gone.select_related("blob").order_by("-deleted_at").first()
    if file is None:
        raise NotFound("There is no such file.")
    return file


def find_by_id(file_id: uuid.UUID | str) -> LibraryFile:
    """A file, deleted or not. Raises NotFound."""
    file = LibraryFile.objects.select_related("blob").filter(pk=file_id).first()
    if file is None:
        raise NotFound("There is no such file.")
    return file


def version_of(file: LibraryFile, version: int) -> FileRevision:
    """The revision of `file` with this version and a content. Raises NotFound."""
    found = revisions_of(file).filter(version=version).exclude(blob=None).first()
    if found is None:
        raise NotFound("The file has no such version.")
    return found


def revisions_of(file: LibraryFile) -> QuerySet[FileRevision]:
    """What the file was, the newest first, each with its content's row and the Library's revision."""
    return FileRevision.objects.filter(file=file).select_related("blob", "revision").order_by("-version")


def etag_of(file: LibraryFile) -> str:
    """The ETag of a file's own revision, quotes included; another file that takes the path has another one."""
    return f'"{file.pk.hex[:16]}.{file.version}"'


def version_of_etag(etag: str, file: LibraryFile) -> int | None:
    """The version of `file` that `etag` names; None for one of another file. Raises Invalid for what is no ETag."""
    inner = etag.strip()
    if len(inner) < 2 or not (inner.startswith('"') and inner.endswith('"')):
        raise Invalid("must be an ETag in quotes, as the file’s answer gave it", field="If-Match")
    name, _, version = inner[1:-1].partition(".")
    if name != file.pk.hex[:16] or not version.isascii() or not version.isdigit():
        return None
    return int(version[:9])


def open_blob(blob: Blob) -> BinaryIO:
    """The bytes of a content, open for reading from the start. Raises FileNotFoundError where the disk lost it."""
    opened = os.open(blob_path(blob.sha256), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    return os.fdopen(opened, "rb")
