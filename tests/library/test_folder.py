"""The mounted folder follows the rows: behind, changed by hand, made a link, or gone."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

from audit.models import AuditRow
from library import checking, folder
from library.checking import check_folder
from library.reading import current_revision, etag_of
from library.sweeping import GRACE_SECONDS, sweep, sweep_part
from library.writing import delete, edit_text, move
from spaces.access import Caller
from tests.library.texts import added, on_disk

KEPT = {"a.md": b"one", "deep/er/b.md": b"two", "deep/c.md": b"three"}


@pytest.fixture
def files(member: Caller, library: Path) -> Path:
    """The mounted folder with three files in it, checked, and open to changes by hand."""
    for path, content in KEPT.items():
        added(member, path, content)
    assert check_folder() == 0
    found = library / "files"
    for entry in [found, *found.rglob("*")]:
        entry.chmod(0o755)
    return found


def _again(path: Path, content: bytes) -> None:
    """Write other words of the same length, and set the file's time back."""
    before = path.stat()
    path.write_bytes(content)
    path.chmod(0o444)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _replaced(path: Path, make: Callable[[Path], object]) -> None:
    rmtree(path) if path.is_dir() else path.unlink()
    make(path)


BY_HAND: dict[str, Callable[[Path], object]] = {
    "a longer content": lambda files: (files / "a.md").write_bytes(b"changed by hand"),
    "other words of the same length and time": lambda files: _again(files / "a.md", b"eno"),
    "a file that is gone": lambda files: (files / "deep/er/b.md").unlink(),
    "a folder that is gone": lambda files: rmtree(files / "deep"),
    "a file too many": lambda files: (files / "deep/extra.md").write_bytes(b"x"),
    "a hidden one, and one that is no text": lambda files: (
        (files / ".hidden").write_bytes(b"x"),
        Path(os.fsdecode(os.fsencode(files) + b"/\xff\xfe")).write_bytes(b"x"),
    ),
    "a folder too many": lambda files: (files / "new/er").mkdir(parents=True),
    "a link for a file": lambda files: _replaced(files / "a.md", lambda path: path.symlink_to("/etc/hostname")),
    "a link for a folder": lambda files: _replaced(files / "deep", lambda path: path.symlink_to("/etc")),
    "a folder for a file": lambda files: _replaced(files / "a.md", lambda path: (path / "x").mkdir(parents=True)),
    "a file for a folder": lambda files: _replaced(files / "deep", lambda path: path.write_bytes(b"x")),
    "a pipe for a file": lambda files: _replaced(files / "a.md", os.mkfifo),
    "a second name for a file from elsewhere": lambda files: _replaced(
        files / "a.md", lambda path: path.hardlink_to(files / "deep/c.md")
    ),
}


@pytest.mark.parametrize("change", BY_HAND.values(), ids=BY_HAND)
def test_what_is_changed_by_hand_is_put_right_and_on_record(
    files: Path, library: Path, change: Callable[[Path], object]
) -> None:
    change(files)
    assert check_folder() > 0
    assert on_disk(library) == KEPT
    row = AuditRow.objects.using("default").get(act="library.folder_repaired")
    assert (row.actor_kind, row.stated["count"]) == ("system", len(row.stated["paths"]))
    assert check_folder() == 0
    assert AuditRow.objects.using("default").filter(act="library.folder_repaired").count() == 1


