"""The current revision as one tar file, for seats that can't mount the folder."""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from library.models import Blob, LibraryFile
from library.reading import current_revision, open_blob

_PIECE = 256 * 1024


@dataclass(frozen=True)
class Archive:
    """The files of `revision`; `pieces` may be read once and takes the contents from where they are kept for good."""

    revision: int
    pieces: Iterator[bytes]


def current_archive() -> Archive:
    """The archive of the current revision, which writes that come meanwhile do not touch.

    The same revision gives the same bytes: names in order of their code points, one owner, no times but the files' own.
    """
    while True:
        revision = current_revision()
        live = LibraryFile.objects.filter(deleted_at=None)
        rows = sorted(live.values_list("path", "blob_id", "blob__size", "changed_at"))
        if revision == current_revision():
            return Archive(revision, _pieces(rows))


def _pieces(rows: list[tuple[str, str, int, datetime]]) -> Iterator[bytes]:
    for path, sha256, size, changed_at in rows:
        yield _header(path, size, changed_at)
        yield from _content(path, Blob(sha256=sha256, size=size))
    yield bytes(2 * tarfile.BLOCKSIZE)


def _header(path: str, size: int, changed_at: datetime) -> bytes:
    info = tarfile.TarInfo(path)
    info.size = size
    info.mode = 0o444
    info.mtime = int(changed_at.timestamp())
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


def _content(path: str, blob: Blob) -> Iterator[bytes]:
    left = blob.size
    with open_blob(blob) as stream:
        while left and (piece := stream.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
    if left:
        # Ends the answer in the middle, so that nobody takes what is missing for the whole.
        raise OSError(f"the content of {path} is shorter than it was")
    yield bytes(-blob.size % tarfile.BLOCKSIZE)
