"""The page of one file, and the pages that change it."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from library.models import LibraryFile
from library.reading import etag_of, find_file, open_blob
from library.writing import edit_text
from spaces.access import SYSTEM_CALLER, person_caller
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_seat_token
from tests.library.filling import fill, pdf, png, word, workbook
from tests.pages.reading import Page, page_of

CLOSING = "# Closing day\n\nthe 3rd working day\n"


@pytest.fixture(autouse=True)
def _library(db: None, library: Path) -> None:
    """Each test has a Library of its own."""


@pytest.fixture
def teammate(trio: Trio) -> Client:
    """The browser of a member."""
    return trio.client("teammate")


@pytest.fixture
def file() -> LibraryFile:
    """A Markdown file in a folder."""
    return fill({"handbook/closing.md": CLOSING}, read=True)["handbook/closing.md"]


def address(file: LibraryFile, more: str = "") -> str:
    return f"/spaces/north/library/files/{file.pk}{more}"


def look(client: Client, file: LibraryFile, more: str = "", **query: Any) -> Page:
    return page_of(client.get(address(file, more), query))


def text_of(path: str) -> str:
    with open_blob(find_file(path).blob) as stream:
        return stream.read().decode()


def test_markdown_is_shown_as_such(teammate: Client, file: LibraryFile):
    page = look(teammate, file)
    assert "<h2>Closing day</h2>" in page.html
    assert "Library / handbook" in page.text
    assert {"Edit", "Rename or move…", "Delete…", "Download"} <= set(page.links)


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.txt", b"two\nlines <b>", "two\nlines &lt;b&gt;"),
        ("a.csv", b"item;price\nbolt;2,50", "<td>2,50</td>"),
        ("a.svg", b"<svg onload='x()'/>", "&lt;svg onload=&#x27;x()&#x27;/&gt;"),
        ("a.xlsx", workbook(Prices=[["Bolt", 2.5]]), "<td>2.5</td>"),
        ("a.docx", word("first", "last"), "first\nlast"),
        ("a.pdf", pdf("harrow street"), "harrow street"),
        ("scan.pdf", pdf(""), '<span class="tag">no text</span>'),
        ("a.png", png(), '<img class="picture"'),
        ("a.bin", bytes(range(256)), "Download it."),
        ("broken.docx", word("a", "b")[:-300], "No words could be read of it: It is broken"),
        ("empty.md", b"", "The file is empty."),
    ],
)
def test_each_kind_is_shown_in_its_way(teammate: Client, name: str, content: bytes, shown: str):
    file = fill({name: content}, read=True)[name]
    assert shown in teammate.get(address(file)).content.decode()


def test_a_content_that_the_disk_lost_is_said_to_be(teammate: Client, file: LibraryFile, library: Path):
    for path in (library / "blobs").rglob("*"):
        if path.is_file():
            path.unlink()
    assert "The content is not on the disk." in look(teammate, file).text
    assert teammate.get(address(file, "/content")).status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "kind"), [("a.png", png(), "image/png"), ("a.pdf", pdf("x"), "application/pdf")]
)
def test_pictures_and_pdf_open_where_nothing_runs(teammate: Client, name: str, content: bytes, kind: str):
    answer = teammate.get(address(fill({name: content})[name], "/content"))
    assert (answer["Content-Type"], answer.getvalue()) == (kind, content)
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("inline")


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.xml", "picture.png"])
def test_everything_else_is_handed_over_to_be_saved(teammate: Client, name: str):
    answer = teammate.get(address(fill({name: "<svg xmlns='x'><script>1</script></svg>"})[name], "/content"))
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer.getvalue().startswith(b"<svg")


def test_a_text_is_edited_in_place_and_keeps_its_line_ends(teammate: Client, trio: Trio):
    file = fill({"a.txt": "one\r\ntwo\r\n"})["a.txt"]
    form = look(teammate, file, "/edit")
    sent = {"base": form.fields["base"], "text": "one\r\nthree\r\n", "note": "agreed"}
    assert teammate.post(address(file, "/edit"), sent).status_code == 302
    assert text_of("a.txt") == "one\r\nthree\r\n"
    page = look(teammate, file)
    assert [page.rows[-2][cell] for cell in (0, 3, 6)] == ["2", "Teammate", "agreed"]
    assert "What the last version changed" in page.text
    assert "<ins>three</ins>" in page.html
    unix = fill({"b.txt": "one\n"})["b.txt"]
    teammate.post(address(unix, "/edit"), {"base": etag_of(unix), "text": "one\r\ntwo\r\n"})
    assert text_of("b.txt") == "one\ntwo\n"


def test_an_edit_that_came_too_late_shows_both_texts_and_can_be_saved_then(
    teammate: Client, file: LibraryFile, trio: Trio
):
    base = etag_of(file)
    edit_text(person_caller(trio.owner), file.path, CLOSING.replace("3rd", "4th"), base=base)
    late = teammate.post(address(file, "/edit"), {"base": base, "text": CLOSING.replace("3rd", "5th"), "note": "mine"})
    page = page_of(late)
    assert page.status == 412
    assert "Nothing was saved: Owner changed the file" in page.text
    assert "<del>4th</del>" in page.html
    assert "<ins>5th</ins>" in page.html
    assert page.fields["note"] == "mine"
    assert text_of(file.path) == CLOSING.replace("3rd", "4th")
    sent = {"base": page.fields["base"], "text": CLOSING.replace("3rd", "5th")}
    assert teammate.post(address(file, "/edit"), sent).status_code == 302
    assert text_of(file.path) == CLOSING.replace("3rd", "5th")


def test_what_is_no_text_is_replaced_and_not_edited(teammate: Client):
    file = fill({"a.png": png()})["a.png"]
    assert look(teammate, file, "/edit").status == 400
    sent = {"base": etag_of(file), "content": SimpleUploadedFile("other.txt", b"words"), "note": "smaller"}
    assert teammate.post(address(file, "/replace"), sent).status_code == 302
    assert text_of("a.png") == "words"
    assert teammate.post(address(file, "/replace"), {"base": etag_of(file)}).status_code == 400
    late = {"base": etag_of(file), "content": SimpleUploadedFile("x", b"late")}
    assert "Nothing was changed." in page_of(teammate.post(address(file, "/replace"), late, follow=True)).text
    assert text_of("a.png") == "words"


def test_a_file_is_renamed_and_moved_and_keeps_its_history(teammate: Client, file: LibraryFile):
    fill({"taken.md": "x"})
    form = look(teammate, file, "/move")
    sent = {"base": form.fields["base"], "path": "rules/day.md"}
    for path, status in (("../x", 400), ("taken.md", 409), (file.path, 400), ("", 400)):
        assert teammate.post(address(file, "/move"), sent | {"path": path}).status_code == status
    assert teammate.post(address(file, "/move"), sent).status_code == 302
    page = look(teammate, file)
    assert "Library / rules" in page.text
    assert "as handbook/closing.md" in page.text
    late = page_of(teammate.post(address(file, "/move"), sent | {"path": "again.md"}))
    assert (late.status, late.fields["base"]) == (412, etag_of(find_file("rules/day.md")))


def test_a_file_is_deleted_after_saying_what_goes_and_restored(teammate: Client, file: LibraryFile):
    form = look(teammate, file, "/delete")
    assert "What goes:" in form.text
    assert find_file(file.path).deleted_at is None
    gone = teammate.post(address(file, "/delete"), {"base": form.fields["base"], "note": "old"}, follow=True)
    assert "It can be restored." in page_of(gone).text
    page = look(teammate, file)
    assert "This file was deleted" in page.text
    assert "Edit" not in page.links
    assert look(teammate, file, "/edit").status == 404
    assert teammate.get(address(file, "/content")).status_code == 404
    assert teammate.get(address(file, "/content"), {"version": 1}).getvalue() == CLOSING.encode()
    teammate.post(address(file, "/restore"), {"version": "1"})
    assert text_of(file.path) == CLOSING
    for version in ("", "x", "99", "2"):
        assert teammate.post(address(file, "/restore"), {"version": version}).status_code in {400, 404}


def test_two_versions_are_compared_side_by_side(teammate: Client, file: LibraryFile):
    edit_text(SYSTEM_CALLER, file.path, CLOSING.replace("3rd", "5th"), base=etag_of(file))
    page = look(teammate, file, "/difference", earlier=1, later=2)
    assert "<del>3rd</del>" in page.html
    assert "<ins>5th</ins>" in page.html
    assert "No line differs." in look(teammate, file, "/difference", earlier=1, later=1).text
    assert look(teammate, file, "/difference", earlier=1, later=9).status == 404
    assert look(teammate, file, "/difference", earlier=1).status == 400


def test_an_auditor_reads_and_changes_nothing(trio: Trio, file: LibraryFile):
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    auditor = governing_client(trio.teammate)
    page = look(auditor, file)
    assert not {"Edit", "Rename or move…", "Delete…"} & set(page.links)
    assert "Replace it" not in page.text
    for way in ("/edit", "/replace", "/move", "/delete", "/restore"):
        assert auditor.post(address(file, way), {"base": etag_of(file)}).status_code == 403


def test_a_stranger_finds_no_file_here(trio: Trio, file: LibraryFile):
    stranger = governing_client(trio.stranger)
    for way in ("", "/content", "/difference?earlier=1&later=1", "/edit", "/move", "/delete"):
        assert stranger.get(address(file, way)).status_code == 404


def test_the_page_asks_a_bounded_number_of_questions(teammate: Client, trio: Trio, django_assert_max_num_queries: Any):
    file = fill({"a.pdf": pdf("one")}, read=True)["a.pdf"]
    make_seat_token(trio.space)
    for number in range(5):
        sent = {"base": etag_of(file), "content": SimpleUploadedFile("x", pdf(f"page {number}"))}
        teammate.post(address(file, "/replace"), sent)
        file.refresh_from_db()
    with django_assert_max_num_queries(12):
        assert teammate.get(address(file)).status_code == 200