def test_modes_alone_are_put_right_and_a_quiet_check_reads_no_content(
    files: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check_folder() == 6
    assert on_disk(library) == KEPT
    assert (library / "files").stat().st_mode & 0o777 == 0o555
    later = time.time_ns() + 10_000_000_000
    monkeypatch.setattr("library.checking.time.time_ns", lambda: later)
    check_folder()
    monkeypatch.setattr(checking, "hash_at", lambda path: pytest.fail(f"{path} was read"))
    assert check_folder() == 0


def test_the_record_names_fifty_paths_at_most(files: Path) -> None:
    for number in range(60):
        (files / f"extra{number:02}").write_bytes(b"x")
    check_folder()
    row = AuditRow.objects.using("default").get(act="library.folder_repaired")
    assert row.stated["count"] >= 60
    assert len(row.stated["paths"]) == 50


def test_a_folder_or_note_that_is_gone_or_a_link_is_made_again(files: Path, library: Path) -> None:
    rmtree(files)
    check_folder()
    assert on_disk(library) == KEPT
    files.with_name("files.json").unlink()
    check_folder()
    assert on_disk(library) == KEPT
    files.chmod(0o755)
    rmtree_open(files)
    files.symlink_to("/etc")
    check_folder()
    assert not files.is_symlink()
    assert on_disk(library) == KEPT


def rmtree_open(folder: Path) -> None:
    """Remove a folder whatever the modes in it."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)
    rmtree(folder)


def test_a_folder_left_behind_is_brought_up_by_the_next_write(
    member: Caller, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = etag_of(added(member, "a.md", "one"))
    added(member, "gone.md", "x")
    with monkeypatch.context() as patched:
        patched.setattr("library.writing.bring_up", lambda: (_ for _ in ()).throw(OSError("disk")))
        edit_text(member, "a.md", "two", base=base)
        move(member, "a.md", "a/b.md", base="*")
        delete(member, "gone.md", base="*")
        assert on_disk(library) == {"a.md": b"one", "gone.md": b"x"}
    added(member, "c.md", "three")
    assert on_disk(library) == {"a/b.md": b"two", "c.md": b"three"}
    assert not AuditRow.objects.using("default").filter(act="library.folder_repaired").exists()
    note = folder.read_note()
    assert note is not None
    assert note.revision == current_revision() == 6


def test_the_empty_library_has_a_folder_to_mount(committed_db: None, library: Path) -> None:
    assert check_folder() == 0
    assert on_disk(library) == {}
    assert (library / "files").is_dir()


def test_leftovers_are_swept_after_a_day_and_what_is_kept_stays(member: Caller, library: Path) -> None:
    file = added(member, "a.md", "one")
    unknown = library / "blobs" / file.blob_id[:2] / ("0" * 62)
    unknown.write_bytes(b"never finished")
    half = library / "blobs.incoming" / "half"
    half.write_bytes(b"x")
    assert sweep() + sweep_part(file.blob_id[:2]) == 0
    for path in [unknown, half, *(library / "blobs").rglob("*")]:
        os.utime(path, (1, path.stat().st_mtime - GRACE_SECONDS - 60))
    assert sweep() + sweep_part(file.blob_id[:2]) == 2
    assert not half.exists()
    assert not unknown.exists()
    assert (library / "blobs" / file.blob_id[:2] / file.blob_id[2:]).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user or mount a folder")
@pytest.mark.parametrize("through", ["another user", "a mount"])
def test_whoever_is_given_the_folder_cannot_write_to_it(member: Caller, library: Path, through: str) -> None:
    added(member, "guides/a.md", "one")
    for above in (library, *library.parents):
        if above.stat().st_uid == 0 and above != above.parent:
            above.chmod(above.stat().st_mode | 0o011)
    target = library / "files"
    if through == "a mount":
        target = library.parent / "mounted"
        target.mkdir()
        options = ["mount", "--bind", "-o", "ro", str(library / "files"), str(target)]
        if subprocess.run(options, check=False, capture_output=True).returncode:
            pytest.skip("this machine lets nobody mount")
    try:
        tried = subprocess.run([sys.executable, "-c", _TRIES, str(target), through], check=False, capture_output=True)
    finally:
        if through == "a mount":
            subprocess.run(["umount", str(target)], check=True)
    assert tried.returncode == 0, tried.stderr
    assert on_disk(library) == {"guides/a.md": b"one"}


_TRIES = """
import os, sys
folder, through = sys.argv[1:]
if through == "another user":
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
os.chdir(folder)
assert open("guides/a.md").read() == "one"
tries = [
    lambda: open("guides/a.md", "w"), lambda: open("guides/new", "w"), lambda: os.remove("guides/a.md"),
    lambda: os.rename("guides/a.md", "b"), lambda: os.chmod("guides/a.md", 0o777), lambda: os.symlink("/etc", "etc"),
    lambda: os.chmod("guides", 0o777), lambda: os.mkdir("new"), lambda: os.truncate("guides/a.md", 0),
]
for number, one in enumerate(tries):
    try:
        one()
    except OSError:
        continue
    raise SystemExit(f"try {number} was let through")
"""
