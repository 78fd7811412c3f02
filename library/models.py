"""The Library: its revisions, its files, the contents they had, and the words of these."""

import uuid

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q


class LibraryRevision(models.Model):
    """One write to the Library. The number rises by one, without a gap; the greatest is the Library's revision.

    `file_count` files of `total_size` bytes in all were there from then on.
    """

    number = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField()
    act = models.CharField(max_length=16)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    note = models.CharField(max_length=1_000, blank=True)
    file_count = models.PositiveIntegerField()
    total_size = models.BigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(number__gt=0), name="library_revision_is_positive")]

    def __str__(self) -> str:
        return f"revision {self.number}"


class Blob(models.Model):
    """A content, kept once by its SHA-256, in hexadecimal digits; its bytes are in the folder `library/blobs/`.

    `words_reason` says why the words could not be read; `words_lease_until`, how long a worker is at it.
    """

    class Words(models.TextChoices):
        """Whether the words of a content are known."""

        WAITING = "waiting"
        READ = "read"
        NONE = "none"
        FAILED = "failed"

    sha256 = models.CharField(primary_key=True, max_length=64)
    size = models.BigIntegerField()
    media_type = models.CharField(max_length=120)
    words = models.CharField(max_length=8, choices=Words, default=Words.WAITING)
    words_reason = models.CharField(max_length=200, blank=True)
    words_lease_until = models.DateTimeField(null=True, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["made_at"], condition=Q(words="waiting"), name="blob_words_waiting")]

    def __str__(self) -> str:
        return self.sha256


class BlobText(models.Model):
    """What a content says, as far as it could be read, and the words it is found by."""

    blob = models.OneToOneField(Blob, models.CASCADE, primary_key=True, related_name="text")
    text = models.TextField()
    search = SearchVectorField()

    class Meta:
        indexes = [GinIndex(fields=["search"], name="blob_text_search")]

    def __str__(self) -> str:
        return str(self.blob_id)


class LibraryFile(models.Model):
    """A file through all its names and contents. One that was deleted keeps its last path, and may be restored.

    `folded` is the SHA-256 of the path as names are compared: no two live files differ by case or composition alone.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    path = models.CharField(max_length=2_000)
    folded = models.CharField(max_length=64)
    blob = models.ForeignKey(Blob, models.PROTECT, related_name="files")
    version = models.PositiveIntegerField()
    revision = models.ForeignKey(LibraryRevision, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["folded"], condition=Q(deleted_at__isnull=True), name="library_name_once")
        ]
        indexes = [models.Index(fields=["path"], condition=Q(deleted_at__isnull=True), name="library_live_path")]

    def __str__(self) -> str:
        return self.path


class FileRevision(models.Model):
    """What a write did to one file: the path and the content it had from then on; no content once it was deleted.

    `version` counts the writes to the file from 1: a write names the one it was based on.
    """

    file = models.ForeignKey(LibraryFile, models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField()
    revision = models.ForeignKey(LibraryRevision, models.PROTECT, related_name="files")
    act = models.CharField(max_length=16)
    path = models.CharField(max_length=2_000)
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "version"], name="library_file_version_once"),
            models.UniqueConstraint(fields=["file", "revision"], name="library_file_once_a_revision"),
        ]

    def __str__(self) -> str:
        return f"{self.path} {self.version}"


class LibraryFolder(models.Model):
    """How a folder is written, by the SHA-256 of its path as names are compared; it may hold no files any more."""

    folded = models.CharField(primary_key=True, max_length=64)
    path = models.CharField(max_length=2_000)

    def __str__(self) -> str:
        return self.path


class LibrarySettings(models.Model):
    """The limits of the Library; one row. Sizes are bytes. `media_types` empty: every type is allowed."""

    single = models.BooleanField(primary_key=True, default=True)
    file_size = models.BigIntegerField(default=2 * 1024**3)
    whole_size = models.BigIntegerField(default=100 * 1024**3)
    files = models.PositiveIntegerField(default=100_000)
    media_types = models.JSONField(default=list)

    def __str__(self) -> str:
        return "limits of the Library"
