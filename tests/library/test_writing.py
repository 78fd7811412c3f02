"""Writes to the Library: each one revision, its rows, its record, and the folder that follows."""

import threading
from io import BytesIO
from pathlib import Path

import pytest
from django.db import connections

from audit.models import AuditRow
from common.errors import Conflict, Invalid, KndlError, NotFound, Stale
from library.models import Blob, FileRevision, LibraryRevision
from library.reading import current_revision, etag_of, find_file, live_files, revisions_of, version_of
from library.refusals import BaseRequired
from library.writing import add, add_many, delete, edit_text, move, restore
from spaces.access import Caller
from tests.library.texts import added, content_of, leftovers, on_disk


def test_a_file_is_added_kept_once_and_shown_in_the_folder(member: Caller, library: Path) -> None:
    assert current_revision() == 0
    first = added(member, "guides/Start.md", "# Start\n")
    added(member, "copy.md", "# Start\n")
    assert (first.version, first.revision_id, current_revision()) == (1, 1, 2)
    assert content_of(find_file("guides/Start.md")) == b"# Start\n"
    assert on_disk(library) == {"guides/Start.md": b"# Start\n", "copy.md": b"# Start\n"}
    assert Blob.objects.count() == 1
    assert len([path for path in (library / "blobs").rglob("*") if path.is_file()]) == 1
    assert not leftovers(library)


def test_every_kind_of_write_is_one_revision_without_a_gap_and_one_row_of_the_audit(
    member: Caller, library: Path
) -> None:
    file = added(member, "a.md", "one")
    file = added(member, "a.md", "two", base=etag_of(file))
    file = edit_text(member, "a.md", "three", base=etag_of(file), note="clearer")
    file = move(member, "a.md", "b/c.md", base=etag_of(file))
    file = restore(member, file.pk, 1)
    file = delete(member, "b/c.md", base=etag_of(file))
    assert on_disk(library) == {}
    file = restore(member, file.pk, 2)
    assert on_disk(library) == {"b/c.md": b"two"}
    acts = ["add", "replace", "edit", "move", "restore", "delete", "restore"]
    assert list(LibraryRevision.objects.order_by("number").values_list("number", "act")) == list(enumerate(acts, 1))
    assert [item.version for item in revisions_of(file)] == [7, 6, 5, 4, 3, 2, 1]
    rows = AuditRow.objects.using("default").filter(act__startswith="library.").order_by("sequence")
    assert [row.act for row in rows] == [f"library.{act}" for act in acts]
    assert {row.actor_id for row in rows} == {member.actor.id}
    assert rows[2].stated["note"] == "clearer"
    assert rows[2].stated["size"] == 5
    assert not any("three" in str(row.stated) for row in rows)
    assert LibraryRevision.objects.get(number=7).file_count == 1
    assert LibraryRevision.objects.get(number=7).total_size == 3


def test_a_second_edit_from_the_same_base_is_told_what_changed(member: Caller, library: Path) -> None:
    base = etag_of(added(member, "plan.md", "one\ntwo\n"))
    newer = edit_text(member, "plan.md", "one\nthree\n", base=base)
    with pytest.raises(Stale) as refused:
        edit_text(member, "plan.md", "four\n", base=base)
    current = refused.value.extra["current"]
    assert isinstance(current, dict)
    assert current["etag"] == etag_of(newer)
    assert current["version"] == 2
    assert "-two\n+three\n" in str(refused.value.extra["diff"])
    assert current_revision() == 2
    assert on_disk(library) == {"plan.md": b"one\nthree\n"}


def test_of_what_is_no_text_the_refusal_has_no_diff(member: Caller) -> None:
    base = etag_of(added(member, "x.bin", b"\x00\x01"))
    added(member, "x.bin", b"\x00\x02", base=base)
    with pytest.raises(Stale) as refused:
        added(member, "x.bin", b"\x00\x03", base=base)
    assert refused.value.extra["diff"] is None


def test_what_is_there_is_not_replaced_moved_or_deleted_without_a_base(member: Caller) -> None:
    added(member, "a.md")
    for write in (
        lambda: added(member, "a.md", "other"),
        lambda: edit_text(member, "a.md", "other", base=None),
        lambda: move(member, "a.md", "b.md", base=None),
        lambda: delete(member, "a.md", base=None),
    ):
        with pytest.raises(BaseRequired):
            write()
    assert current_revision() == 1
    assert added(member, "a.md", "other", base="*").version == 2


def test_the_etag_of_a_file_that_was_deleted_is_of_no_use_for_the_next_one(member: Caller) -> None:
    base = etag_of(added(member, "a.md", "one"))
    delete(member, "a.md", base=base)
    with pytest.raises(Stale):
        added(member, "a.md", "two", base=base)
    added(member, "a.md", "three")
    with pytest.raises(Stale):
        added(member, "a.md", "four", base=base)
    with pytest.raises(Invalid):
        added(member, "a.md", "four", base="1.2")


