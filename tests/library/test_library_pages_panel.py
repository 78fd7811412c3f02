"""The panel: folders, filters, search, adding files; and the pages about the whole Library."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from library.limits import current_limits
from library.models import LibraryFile, LibraryRevision, LibrarySettings
from library.reading import etag_of
from library.writing import delete
from spaces.access import SYSTEM_CALLER, person_caller
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio
from tests.library.filling import fill, pdf
from tests.pages.reading import Page, page_of

PANEL = "/spaces/north/library"


@pytest.fixture(autouse=True)
def _library(db: None, library: Path) -> None:
    """Each test has a Library of its own."""


@pytest.fixture
def teammate(trio: Trio) -> Client:
    """The browser of a member."""
    return trio.client("teammate")


@pytest.fixture
def auditor(trio: Trio) -> Client:
    """The browser of a member who only looks."""
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    return governing_client(trio.teammate)


def look(client: Client, path: str = PANEL, **query: Any) -> Page:
    return page_of(client.get(path, query))


def names(page: Page) -> list[str]:
    return [row[0] for row in page.rows[1:]]


def upload(client: Client, *files: tuple[str, bytes], folder: str = "", **headers: str) -> Any:
    sent = {"files": [SimpleUploadedFile(*file) for file in files], "folder": folder, "note": "from the office"}
    return client.post(f"{PANEL}/add", sent, headers=headers)


def test_an_empty_library_says_what_would_be_here(teammate: Client):
    page = look(teammate)
    assert page.status == 200
    assert "No file yet" in page.text
    assert "Add files" in page.text


def test_a_folder_shows_its_folders_with_what_is_in_them_then_its_files(teammate: Client):
    fill({"b.md": "b", "contracts/one.pdf": pdf(""), "contracts/old/two.md": "two", "a.md": "aa"}, read=True)
    page = look(teammate)
    assert names(page) == ["contracts/", "a.md", "b.md"]
    assert "4 files, " in page.text
    assert page.rows[1][1] == "2 files"
    inside = look(teammate, folder="contracts/")
    assert [row[:2] for row in inside.rows[1:]] == [["old/", "1 file"], ["one.pdf", "PDF no text"]]
    assert "Library / contracts" in inside.text


def test_sort_and_filters_are_in_the_address(teammate: Client):
    fill({"a.md": "a", "b.md": "bbb", "scan.pdf": pdf(""), "deep/scan.pdf": pdf("", "")}, read=True)
    assert names(look(teammate, sort="-name")) == ["deep/", "scan.pdf", "b.md", "a.md"]
    assert names(look(teammate, sort="-size")) == ["deep/", "scan.pdf", "b.md", "a.md"]
    assert names(look(teammate, kind="pdf", sort="")) == ["deep/", "scan.pdf"]
    assert names(look(teammate, text="none", folder="deep/")) == ["scan.pdf"]
    assert "No such file here" in look(teammate, kind="image").text


def test_pages_of_a_hundred_rows_follow_each_other(teammate: Client):
    fill({f"{number:03}.md": str(number) for number in range(150)} | {"folder/x": "x"})
    first, second = look(teammate), look(teammate, page=2)
    assert (len(names(first)), names(first)[0], len(names(second))) == (100, "folder/", 51)
    assert "1–100 of 151" in first.text
    assert first.links["Next page"] == "?page=2"


@pytest.mark.parametrize("query", [{"folder": "/etc/"}, {"folder": "a"}, {"sort": "x"}, {"page": "0"}, {"who": "me"}])
def test_what_no_address_of_ours_says_is_refused(teammate: Client, query: dict[str, str]):
    assert look(teammate, **query).status == 400


def test_the_search_shows_what_it_found_and_where(teammate: Client):
    fill({"handbook/day.md": "the closing day", "b.md": "other"}, read=True)
    page = look(teammate, q="closing")
    assert names(page) == ["handbook/day.md the closing day"]
    assert "<mark>closing</mark>" in page.html
    assert "Nothing found" in look(teammate, q="invoice").text


def test_names_are_text_on_every_page(teammate: Client):
    fill({"<b>&amp;'\".md": "<script>alert(1)</script>"}, read=True)
    for query in ({}, {"q": "script"}):
        html = teammate.get(PANEL, query).content.decode()
        assert "<b>" not in html
        assert "<script>alert" not in html


def test_several_files_are_added_as_one_revision(teammate: Client, trio: Trio):
    answer = upload(teammate, ("a.md", b"a"), ("b.md", b"b"), folder="handbook/")
    assert answer.headers["Location"] == f"{PANEL}?folder=handbook%2F"
    assert list(LibraryFile.objects.order_by("path").values_list("path", flat=True)) == [
        "handbook/a.md",
        "handbook/b.md",
    ]
    revision = LibraryRevision.objects.get()
    assert (revision.act, revision.actor_id, revision.note) == ("upload", str(trio.teammate.pk), "from the office")
    assert "Added 2 files." in page_of(teammate.get(PANEL)).text


def test_a_script_is_told_where_to_go_on_or_why_not(teammate: Client):
    header = {"Kndl-Upload": "1"}
    assert upload(teammate, ("a.md", b"a"), **header).json() == {"to": PANEL}
    again = upload(teammate, ("a.md", b"b"), ("c.md", b"c"), **header)
    said = "a.md is there already: replace it on its own page. Nothing was added."
    assert (again.status_code, again.json()) == (428, {"detail": said})
    assert LibraryFile.objects.count() == 1


def test_a_refused_upload_shows_the_reason_on_the_panel(teammate: Client):
    page = page_of(upload(teammate, ("a.md", b"a"), folder="../up"))
    assert (page.status, LibraryFile.objects.count()) == (400, 0)
    assert "Nothing was added." in page.text
    assert "Choose a file first." in page_of(upload(teammate)).text


def test_an_auditor_reads_and_adds_nothing(auditor: Client):
    fill({"a.md": "a"})
    page = look(auditor)
    assert (names(page), "Add files" in page.text) == (["a.md"], False)
    assert upload(auditor, ("b.md", b"b")).status_code == 403
    assert AuditRow.objects.using("default").filter(outcome="refused", act__contains="library_add").exists()


def test_a_stranger_finds_no_library_here(trio: Trio):
    stranger = governing_client(trio.stranger)
    for path in ("", "/revisions", "/deleted", "/prompt", "/limits"):
        assert stranger.get(PANEL + path).status_code == 404
    assert Client().get(PANEL).status_code == 302


def test_the_revisions_say_who_made_them_what_and_why(teammate: Client, trio: Trio):
    fill({"a.md": "a"}, note="first draft", caller=person_caller(trio.owner))
    fill({f"{number}.md": str(number) for number in range(7)})
    page = look(teammate, f"{PANEL}/revisions")
    assert page.rows[1][0] == "2"
    assert page.rows[1][3].endswith("and 2 more")
    assert [page.rows[2][cell] for cell in (0, 2, 4, 5)] == ["1", "Owner", "first draft", "1"]
    assert [row[0] for row in look(teammate, f"{PANEL}/revisions", before=2).rows[1:]] == ["1"]


def test_deleted_files_can_be_restored(teammate: Client):
    file = fill({"a/gone.md": "here"})["a/gone.md"]
    delete(SYSTEM_CALLER, file.path, base=etag_of(file), note="old")
    page = look(teammate, f"{PANEL}/deleted")
    assert page.rows[1][0] == "a/gone.md"
    assert page.fields["version"] == "1"
    teammate.post(f"{PANEL}/files/{file.pk}/restore", {"version": "1"})
    assert names(look(teammate, folder="a/")) == ["gone.md"]
    assert "Nothing was deleted" in look(teammate, f"{PANEL}/deleted").text


def test_what_the_prompt_carries_is_shown_letter_for_letter(teammate: Client):
    assert "The prompt carries nothing" in look(teammate, f"{PANEL}/prompt").text
    fill({"<i>.md": "a"})
    page = look(teammate, f"{PANEL}/prompt")
    assert 'mounted read-only at /library, revision 1 - "<i>.md" 1 B, ' in page.text


def test_only_the_owner_of_the_instance_sets_limits(teammate: Client, trio: Trio):
    assert teammate.get(f"{PANEL}/limits").status_code == 403
    User.objects.filter(pk=trio.owner.pk).update(instance_role=User.InstanceRole.OWNER)
    owner = governing_client(trio.owner)
    page = look(owner, f"{PANEL}/limits")
    assert (page.status, page.fields["count"]) == (200, "100000")
    sent = {"file_size": "5 MB", "whole_size": "100 MB", "count": "10", "media_types": "application/pdf\nimage/*"}
    assert owner.post(f"{PANEL}/limits", sent | {"count": "0"}).status_code == 400
    assert owner.post(f"{PANEL}/limits", sent | {"media_types": "pdf"}).status_code == 400
    for size in ("", "5", "1,5 GB", "five MB", "0 MB", "9,000 TiB"):
        assert owner.post(f"{PANEL}/limits", sent | {"file_size": size}).status_code == 400
    assert owner.post(f"{PANEL}/limits", sent).status_code == 302
    limits = current_limits()
    assert (limits.file_size, limits.files, limits.media_types) == (5_000_000, 10, ["application/pdf", "image/*"])


def test_limits_that_are_saved_as_they_are_shown_stay_to_the_byte(trio: Trio):
    User.objects.filter(pk=trio.owner.pk).update(instance_role=User.InstanceRole.OWNER)
    owner = governing_client(trio.owner)
    LibrarySettings.objects.create(file_size=2 * 1024**3, whole_size=10**9 + 1)
    shown = look(owner, f"{PANEL}/limits").fields
    assert (shown["file_size"], shown["whole_size"]) == ("2 GiB", "1,000,000,001 bytes")
    sent = {name: shown[name] for name in ("file_size", "whole_size", "count")} | {"media_types": ""}
    assert owner.post(f"{PANEL}/limits", sent).status_code == 302
    limits = current_limits()
    assert (limits.file_size, limits.whole_size) == (2 * 1024**3, 10**9 + 1)


def test_the_card_of_a_revision_begins_with_its_number(teammate: Client):
    fill({"a.md": "a"})
    shown = teammate.get(f"{PANEL}/revisions").content.decode()
    assert '<th scope="row" class="lead num">1</th>' in " ".join(shown.split())


def test_a_page_asks_the_same_few_questions_however_many_files_there_are(
    teammate: Client, django_assert_max_num_queries: Any
):
    fill({f"{folder}/{number}.md": f"{folder} {number}" for folder in range(9) for number in range(6)}, read=True)
    pages = [(PANEL, {}), (PANEL, {"folder": "3/"}), (PANEL, {"q": "3"}), (f"{PANEL}/revisions", {})]
    for path, query in [*pages, (f"{PANEL}/deleted", {}), (f"{PANEL}/prompt", {})]:
        with django_assert_max_num_queries(12):
            assert teammate.get(path, query).status_code == 200
