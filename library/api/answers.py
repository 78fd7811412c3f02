"""The shapes of answers."""

from pydantic import BaseModel, Field

from common.actors import shown_names
from common.times import format_instant
from library.models import FileRevision, LibraryFile, LibraryRevision, LibrarySettings
from library.reading import etag_of
from library.rules.media_types import answered_type


class FileAnswer(BaseModel):
    """A file. `version` counts the writes to it, `revision` is the Library's number of the last; `size` is bytes."""

    id: str
    path: str
    size: int
    sha256: str
    media_type: str
    version: int
    etag: str
    revision: int
    changed_at: str
    deleted: bool


class FileList(BaseModel):
    """One page of files by path; `next` is the `cursor` of the page after it."""

    revision: int
    files: list[FileAnswer]
    next: str | None


class FileVersion(BaseModel):
    """What a write made of a file. `size` and `sha256` are null where it was deleted."""

    version: int
    revision: int
    act: str
    path: str
    size: int | None
    sha256: str | None
    at: str
    by: str
    by_name: str
    note: str


class FileVersionList(BaseModel):
    """The versions of a file, the newest first."""

    id: str
    path: str
    deleted: bool
    versions: list[FileVersion]
    next: str | None


class RevisionFile(BaseModel):
    """A file that a revision wrote to."""

    id: str
    path: str
    act: str
    version: int
    size: int | None
    sha256: str | None


class RevisionAnswer(BaseModel):
    """One write to the Library; `files` are the first of those it wrote to, `file_count` and `total_size` are of the
    Library from then on."""

    revision: int
    at: str
    act: str
    by: str
    by_name: str
    note: str
    file_count: int
    total_size: int
    files: list[RevisionFile] = Field(default_factory=list)
    written: int


class RevisionList(BaseModel):
    """One page of revisions, the newest first."""

    revision: int
    revisions: list[RevisionAnswer]
    next: str | None


class UploadAnswer(BaseModel):
    """What an upload added or replaced, as one revision."""

    revision: int
    files: list[FileAnswer]


class LimitsAnswer(BaseModel):
    """The limits of the Library. Sizes are bytes; `media_types` empty: every type is allowed."""

    file_size: int
    whole_size: int
    files: int
    media_types: list[str]


def shown_file(file: LibraryFile) -> FileAnswer:
    """A file as REST shows it."""
    return FileAnswer(
        id=str(file.pk),
        path=file.path,
        size=file.blob.size,
        sha256=file.blob_id,
        media_type=answered_type(file.blob.media_type, file.path),
        version=file.version,
        etag=etag_of(file),
        revision=file.revision_id,
        changed_at=format_instant(file.changed_at),
        deleted=file.deleted_at is not None,
    )


def shown_versions(found: list[FileRevision]) -> list[FileVersion]:
    """Versions of a file as REST shows them."""
    names = shown_names(_actor(item.revision) for item in found)
    return [
        FileVersion(
            version=item.version,
            revision=item.revision_id,
            act=item.act,
            path=item.path,
            size=item.blob.size if item.blob else None,
            sha256=item.blob_id,
            at=format_instant(item.revision.at),
            by=_actor(item.revision),
            by_name=names[_actor(item.revision)],
            note=item.revision.note,
        )
        for item in found
    ]


def shown_revisions(found: list[LibraryRevision], written: dict[int, list[FileRevision]]) -> list[RevisionAnswer]:
    """Revisions of the Library as REST shows them, at most 100 files of each."""
    names = shown_names(map(_actor, found))
    return [
        RevisionAnswer(
            revision=item.number,
            at=format_instant(item.at),
            act=item.act,
            by=_actor(item),
            by_name=names[_actor(item)],
            note=item.note,
            file_count=item.file_count,
            total_size=item.total_size,
            files=[_revision_file(file) for file in written.get(item.number, [])[:100]],
            written=len(written.get(item.number, [])),
        )
        for item in found
    ]


def shown_limits(limits: LibrarySettings) -> LimitsAnswer:
    """The limits as REST shows them."""
    return LimitsAnswer(
        file_size=limits.file_size,
        whole_size=limits.whole_size,
        files=limits.files,
        media_types=limits.media_types,
    )


def _revision_file(item: FileRevision) -> RevisionFile:
    return RevisionFile(
        id=str(item.file_id),
        path=item.path,
        act=item.act,
        version=item.version,
        size=item.blob.size if item.blob else None,
        sha256=item.blob_id,
    )


def _actor(revision: LibraryRevision) -> str:
    return f"{revision.actor_kind}:{revision.actor_id}"
