"""Which reader a content is for, by its first bytes."""

from enum import Enum
from typing import BinaryIO

_HEAD = 1024
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Kind(Enum):
    """Kinds of content. An archive may be an Office file; what is none of the others may be text."""

    PDF = "pdf"
    ARCHIVE = "archive"
    OLD_OFFICE = "old office"
    OTHER = "other"


def kind_of(stream: BinaryIO) -> Kind:
    """The kind of a content; the stream stands at its beginning, before and after."""
    head = stream.read(_HEAD)
    stream.seek(0)
    if b"%PDF-" in head:
        return Kind.PDF
    if head.startswith(b"PK\x03\x04"):
        return Kind.ARCHIVE
    return Kind.OLD_OFFICE if head.startswith(_OLD_OFFICE) else Kind.OTHER
