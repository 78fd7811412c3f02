"""Folders on disk: which names they take, and changes that appear whole or not at all."""

import os
import stat
import subprocess
import sys
import tempfile
import threading
import unicodedata
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.folders.copying import copy
from common.folders.names import BadName, checked_path, folded
from common.folders.walking import walk
from common.folders.writing import incoming, locked, make_folder, move, put, remove, set_mode

ROOT = Path(__file__).resolve().parents[2]
GOOD = [
    "notes.md",
    "a/b/c.txt",
    "Übersicht 2026.pdf",
    "価格表.csv",
    "a b/c d.e",
    "con x",
    "COM10",
    "...x".lstrip("."),
    "👩\u200d💻.md",
    "می\u200cخواهم.md",
    "½ Ｋ ﬁle….md",
]
BAD = [
    "",
    "/a",
    "a//b",
    "a/",
    "../a",
    "a/../b",
    "./a",
    ".hidden",
    "a/.git/x",
    "a\\b",
    "a\nb",
    "a\x00b",
    "a\x7fb",
    "a\u2028b",
    "CON",
    "con.txt",
    "a/NUL",
    "com1.tar.gz",
    "LPT¹",
    "x.",
    "x ",
    "x\u00a0",
    "a\u202egpj.exe",
    "\u200bx",
    "\ufeffx",
    "\ud800",
    "é" * 128,
    "a/" * 64 + "a",
    ("a" * 200 + "/") * 10 + "a",
    "\u200d",
    "\ufffd.md",
    "．．/x",
    "\u200d../x",
    "a／b",
    "a＼b",
    "℀",
    "．hidden",
    "ＣＯＮ.txt",
]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = tmp_path / "files"
    yield made
    for path in [made, *made.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)


@pytest.mark.parametrize("name", GOOD)
def test_ordinary_names_of_any_script_are_taken_as_they_are(name: str) -> None:
    assert checked_path(name) == name


@pytest.mark.parametrize("name", BAD)
def test_names_that_mislead_or_escape_are_refused_with_a_reason(name: str) -> None:
    with pytest.raises(BadName) as refused:
        checked_path(name)
    assert refused.value.reason.startswith("must ")


@given(st.text())
def test_a_name_that_is_taken_is_composed_short_and_below_its_folder(name: str) -> None:
    try:
        path = checked_path(name)
    except BadName:
        return
    assert path == unicodedata.normalize("NFC", path) == checked_path(path)
    assert all(0 < len(part.encode()) <= 255 and not part.startswith(".") for part in path.split("/"))
    assert not any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in path)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_names_that_differ_by_case_or_composition_are_compared_as_one(name: str) -> None:
    assert folded(folded(name)) == folded(name)
    assert folded(unicodedata.normalize("NFD", name)) == folded(name)
    assert folded(unicodedata.normalize("NFC", name)) == folded(name)


