"""Whether a write is based on what is there: the one that came second is told what changed."""

from difflib import unified_diff

from common.errors import Stale
from common.times import format_instant
from library.models import Blob, LibraryFile
from library.reading import etag_of, open_blob, revisions_of, version_of_etag
from library.refusals import BaseRequired
from library.rules.media_types import EMPTY, TEXT
from library.storing import read_start

ANY = "*"
_MOST_BYTES = 256 * 1024
_MOST_LINES = 2_000


def require_base(file: LibraryFile, base: str | None) -> None:
    """Raise BaseRequired where a write to `file` names no base, and Stale where it names another than the current one.

    `base` is an ETag (`reading.etag_of`), several with commas between them, or `*` for whatever is there. Stale
    carries the current version and, of texts, what changed since the base as a unified diff.
    """
    if base is None:
        raise BaseRequired(
            "The file is there already: send the ETag it was read with as If-Match.", current=described(file)
        )
    if base.strip() == ANY:
        return
    versions = [version_of_etag(etag, file) for etag in base.split(",")]
    if file.version not in versions:
        raise Stale(
            "The file was changed since it was read.", current=described(file), diff=diff_since(file, versions[0])
        )


def require_absent(path: str, base: str | None) -> None:
    """Raise Stale where a write to a path without a file names a base: what it is based on is gone."""
    if base is not None:
        raise Stale("There is no file with this path any more.", path=path, current=None, diff=None)


def described(file: LibraryFile) -> dict[str, object]:
    """The current version of a file, for who has to look at it again."""
    return {
        "path": file.path,
        "version": file.version,
        "etag": etag_of(file),
        "revision": file.revision_id,
        "size": file.blob.size,
        "sha256": file.blob_id,
        "changed_at": format_instant(file.changed_at),
    }


def diff_since(file: LibraryFile, version: int | None) -> str | None:
    """What changed in the file since its `version`, as a unified diff; None where one of the two is no short text."""
    before = revisions_of(file).filter(version=version).first() if version else None
    if before is None or before.blob is None:
        return None
    texts = [text_of(before.blob), text_of(file.blob)]
    if texts[0] is None or texts[1] is None:
        return None
    old, new = texts[0].splitlines(keepends=True), texts[1].splitlines(keepends=True)
    if max(len(old), len(new)) > _MOST_LINES:
        return None
    lines = unified_diff(old, new, f"{before.path} (version {version})", f"{file.path} (version {file.version})")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def text_of(blob: Blob) -> str | None:
    """The text of a short content that is one."""
    if blob.media_type not in {TEXT, EMPTY} or blob.size > _MOST_BYTES:
        return None
    try:
        with open_blob(blob) as file:
            found = read_start(file, _MOST_BYTES)
    except FileNotFoundError:
        return None
    return None if found is None else found.decode()
