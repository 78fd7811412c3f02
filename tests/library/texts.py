"""Short ways of tests to write to the Library and to look at its folder."""

from io import BytesIO
from pathlib import Path

from common.folders.walking import walk
from library.models import LibraryFile
from library.reading import open_blob
from library.writing import add
from spaces.access import Caller


def added(caller: Caller, path: str, content: str | bytes = "words", base: str | None = None) -> LibraryFile:
    """The file, written."""
    data = content.encode() if isinstance(content, str) else content
    return add(caller, path, BytesIO(data), base=base)


def content_of(file: LibraryFile) -> bytes:
    """What the Library says is in the file."""
    with open_blob(file.blob) as opened:
        return opened.read()


def on_disk(library: Path) -> dict[str, bytes]:
    """The files that a running agent would see."""
    found = [seen for seen in walk(library / "files") if seen.kind != "folder"]
    assert all(seen.kind == "file" and seen.mode == 0o444 for seen in found)
    assert all(seen.mode == 0o555 for seen in walk(library / "files") if seen.kind == "folder")
    return {seen.path: (library / "files" / seen.path).read_bytes() for seen in found}


def leftovers(library: Path) -> list[Path]:
    """Contents that are neither kept nor on their way."""
    return [path for name in ("blobs.incoming", "files.incoming") for path in (library / name).glob("*")]
