"""How much the Library takes, and of what; judged by content."""

import os
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from common.errors import TooLarge
from library.models import LibrarySettings
from library.reading import current_revision, etag_of
from library.refusals import TypeRefused
from library.rules.media_types import TextCheck, answered_type, is_allowed, judged_type
from spaces.access import Caller
from tests.library.texts import added, leftovers

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def _limits(**values: object) -> None:
    LibrarySettings.objects.update_or_create(single=True, defaults=values)


def test_a_file_beyond_the_limit_is_refused_while_it_comes_in(member: Caller, library: Path) -> None:
    _limits(file_size=3_000_000)

    class Endless(BytesIO):
        pieces = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.pieces += 1
            return b"x" * 1_000_000

    from library.writing import add

    endless = Endless()
    with pytest.raises(TooLarge):
        add(member, "big", endless)
    assert endless.pieces == 4
    assert not leftovers(library)
    added(member, "fits", b"x" * 3_000_000)


def test_the_whole_and_the_count_have_limits_that_deleting_is_free_of(member: Caller) -> None:
    _limits(whole_size=10, files=2)
    file = added(member, "a", "12345")
    added(member, "b", "12345")
    for path, content in (("c", ""), ("c", "1")):
        with pytest.raises(TooLarge) as refused:
            added(member, path, content)
        assert refused.value.type == "library_full"
    with pytest.raises(TooLarge):
        added(member, "a", "123456", base=etag_of(file))
    _limits(whole_size=1, files=1)
    added(member, "a", "1234", base=etag_of(file))
    assert current_revision() == 3


def test_types_are_allowed_by_content_whatever_the_name_says(member: Caller, library: Path) -> None:
    _limits(media_types=["text/plain", "image/*"])
    added(member, "a.exe", "only words")
    added(member, "b.txt", PNG)
    added(member, "empty", b"")
    for content in (b"%PDF-1.7\n", b"MZ\x90\0" + b"\0" * 60, os.urandom(4096) + b"\0", b"words\x00more"):
        with pytest.raises(TypeRefused):
            added(member, "c.txt", content)
    assert not leftovers(library)


def _office(folder: str) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<a/>")
        archive.writestr(f"{folder}/document.xml", "<a/>")
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "application/x-empty"),
        ("Grüße\n".encode(), "text/plain"),
        (b"%PDF-1.4\n%words", "application/pdf"),
        (PNG, "image/png"),
        (b"GIF89a" + b"\0" * 20, "image/gif"),
        (_office("word"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (_office("xl"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (_office("ppt"), "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
        (b"PK\x03\x04 broken", "application/zip"),
        (b"\xff\xfe\x00\x01" * 9, "application/octet-stream"),
    ],
)
def test_a_content_says_of_which_type_it_is(content: bytes, expected: str) -> None:
    check = TextCheck()
    for start in range(0, len(content), 3):
        check.feed(content[start : start + 3])
    assert judged_type(content[:8192], is_text=check.finish(), file=BytesIO(content)) == expected


@pytest.mark.parametrize(
    ("media_type", "path", "expected"),
    [
        ("text/plain", "a.md", "text/markdown; charset=utf-8"),
        ("text/plain", "a.CSV", "text/csv; charset=utf-8"),
        ("text/plain", "a.png", "text/plain; charset=utf-8"),
        ("text/plain", "noextension", "text/plain; charset=utf-8"),
        ("application/x-empty", "a.pdf", "text/plain; charset=utf-8"),
        ("application/pdf", "a.html", "application/pdf"),
    ],
)
def test_a_name_says_more_only_of_a_text(media_type: str, path: str, expected: str) -> None:
    assert answered_type(media_type, path) == expected


def test_a_letter_cut_in_two_at_the_end_is_no_text() -> None:
    check = TextCheck()
    check.feed("é".encode()[:1])
    assert not check.finish()


def test_without_a_list_every_type_is_allowed() -> None:
    assert is_allowed("application/x-anything", [])
    assert not is_allowed("application/x-anything", ["text/plain"])
