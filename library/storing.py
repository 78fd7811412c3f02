"""Contents on their way in: streamed to the disk under a name of no meaning, then kept by their SHA-256."""

import errno
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Protocol

from common.errors import Unavailable
from library.limits import require_size, require_type
from library.models import Blob, LibrarySettings
from library.places import blob_path, blobs_folder, incoming_folder
from library.rules.media_types import HEAD_BYTES, TextCheck, judged_type

PIECE = 1024 * 1024
_FULL = {errno.ENOSPC, errno.EDQUOT}
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Readable(Protocol):
    """What gives a content in pieces."""

    def read(self, size: int, /) -> bytes:
        """The next piece of at most `size` bytes; nothing at the end."""
        ...


@dataclass(frozen=True)
class Received:
    """A content that is on the disk whole, and not in the Library yet."""

    temporary: Path
    sha256: str
    size: int
    media_type: str

    def row(self) -> Blob:
        """The row of the content."""
        return Blob(sha256=self.sha256, size=self.size, media_type=self.media_type)

    def discard(self) -> None:
        """Remove it, unless it was kept."""
        self.temporary.unlink(missing_ok=True)


@dataclass
class Receiving:
    """A content that is coming in. Nothing of it stays unless `finish` returns.

    `write` and `finish` raise TooLarge and TypeRefused by the limits, and Unavailable when the disk is full.
    """

    limits: LibrarySettings
    size: int = 0
    _head: bytes = b""
    _hash: "Hash" = field(default_factory=sha256)
    _text: TextCheck = field(default_factory=TextCheck)

    def __post_init__(self) -> None:
        folder = incoming_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = folder / secrets.token_hex(12)
        self._file = os.fdopen(os.open(self._path, _NEW_FILE, 0o600), "w+b", buffering=0)

    def write(self, piece: bytes) -> None:
        """Take the next piece."""
        self.size += len(piece)
        try:
            require_size(self.limits, self.size)
            self._hash.update(piece)
            self._text.feed(piece)
            if len(self._head) < HEAD_BYTES:
                self._head += piece[: HEAD_BYTES - len(self._head)]
            view = memoryview(piece)
            while view:
                view = view[self._file.write(view) :]
        except BaseException as error:
            self.abandon()
            _raise_if_full(error)
            raise

    def finish(self) -> Received:
        """The whole content, safely on the disk."""
        try:
            is_text = self._text.finish()
            media_type = judged_type(self._head, is_text=is_text, file=self._file)
            require_type(self.limits, media_type)
            os.fchmod(self._file.fileno(), 0o400)
            os.fsync(self._file.fileno())
            self._file.close()
        except BaseException as error:
            self.abandon()
            _raise_if_full(error)
            raise
        return Received(self._path, self._hash.hexdigest(), self.size, media_type)

    def abandon(self) -> None:
        """Leave nothing."""
        self._file.close()
        self._path.unlink(missing_ok=True)


class Hash(Protocol):
    """A hash that is fed in pieces."""

    def update(self, data: bytes, /) -> None:
        """Take the next piece."""
        ...

    def hexdigest(self) -> str:
        """The hash of all of it, in hexadecimal digits."""
        ...


def receive(stream: Readable, limits: LibrarySettings) -> Received:
    """Stream a content to the disk. Raises what `Receiving` does, and what `stream` raises."""
    receiving = Receiving(limits)
    try:
        while piece := stream.read(PIECE):
            receiving.write(piece)
    except BaseException:
        receiving.abandon()
        raise
    return receiving.finish()


def keep(contents: Iterable[Received]) -> None:
    """Give contents their place and their rows, in the transaction of the write that holds the Library's lock.

    A content that is there already is kept once. One whose transaction fails afterwards is swept up (`sweeping`).
    """
    by_hash = {content.sha256: content for content in contents}
    folders = set()
    for content in by_hash.values():
        place = blob_path(content.sha256)
        if not _make_folder(place.parent) and place.exists():
            continue
        content.temporary.rename(place)
        folders.add(place.parent)
    for folder in folders:
        _sync(folder)
    Blob.objects.bulk_create([content.row() for content in by_hash.values()], ignore_conflicts=True)


def read_start(file: BinaryIO, most: int) -> bytes | None:
    """All of a small content; None for one of more than `most` bytes."""
    found = file.read(most + 1)
    return found if len(found) <= most else None


def _make_folder(folder: Path) -> bool:
    """Let the folder be there; whether it was made now."""
    if folder.is_dir():
        return False
    made_root = not blobs_folder().is_dir()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sync(folder.parent)
    if made_root:
        _sync(folder.parent.parent)
    return True


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _raise_if_full(error: BaseException) -> None:
    if isinstance(error, OSError) and error.errno in _FULL:
        raise Unavailable("The disk of this machine is full. Nothing was changed.", type="disk_full") from error
