"""The Library over REST: contents in and out, what a write is based on, its history, and who may do what."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from library.models import LibraryRevision
from spaces.models import Membership
from tests.actors import Trio, make_seat_token, make_user
from tests.library.texts import leftovers, on_disk

FILES = "/api/v1/library/files"


@pytest.fixture
def browser(committed_db: None, library: Path, trio: Trio) -> Client:
    """A signed-in member."""
    return trio.client("teammate")


def _put(client: Client, path: str, content: bytes = b"words", **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.put(f"{FILES}/{quote(path)}", content, content_type="application/x-whatever", headers=named)


def _content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_a_content_goes_in_by_put_and_comes_out_by_get(browser: Client, library: Path) -> None:
    made = _put(browser, "guides/Grüße.md", "# Grüße\n".encode())
    assert (made.status_code, made["X-Library-Revision"]) == (201, "1")
    assert made.json()["size"] == 10
    assert made["ETag"] == made.json()["etag"]
    got = browser.get(f"{FILES}/{quote('guides/Grüße.md')}")
    assert _content(got) == "# Grüße\n".encode()
    assert got["ETag"] == made["ETag"]
    assert got["Content-Type"] == "text/markdown; charset=utf-8"
    assert got["Content-Disposition"].startswith("attachment")
    assert got["X-Content-Type-Options"] == "nosniff"
    assert got["Content-Security-Policy"].startswith("sandbox")
    assert got["X-Library-Revision"] == "1"
    replaced = _put(browser, "guides/Grüße.md", b"", If_Match=made["ETag"])
    assert (replaced.status_code, replaced.json()["version"], replaced["X-Library-Revision"]) == (200, 2, "2")
    assert on_disk(library) == {"guides/Grüße.md": b""}
    head = browser.head(f"{FILES}/{quote('guides/Grüße.md')}")
    assert (head.status_code, head["Content-Length"], head.content) == (200, "0", b"")


@pytest.mark.parametrize(
    ("asked", "status", "content", "said"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-500", 206, b"56789", "bytes 5-9/10"),
        ("bytes=-500", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=10-", 416, None, "bytes */10"),
        ("bytes=-0", 416, None, "bytes */10"),
        ("bytes=3-2", 200, b"0123456789", None),
        ("bytes=0-1,3-4", 200, b"0123456789", None),
        ("lines=0-1", 200, b"0123456789", None),
    ],
)
def test_one_range_of_bytes_is_answered(
    browser: Client, asked: str, status: int, content: bytes | None, said: str | None
) -> None:
    _put(browser, "digits", b"0123456789")
    got = browser.get(f"{FILES}/digits", headers={"Range": asked})
    assert (got.status_code, got.get("Content-Range")) == (status, said)
    if content is not None:
        assert _content(got) == content
        assert got["Content-Length"] == str(len(content))


def test_who_has_the_content_is_told_so_and_a_range_of_another_one_is_not_mixed_in(browser: Client) -> None:
    etag = _put(browser, "a.md")["ETag"]
    assert browser.get(f"{FILES}/a.md", headers={"If-None-Match": etag}).status_code == 304
    part = browser.get(f"{FILES}/a.md", headers={"Range": "bytes=1-", "If-Range": etag})
    assert part.status_code == 206
    whole = browser.get(f"{FILES}/a.md", headers={"Range": "bytes=1-", "If-Range": '"another"'})
    assert whole.status_code == 200
    part.close()
    whole.close()


def test_a_write_that_names_what_it_is_based_on_never_replaces_another(browser: Client, library: Path) -> None:
    first = _put(browser, "a.md", b"one\n")["ETag"]
    assert _put(browser, "a.md", b"two\n", If_Match=first).status_code == 200
    stale = _put(browser, "a.md", b"three\n", If_Match=first)
    assert (stale.status_code, stale["X-Library-Revision"]) == (412, "2")
    assert stale.json()["current"]["version"] == 2
    assert "+two" in stale.json()["diff"]
    assert browser.delete(f"{FILES}/a.md", headers={"If-Match": first}).status_code == 412
    assert _put(browser, "a.md", b"three\n", If_None_Match="*").status_code == 412
    assert _put(browser, "new.md", If_None_Match="*").status_code == 201
    assert _put(browser, "none.md", If_Match=first).status_code == 412
    assert _put(browser, "a.md", If_Match="not an etag").status_code == 400
    assert on_disk(library)["a.md"] == b"two\n"


def test_a_file_is_moved_deleted_and_restored(browser: Client, library: Path) -> None:
    etag = _put(browser, "a.md", b"one")["ETag"]
    moved = browser.patch(
        f"{FILES}/a.md",
        json.dumps({"path": "b/c.md", "note": "tidier"}),
        content_type="application/json",
        headers={"If-Match": etag},
    )
    assert (moved.status_code, moved.json()["path"]) == (200, "b/c.md")
    gone = browser.delete(f"{FILES}/b/c.md?note=old", headers={"If-Match": moved["ETag"]})
    assert (gone.status_code, gone.json()["deleted"]) == (200, True)
    assert browser.get(f"{FILES}/b/c.md").status_code == 404
    versions = browser.get(f"{FILES}/b/c.md/revisions").json()
    assert [item["act"] for item in versions["versions"]] == ["delete", "move", "add"]
    assert [item["note"] for item in versions["versions"]] == ["old", "tidier", ""]
    assert _content(browser.get(f"{FILES}/b/c.md/revisions/1")) == b"one"
    assert browser.get(f"{FILES}/b/c.md/revisions/3").status_code == 404
    back = browser.post(f"{FILES}/b/c.md/restore", json.dumps({"version": 2}), content_type="application/json")
    assert (back.status_code, back.json()["version"]) == (200, 4)
    assert on_disk(library) == {"b/c.md": b"one"}
    revisions = browser.get("/api/v1/library/revisions?limit=3").json()
    assert [item["revision"] for item in revisions["revisions"]] == [4, 3, 2]
    assert revisions["revisions"][0]["by_name"] == "Teammate"
    assert revisions["revisions"][0]["written"] == 1
    rest = browser.get("/api/v1/library/revisions", {"cursor": revisions["next"]}).json()
    assert [item["revision"] for item in rest["revisions"]] == [1]
    assert rest["next"] is None


def test_a_file_may_be_called_as_a_route_is(browser: Client) -> None:
    for path in ("a/revisions", "a/restore", "b/revisions/7", "revisions", "restore"):
        assert _put(browser, path, path.encode()).status_code == 201
        assert _content(browser.get(f"{FILES}/{path}")) == path.encode()
        assert [item["version"] for item in browser.get(f"{FILES}/{path}/revisions").json()["versions"]] == [1]
        assert _content(browser.get(f"{FILES}/{path}/revisions/1")) == path.encode()
        assert browser.delete(f"{FILES}/{path}", headers={"If-Match": "*"}).status_code == 200
        again = browser.post(f"{FILES}/{path}/restore", {"version": 1}, content_type="application/json")
        assert (again.status_code, again.json()["path"]) == (200, path)
        assert _content(browser.get(f"{FILES}/{path}")) == path.encode()
        assert browser.delete(f"{FILES}/{path}").status_code == 200


def test_the_list_is_filtered_and_goes_by_pages(browser: Client) -> None:
    for path in ("a/One.md", "a/two.md", "b/one.csv", "c.md"):
        _put(browser, path)

    def listed(**query: str) -> tuple[list[str], str | None]:
        found = browser.get(FILES, query)
        assert found.json()["revision"] == 4
        assert found["X-Library-Revision"] == "4"
        return [file["path"] for file in found.json()["files"]], found.json()["next"]

    assert listed(prefix="a/")[0] == ["a/One.md", "a/two.md"]
    assert listed(name="one")[0] == ["a/One.md", "b/one.csv"]
    first, after = listed(limit="3")
    assert after is not None
    assert len(first) == 3
    rest, end = listed(limit="3", cursor=after)
    assert ([*first, *rest], end) == (["a/One.md", "a/two.md", "b/one.csv", "c.md"], None)
    assert browser.get(FILES, {"cursor": "nonsense"}).status_code == 400
    assert browser.get(FILES, {"colour": "red"}).status_code == 400


def test_several_files_come_in_one_form_as_one_revision(browser: Client, library: Path) -> None:
    form = {
        "folder": "from/a form/",
        "note": "moved here",
        "file": [SimpleUploadedFile("a.md", b"one"), SimpleUploadedFile("b.bin", b"\0" * 3_000_000)],
    }
    done = browser.post(FILES, form)
    assert done.status_code == 201, done.content
    assert [file["path"] for file in done.json()["files"]] == ["from/a form/a.md", "from/a form/b.bin"]
    assert done.json()["revision"] == 1
    assert set(on_disk(library)) == {"from/a form/a.md", "from/a form/b.bin"}
    stale = {"from/a form/a.md": '"another"'}
    again = browser.post(
        FILES, {"folder": "from/a form", "bases": json.dumps(stale), "file": [SimpleUploadedFile("a.md", b"two")]}
    )
    assert again.status_code == 412
    based = {"from/a form/a.md": done.json()["files"][0]["etag"]}
    again = browser.post(
        FILES, {"folder": "from/a form", "bases": json.dumps(based), "file": [SimpleUploadedFile("a.md", b"two")]}
    )
    assert again.status_code == 201
    assert on_disk(library)["from/a form/a.md"] == b"two"
    assert LibraryRevision.objects.get(number=1).note == "moved here"


def test_a_write_that_names_nothing_is_based_on_whatever_is_there(browser: Client, library: Path) -> None:
    assert _put(browser, "a.md", b"one").status_code == 201
    assert _put(browser, "a.md", b"two").status_code == 200
    assert _put(browser, "a.md", b"three", If_None_Match="*").status_code == 412
    assert browser.post(FILES, {"file": [SimpleUploadedFile("a.md", b"four")]}).status_code == 201
    assert on_disk(library)["a.md"] == b"four"
    assert browser.delete(f"{FILES}/a.md").status_code == 200
    assert LibraryRevision.objects.count() == 4
    assert not leftovers(library)


def _form(*parts: tuple[str, bytes], end: bytes = b"--x--\r\n") -> bytes:
    head = 'Content-Disposition: form-data; name="file"; filename="{}"\r\n\r\n'
    return b"".join(b"--x\r\n" + head.format(name).encode() + content + b"\r\n" for name, content in parts) + end


def _post(client: Client, body: bytes) -> Any:
    return client.post(FILES, body, content_type="multipart/form-data; boundary=x")


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/x", "a%0Ab", "..", "a\\\\b", ".hidden"])
def test_the_name_of_a_part_is_checked_not_cut_down(browser: Client, library: Path, name: str) -> None:
    refused = _post(browser, _form(("ok.md", b"1"), (name, b"2")))
    assert refused.status_code == 400, refused.content
    assert on_disk(library) == {}
    assert not leftovers(library)


def test_a_whole_path_may_be_the_name_of_a_part(browser: Client, library: Path) -> None:
    assert _post(browser, _form(("a/b/c %22d%22.md", b"1"))).status_code == 201
    assert on_disk(library) == {'a/b/c "d".md': b"1"}


@pytest.mark.parametrize("end", [b"", b"--x\r\nContent-Dis", b"--x\r\nContent-Disposition: form-data; name"])
def test_a_form_that_breaks_off_leaves_nothing(browser: Client, library: Path, end: bytes) -> None:
    body = _form(("a.md", b"1" * 100_000), ("b.md", b"2" * 100_000), end=end)
    if not end:
        body = body[:-50_000]
    refused = _post(browser, body)
    assert refused.status_code in {400, 201}
    if refused.status_code == 400:
        assert LibraryRevision.objects.count() == 0
    else:
        assert set(on_disk(library).values()) == {b"1" * 100_000, b"2" * 100_000}
    assert not leftovers(library)


def test_a_form_without_files_or_with_unknown_fields_is_refused(browser: Client, library: Path) -> None:
    assert browser.post(FILES, {"folder": "a"}).status_code == 400
    assert browser.post(FILES, {"colour": "red", "file": SimpleUploadedFile("a.md", b"1")}).status_code == 400
    assert browser.post(FILES, {"bases": "[]", "file": SimpleUploadedFile("a.md", b"1")}).status_code == 400
    assert browser.post(FILES, b"{}", content_type="application/json").status_code == 400
    assert _post(browser, b"nonsense").status_code == 400
    assert not leftovers(library)


def test_a_write_with_a_key_is_done_once(browser: Client) -> None:
    first = _put(browser, "a.md", b"one", Idempotency_Key="key-1")
    again = _put(browser, "a.md", b"one", Idempotency_Key="key-1")
    assert (first.status_code, again.status_code, again["Idempotent-Replayed"]) == (201, 201, "true")
    assert _put(browser, "a.md", b"two", Idempotency_Key="key-1").status_code == 409
    for _ in range(2):
        gone = browser.delete(f"{FILES}/a.md", headers={"If-Match": "*", "Idempotency-Key": "key-2"})
        assert gone.status_code == 200
    assert LibraryRevision.objects.count() == 2


def test_a_body_that_is_encoded_or_a_part_is_refused(browser: Client, library: Path) -> None:
    assert _put(browser, "a.md", Content_Encoding="gzip").status_code == 400
    assert _put(browser, "a.md", Content_Range="bytes 0-4/10").status_code == 400
    assert not leftovers(library)


def _member_of(trio: Trio, role: str) -> User:
    person = make_user(role)
    Membership.objects.create(space=trio.space, user=person, role=role)
    return person


def _callers(trio: Trio) -> dict[str, tuple[Client, bool, bool]]:
    """Who asks, whether they may read, and whether they may write."""

    def seat(*verbs: str) -> Client:
        return Client(headers={"Authorization": f"Bearer {make_seat_token(trio.space, verbs=verbs)}"})

    def person(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return {
        "member": (trio.client("teammate"), True, True),
        "owner of another Space": (trio.client("stranger"), True, True),
        "auditor": (person(_member_of(trio, "auditor")), True, False),
        "admin": (person(_member_of(trio, "admin")), True, True),
        "person without a Space": (person(make_user("nowhere")), False, False),
        "seat": (seat("library:read"), True, False),
        "writing seat": (seat("library:read", "library:write"), True, True),
        "seat without": (seat("facts:read"), False, False),
        "nobody": (Client(), False, False),
    }


def test_members_and_writing_seats_write_auditors_and_seats_read(
    committed_db: None, library: Path, trio: Trio, settings: LazySettings
) -> None:
    settings.KNDL = settings.KNDL.model_copy(update={"require_second_factor": False})
    _put(trio.client("owner"), "a.md")
    for who, (client, reads, writes) in _callers(trio).items():
        refused = 401 if who == "nobody" else 403
        for address in (FILES, f"{FILES}/a.md", f"{FILES}/a.md/revisions", "/api/v1/library/revisions"):
            answer = client.get(address)
            assert answer.status_code == (200 if reads else refused), (who, address)
            answer.close()
        assert _put(client, f"by {who}.md").status_code == (201 if writes else refused), who
        done = _post(client, _form((f"form of {who}.md", b"1")))
        assert done.status_code == (201 if writes else refused), who
        assert client.delete(f"{FILES}/a.md", headers={"If-Match": '"0.1"'}).status_code == (412 if writes else refused)
        assert client.get("/api/v1/library/limits").status_code == refused, who
    assert AuditRow.objects.using("default").filter(outcome="refused", act__contains="library-file").exists()
    assert not leftovers(library)


def test_the_owner_of_the_instance_sets_the_limits(
    committed_db: None, library: Path, trio: Trio, new_owner: Callable[[], Client], settings: LazySettings
) -> None:
    settings.KNDL = settings.KNDL.model_copy(update={"require_second_factor": False})
    client = new_owner()
    limits = client.get("/api/v1/library/limits").json()
    assert limits["media_types"] == []
    for wrong in ({"file_size": 0}, {"files": "3"}, {"media_types": ["words"]}, {"whole_size": True}):
        body = json.dumps(limits | wrong)
        assert client.put("/api/v1/library/limits", body, content_type="application/json").status_code == 400
    body = json.dumps(limits | {"file_size": 3, "media_types": ["text/plain"]})
    assert client.put("/api/v1/library/limits", body, content_type="application/json").json()["file_size"] == 3
    assert _put(client, "a.md", b"1234").status_code == 413
    refused = _put(client, "a.md", b"\0\1")
    assert (refused.status_code, refused.json()["allowed"]) == (415, ["text/plain"])
    assert AuditRow.objects.using("default").get(act="library.limits").stated["file_size"] == 3


@pytest.fixture
def new_owner() -> Callable[[], Client]:
    """A browser in which the instance's owner is signed in."""

    def make() -> Client:
        person = make_user("governor")
        person.instance_role = User.InstanceRole.OWNER
        person.save()
        client = Client()
        client.force_login(person)
        return client

    return make


