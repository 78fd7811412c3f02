"""Names and folders of the Library's files."""

from collections.abc import Iterator
from hashlib import sha256


def name_hash(folded: str) -> str:
    """The SHA-256, in hexadecimal digits, by which a path in its folded form is found."""
    return sha256(folded.encode()).hexdigest()


def folders_of(path: str) -> Iterator[str]:
    """The folders a path lies in, the outermost first."""
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])