@pytest.mark.parametrize(
    ("one", "other"), [("Plan.md", "PLAN.MD"), ("straße", "STRASSE"), ("ﬁle", "file"), ("Ｋ", "k")]
)
def test_look_alikes_are_one_name(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_a_file_appears_read_only_in_folders_that_are_read_only(folder: Path) -> None:
    put(folder, "a/b/c.txt", b"words")
    assert (folder / "a/b/c.txt").read_bytes() == b"words"
    modes = {seen.path: seen.mode for seen in walk(folder)}
    assert modes == {"a": 0o555, "a/b": 0o555, "a/b/c.txt": 0o444}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o555
    assert not list(incoming(folder).iterdir())


def test_a_file_is_replaced_from_bytes_an_open_file_or_a_stream(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "given").write_bytes(b"on disk" * 1000)
    put(folder, "x", b"one")
    with (tmp_path / "given").open("rb") as file:
        put(folder, "x", file, mtime_ns=1_000_000_000)
    assert (folder / "x").read_bytes() == b"on disk" * 1000
    assert (folder / "x").stat().st_mtime_ns == 1_000_000_000
    put(folder, "x", BytesIO(b"stream"))
    assert (folder / "x").read_bytes() == b"stream"


def test_a_copy_is_never_a_second_name_for_the_same_file(folder: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.write_bytes(b"x" * 3_000_000)
    with given.open("rb") as file:
        put(folder, "x", file)
    assert (folder / "x").stat().st_ino != given.stat().st_ino
    assert {seen.links for seen in walk(folder)} == {1}
    with (tmp_path / "target").open("w+b") as target:
        assert copy(given, target.fileno()) == 3_000_000
    assert (tmp_path / "target").read_bytes() == given.read_bytes()


def test_a_stream_that_breaks_leaves_the_old_file_and_no_remains(folder: Path) -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError("gone")

    put(folder, "x", b"old")
    with pytest.raises(OSError, match="gone"):
        put(folder, "x", Broken())
    assert (folder / "x").read_bytes() == b"old"
    assert not list(incoming(folder).iterdir())


def test_no_link_is_followed_on_the_way_or_at_its_end(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"kept")
    put(folder, "a/x", b"1")
    folder.chmod(0o755)
    (folder / "link").symlink_to(outside)
    (folder / "file").symlink_to(outside / "kept")
    with pytest.raises(NotADirectoryError):
        put(folder, "link/new", b"2")
    put(folder, "file", b"3")
    remove(folder, "link")
    assert (folder / "file").read_bytes() == b"3"
    assert not (folder / "file").is_symlink()
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_bytes() == b"kept"


def test_a_file_and_a_folder_are_never_mixed_up(folder: Path) -> None:
    put(folder, "a/b", b"1")
    with pytest.raises(IsADirectoryError):
        put(folder, "a", b"2")
    with pytest.raises(NotADirectoryError):
        put(folder, "a/b/c", b"3")
    assert (folder / "a/b").read_bytes() == b"1"


def test_removing_takes_empty_folders_along_and_leaves_the_others(folder: Path) -> None:
    put(folder, "a/b/c/x", b"1")
    put(folder, "a/y", b"2")
    remove(folder, "a/b/c/x")
    remove(folder, "a/b/c/x")
    assert [seen.path for seen in walk(folder)] == ["a", "a/y"]
    put(folder, "d/e/f", b"3")
    remove(folder, "d")
    remove(folder, "nowhere/at/all")
    assert [seen.path for seen in walk(folder)] == ["a", "a/y"]


def test_files_and_folders_move(folder: Path) -> None:
    put(folder, "a/x", b"1")
    move(folder, "a/x", "b/c/y")
    assert [seen.path for seen in walk(folder)] == ["b", "b/c", "b/c/y"]
    move(folder, "b/c", "d")
    assert {seen.path: seen.mode for seen in walk(folder)} == {"d": 0o555, "d/y": 0o444}
    with pytest.raises(FileNotFoundError):
        move(folder, "nothing", "e")


def test_a_folder_can_be_made_and_given_a_mode(folder: Path) -> None:
    make_folder(folder, "a/b", folder_mode=0o755)
    set_mode(folder, "a/b", 0o500)
    assert {seen.path: seen.mode for seen in walk(folder)} == {"a": 0o755, "a/b": 0o500}


def test_walking_tells_files_folders_links_and_the_rest_apart(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    found = {seen.path: (seen.kind, seen.size) for seen in walk(tmp_path) if seen.kind != "folder"}
    assert found["folder/file"] == ("file", 5)
    assert found["link"][0] == "link"
    assert found["pipe"][0] == "other"
    assert list(walk(tmp_path / "nowhere")) == []


def test_the_lock_holds_between_threads(folder: Path) -> None:
    inside, most = 0, 0

    def write(number: int) -> None:
        nonlocal inside, most
        for _ in range(5):
            with locked(folder):
                inside += 1
                most = max(most, inside)
                put(folder, f"a/{number}", str(number).encode())
                inside -= 1

    threads = [threading.Thread(target=write, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert len([seen for seen in walk(folder) if seen.kind == "file"]) == 4


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else; others are ordinary users already")
def test_an_ordinary_user_writes_into_a_folder_that_is_read_only() -> None:
    program = (
        "import os, sys; from pathlib import Path\n"
        "from common.folders.writing import put, move, remove\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "folder = Path(sys.argv[1])\n"
        "put(folder, 'a/x', b'1'); put(folder, 'a/x', b'2'); move(folder, 'a/x', 'b/x'); put(folder, 'a/y', b'3')\n"
        "remove(folder, 'a')\n"
        "assert (folder / 'b/x').read_bytes() == b'2'\n"
        "try: (folder / 'new').write_bytes(b'')\n"
        "except PermissionError: print('read-only')\n"
    )
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o777)
        found = subprocess.run(
            [sys.executable, "-c", program, f"{base}/files"], check=False, capture_output=True, text=True, cwd=ROOT
        )
    assert (found.returncode, found.stdout) == (0, "read-only\n"), found.stderr
