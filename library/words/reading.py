"""Reading the words of contents: each once, by whichever worker claims it. The rows are the queue."""

from datetime import datetime, timedelta
from time import monotonic

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from common.times import now
from library.models import Blob, BlobText
from library.reading import open_blob
from library.words.limits import FAILED, READ
from library.words.outside import Words, words_of
from library.words.vectors import vector_of

LEASE = timedelta(minutes=10)
log = structlog.get_logger()


def waiting() -> QuerySet[Blob]:
    """The contents whose words are not known yet and that no worker is at, the oldest first."""
    free = Q(words_lease_until=None) | Q(words_lease_until__lt=now())
    return Blob.objects.filter(free, words=Blob.Words.WAITING).order_by("made_at", "sha256")


def read_waiting(*, most: int | None = None, seconds: float | None = None) -> int:
    """Read contents until none waits, or `most` are read or `seconds` are over; returns how many this worker read.

    A content that was begun is read to its end.
    """
    read, begun = 0, monotonic()
    while (most is None or read < most) and (seconds is None or monotonic() - begun < seconds):
        claimed = _claim()
        if claimed is None:
            break
        blob, lease = claimed
        _keep(blob, lease, _words(blob))
        read += 1
    return read


def _claim() -> tuple[Blob, datetime] | None:
    """A content that is this worker's until the lease ends; None when none waits."""
    while (blob := waiting().first()) is not None:
        lease = now() + LEASE
        if waiting().order_by().filter(pk=blob.pk).update(words_lease_until=lease):
            return blob, lease
    return None


def _words(blob: Blob) -> Words:
    try:
        with open_blob(blob) as stream:
            return words_of(stream)
    except OSError as error:
        log.warning("library_content_not_read", sha256=blob.sha256, reason=type(error).__name__)
        return Words(FAILED, reason="Its content could not be opened.")


def _keep(blob: Blob, lease: datetime, words: Words) -> None:
    """Keep what was read, unless the lease is over and another worker has it."""
    mine = Blob.objects.filter(pk=blob.pk, words=Blob.Words.WAITING, words_lease_until=lease)
    vector = vector_of(words.text)
    with transaction.atomic(using="default"):
        known = {"words": words.state, "words_reason": words.reason[:200], "words_lease_until": None}
        if mine.update(**known) and words.state == READ:
            BlobText.objects.update_or_create(blob=blob, defaults={"text": words.text, "search": vector})