# The rows of the hostile inputs that are about the Library.
BAD_NAMES = {
    "BI-063 out of the folder": ("../../etc/cron.d/x", 400),
    "BI-065 a sibling with the same beginning": ("/srv/library-private/a.txt", 400),
    "BI-067 control characters": ("a\nb\x07.md", 400),
    "BI-071 256 bytes": ("é" * 128, 400),
    "%FF, as the server decodes it": ("\ufffd.md", 400),
    "wide dots": ("．．/x", 400),
}


@pytest.mark.parametrize(("name", "status"), BAD_NAMES.values(), ids=BAD_NAMES)
def test_hostile_names_are_refused_and_change_nothing(browser: Client, library: Path, name: str, status: int) -> None:
    refused = _put(browser, name)
    assert refused.status_code == status, refused.content
    assert refused.json()["errors"][0]["field"] == "path"
    assert browser.get(f"{FILES}/{quote(name)}").status_code == 404
    assert on_disk(library) == {}
    assert not leftovers(library)


def test_an_empty_file_is_a_file(browser: Client) -> None:
    """BI-075."""
    assert _put(browser, "empty.md", b"").status_code == 201
    assert browser.get(FILES).json()["files"][0]["size"] == 0


def test_one_name_in_two_compositions_is_one_file(browser: Client) -> None:
    """BI-069."""
    first = _put(browser, "re\u0301sume\u0301.md", b"one")
    again = _put(browser, "r\u00e9sum\u00e9.md", b"two", If_Match=first["ETag"])
    assert (again.status_code, again["X-Library-Revision"]) == (200, "2")
    assert [file["path"] for file in browser.get(FILES).json()["files"]] == ["r\u00e9sum\u00e9.md"]


def test_an_edit_of_the_revision_before_last_is_refused(browser: Client) -> None:
    """BI-073."""
    first = _put(browser, "a.md", b"one")["ETag"]
    second = _put(browser, "a.md", b"two", If_Match=first)["ETag"]
    _put(browser, "a.md", b"three", If_Match=second)
    assert _put(browser, "a.md", b"x", If_Match=first).status_code == 412
    got = browser.get(f"{FILES}/a.md")
    assert _content(got) == b"three"
    assert got["X-Library-Revision"] == "3"
