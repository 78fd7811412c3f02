"""What kind of content a file has, judged by the content; and by which type it is answered."""

import codecs
import mimetypes
import zipfile
from typing import BinaryIO

import puremagic

TEXT = "text/plain"
UNKNOWN = "application/octet-stream"
EMPTY = "application/x-empty"
HEAD_BYTES = 8192
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27}) + b"\x7f"
_OFFICE = {
    "word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_ZIP_ENTRIES = 5_000
_MOST_DECLARED = 200
# Names that say more of a text than that it is one, where the system's own table differs from machine to machine.
_BY_NAME = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".html": "text/html",
    ".htm": "text/html",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
}


class TextCheck:
    """Whether a content that comes in pieces is text: UTF-8 without control characters."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.is_text = True

    def feed(self, piece: bytes) -> None:
        """Look at the next piece."""
        if not self.is_text:
            return
        if len(piece.translate(None, _CONTROLS)) != len(piece):
            self.is_text = False
            return
        try:
            self._decoder.decode(piece)
        except UnicodeDecodeError:
            self.is_text = False

    def finish(self) -> bool:
        """Whether all of it was text."""
        if self.is_text:
            try:
                self._decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                self.is_text = False
        return self.is_text


def judged_type(head: bytes, *, is_text: bool, file: BinaryIO) -> str:
    """The media type of a content by its first bytes and, for archives, by what is in it; the name has no say."""
    if not head:
        return EMPTY
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive_type(file)
    if is_text:
        return TEXT
    try:
        found = puremagic.magic_string(head)
    except (puremagic.PureError, ValueError):
        return UNKNOWN
    named = (match.mime_type for match in found if "/" in match.mime_type and not match.mime_type.startswith("text/"))
    return next(named, UNKNOWN)[:_MOST_DECLARED].lower()


def answered_type(media_type: str, path: str) -> str:
    """The type by which a file is answered: of a text, its name may say more."""
    if media_type == EMPTY:
        media_type = TEXT
    if media_type != TEXT:
        return media_type
    extension = "." + path.rpartition("/")[2].rpartition(".")[2].lower()
    guessed = _BY_NAME.get(extension) or mimetypes.guess_type("a" + extension, strict=True)[0] or ""
    named = guessed if guessed.startswith("text/") or extension in _BY_NAME else TEXT
    return f"{named}; charset=utf-8"


def is_allowed(media_type: str, allowed: list[str]) -> bool:
    """Whether a type is among the allowed ones, such as `application/pdf` or `image/*`; all are, where none is named.

    An empty file is a text.
    """
    if media_type == EMPTY:
        media_type = TEXT
    return not allowed or media_type in allowed or media_type.partition("/")[0] + "/*" in allowed


def _archive_type(file: BinaryIO) -> str:
    """The type of a ZIP archive: what an office writes is told by the folders in it."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            names = [entry.filename for entry in archive.infolist()[:_ZIP_ENTRIES]]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return "application/zip"
    if "[Content_Types].xml" in names:
        for folder, media_type in _OFFICE.items():
            if any(name.startswith(folder) for name in names):
                return media_type
    if "mimetype" in names and "META-INF/manifest.xml" in names:
        return "application/vnd.oasis.opendocument"
    return "application/zip"
