"""The Library as one tar file."""

import io
import tarfile
from pathlib import Path

import pytest
from django.test import Client

from library.archive import current_archive
from library.reading import etag_of, find_file
from library.writing import delete, edit_text
from spaces.access import SYSTEM_CALLER
from tests.actors import Trio, make_seat_token
from tests.library.filling import fill

ARCHIVE = "/api/v1/library/archive"


@pytest.fixture(autouse=True)
def _library(db: None, library: Path) -> None:
    """Each test has a Library of its own."""


def unpacked(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        files = {member.name: archive.extractfile(member) for member in archive}
        return {name: file.read() for name, file in files.items() if file is not None}


def test_the_archive_holds_every_file_whole_in_order():
    files = {f"{'long-' * 30}/ünï.md": b"x" * 600, "b.md": b"", "a/c.bin": bytes(range(256)) * 4_000}
    fill(files)
    content = b"".join(current_archive().pieces)
    assert unpacked(content) == files
    assert list(unpacked(content)) == sorted(files)
    assert content == b"".join(current_archive().pieces)


def test_what_is_written_while_it_is_read_is_not_in_it():
    fill({"a.md": "first", "b.md": "second"})
    archive = current_archive()
    begun = next(archive.pieces)
    delete(SYSTEM_CALLER, "a.md", base=etag_of(find_file("a.md")))
    edit_text(SYSTEM_CALLER, "b.md", "later", base=etag_of(find_file("b.md")))
    assert unpacked(begun + b"".join(archive.pieces)) == {"a.md": b"first", "b.md": b"second"}
    assert archive.revision == 1


def test_owners_times_and_modes_say_nothing_of_the_machine():
    file = fill({"a.md": "a"})["a.md"]
    with tarfile.open(fileobj=io.BytesIO(b"".join(current_archive().pieces))) as archive:
        member = archive.getmembers()[0]
    assert (member.uid, member.gid, member.uname, member.gname, member.mode) == (0, 0, "", "", 0o444)
    assert member.mtime == int(file.changed_at.timestamp())


def test_an_archive_that_lost_a_content_breaks_off(library: Path):
    file = fill({"a.md": "0123456789"})["a.md"]
    blob = next(path for path in (library / "blobs").rglob("*") if path.is_file())
    blob.chmod(0o600)
    blob.write_bytes(b"01234")
    with pytest.raises(OSError, match=file.path):
        list(current_archive().pieces)


def test_the_archive_over_rest(api: Client, trio: Trio):
    fill({"a.md": "a"})
    answer = api.get(ARCHIVE)
    assert (answer.status_code, answer["Content-Type"], answer["X-Library-Revision"]) == (200, "application/x-tar", "1")
    assert unpacked(answer.getvalue()) == {"a.md": b"a"}
    assert api.get(ARCHIVE, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    blind = make_seat_token(trio.space, verbs=("facts:read",))
    assert Client(headers={"Authorization": f"Bearer {blind}"}).get(ARCHIVE).status_code == 403
