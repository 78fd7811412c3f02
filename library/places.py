"""Where the Library is on disk."""

from pathlib import Path

from django.conf import settings


def library_folder() -> Path:
    """The folder of the room in the data folder."""
    return Path(settings.KNDL.data_dir) / "library"


def files_folder() -> Path:
    """The current files: what running agents are given."""
    return library_folder() / "files"


def blobs_folder() -> Path:
    """Every content there was, by its SHA-256."""
    return library_folder() / "blobs"


def incoming_folder() -> Path:
    """Where contents are written before they have a name; what is old in it is a leftover."""
    return library_folder() / "blobs.incoming"


def blob_path(sha256: str) -> Path:
    """Where the content with this SHA-256, in hexadecimal digits, is kept."""
    return blobs_folder() / sha256[:2] / sha256[2:]