def test_two_edits_at_once_one_wins_and_the_other_is_told(member: Caller) -> None:
    base = etag_of(added(member, "a.md", "begin"))
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def edit(text: str) -> None:
        start.wait()
        try:
            edit_text(member, "a.md", text, base=base)
            outcomes.append("won")
        except Stale:
            outcomes.append("stale")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=edit, args=[text]) for text in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["stale", "won"]
    assert current_revision() == 2


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("Plan.md", "plan.md"),
        ("Guides/a.md", "guides/b.md"),
        ("straße.md", "STRASSE.md"),
        ("a", "a/b.md"),
        ("a/b.md", "a"),
        ("A/b.md", "a"),
    ],
)
def test_two_names_that_look_alike_or_stand_in_each_others_way_are_refused(
    member: Caller, library: Path, there: str, new: str
) -> None:
    added(member, there)
    with pytest.raises(Conflict) as refused:
        added(member, new, "other")
    assert refused.value.type == "name_taken"
    added(member, "elsewhere.md")
    with pytest.raises(Conflict):
        move(member, "elsewhere.md", new, base="*")
    with pytest.raises(Conflict):
        add_many(member, [("new.md", BytesIO(b"1")), (new, BytesIO(b"2"))])
    assert set(on_disk(library)) == {there, "elsewhere.md"}
    assert not leftovers(library)


def test_a_name_in_another_composition_is_the_same_file(member: Caller) -> None:
    file = added(member, "re\u0301sume\u0301.md", "one")
    again = added(member, "r\u00e9sum\u00e9.md", "two", base=etag_of(file))
    assert again.pk == file.pk
    assert live_files().count() == 1
    assert find_file("re\u0301sume\u0301.md").version == 2


def test_a_file_may_change_the_case_of_its_own_name_and_of_its_folder(member: Caller, library: Path) -> None:
    added(member, "guides/plan.md")
    move(member, "guides/plan.md", "Guides/Plan.md", base="*")
    assert set(on_disk(library)) == {"Guides/Plan.md"}
    move(member, "Guides/Plan.md", "Guides/Plan.md/inner.md", base="*")
    assert set(on_disk(library)) == {"Guides/Plan.md/inner.md"}
    move(member, "Guides/Plan.md/inner.md", "Guides", base="*")
    assert set(on_disk(library)) == {"Guides"}


def test_many_files_are_one_revision_and_all_or_none(member: Caller, library: Path) -> None:
    done = add_many(member, [(f"f{number}/x.md", BytesIO(b"%d" % number)) for number in range(20)], "first import")
    assert (done.number, done.file_count, done.note) == (1, 20, "first import")
    assert FileRevision.objects.filter(revision=1).count() == len(on_disk(library)) == 20
    with pytest.raises(BaseRequired):
        add_many(member, [("new.md", BytesIO(b"1")), ("f1/x.md", BytesIO(b"2"))])
    again = add_many(
        member,
        [("new.md", BytesIO(b"1")), ("f1/x.md", BytesIO(b"2"))],
        bases={"f1/x.md": etag_of(find_file("f1/x.md"))},
    )
    assert again.number == 2
    assert on_disk(library)["f1/x.md"] == b"2"
    for wrong in ([], [("a.md", BytesIO()), ("a.md", BytesIO())], [("ok.md", BytesIO()), ("../x", BytesIO())]):
        with pytest.raises(Invalid):
            add_many(member, wrong)
    assert current_revision() == 2
    assert AuditRow.objects.using("default").filter(act="library.upload").count() == 2
    assert not leftovers(library)


def test_a_stream_that_breaks_leaves_nothing(member: Caller, library: Path) -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(2) or self.fail()

        def fail(self) -> bytes:
            raise ConnectionError("gone")

    for write in (
        lambda: add(member, "a.md", Broken(b"12345")),
        lambda: add_many(member, [("a.md", BytesIO(b"1")), ("b.md", Broken(b"12345"))]),
    ):
        with pytest.raises(ConnectionError):
            write()
    assert current_revision() == 0
    assert not leftovers(library)


def test_a_deleted_file_whose_path_is_taken_does_not_come_back_over_the_new_one(member: Caller) -> None:
    file = added(member, "a.md", "one")
    delete(member, "a.md", base="*")
    added(member, "A.md", "two")
    with pytest.raises(Conflict):
        restore(member, file.pk, 1)
    with pytest.raises(NotFound):
        restore(member, file.pk, 2)
    with pytest.raises(NotFound):
        restore(member, "0" * 32, 1)


def test_every_earlier_content_stays_readable(member: Caller) -> None:
    file = added(member, "a.md", "version 1")
    for number in range(2, 6):
        file = edit_text(member, "a.md", f"version {number}", base=etag_of(file))
    for number in range(1, 6):
        blob = version_of(file, number).blob
        assert blob is not None
        assert content_of(FileRevision(file=file, blob=blob)) == f"version {number}".encode()  # type: ignore[arg-type]


@pytest.mark.parametrize("note", ["x" * 1_001, "a\x00b", "\ud800"])
def test_a_note_that_cannot_be_kept_is_refused(member: Caller, note: str) -> None:
    with pytest.raises(KndlError):
        add(member, "a.md", BytesIO(b"1"), note=note)
    assert current_revision() == 0
