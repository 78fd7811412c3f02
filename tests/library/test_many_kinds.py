"""A thousand files of many kinds and names go in and come out as they were."""

import random
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from library.checking import check_folder
from library.reading import live_files, open_blob
from library.writing import add_many
from spaces.access import Caller
from tests.library.texts import on_disk

_NAMES = [
    "notes",
    "Übersicht",
    "価格表",
    "отчёт",
    "a b c",
    "x" * 200,
    "100%",
    "q&a",
    "#1",
    "it's",
    '"quoted"',
    "{}",
    "👩\u200d💻",
]
_ENDS = [".md", ".csv", ".pdf", ".png", ".docx", ".tar.gz", "", ".bin", ".html", ".svg"]
_STARTS = [
    b"",
    b"%PDF-1.7\n",
    b"\x89PNG\r\n\x1a\n",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"\xef\xbb\xbf",
    b"GIF89a",
    b"\x00",
]


def _content(chance: random.Random) -> bytes:
    body = chance.randbytes(chance.choice([0, 1, 100, 5_000]))
    if chance.random() < 0.4:
        body = "".join(chance.choice("abc Äé字\n\t,;") for _ in range(chance.choice([1, 80, 2_000]))).encode()
    return chance.choice(_STARTS) + body


def test_a_thousand_files_of_many_kinds_go_in_and_out_unchanged(member: Caller, library: Path) -> None:
    chance = random.Random(7)
    files = {
        f"folder {number % 17}/{_NAMES[number % len(_NAMES)]} {number}{_ENDS[number % len(_ENDS)]}": _content(chance)
        for number in range(1_000)
    }
    assert add_many(member, [(path, BytesIO(content)) for path, content in files.items()]).file_count == 1_000
    assert on_disk(library) == files
    for file in live_files():
        with open_blob(file.blob) as opened:
            assert sha256(opened.read()).hexdigest() == sha256(files[file.path]).hexdigest() == file.blob_id
    assert check_folder() == 0
