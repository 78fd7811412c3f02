"""Contents wait in their rows until a worker reads them, each once."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.utils import ConnectionHandler
from hypothesis import given
from hypothesis import strategies as st

from common.times import now
from library.models import Blob, BlobText, LibraryFile
from library.words import reading, tasks
from library.words.reading import read_waiting, waiting
from library.words.vectors import query_of, vector_of
from spaces import working
from tests.library.filling import fill, pdf, png


@pytest.fixture(autouse=True)
def _library(db: None, library: Path) -> None:
    """Each test has a Library of its own."""


def states() -> dict[str, str]:
    files = LibraryFile.objects.filter(deleted_at=None).select_related("blob")
    return {file.path: file.blob.words for file in files}


def test_a_content_waits_until_it_is_read_and_is_read_once():
    fill(
        {
            "a.md": "closing day",
            "same.md": "closing day",
            "scan.pdf": pdf(""),
            "broken.pdf": b"%PDF-1.4",
            "p.png": png(),
        }
    )
    assert set(states().values()) == {"waiting"}
    assert read_waiting() == 4
    assert states() == {"a.md": "read", "same.md": "read", "scan.pdf": "none", "broken.pdf": "failed", "p.png": "none"}
    assert read_waiting() == 0
    assert BlobText.objects.get().text == "closing day"
    failed = Blob.objects.get(words="failed")
    assert failed.words_reason == "It is broken, or not what it seems to be."


def test_what_another_worker_is_at_is_left_to_it_until_its_lease_ends():
    fill({"a.md": "closing day"})
    Blob.objects.update(words_lease_until=now() + timedelta(minutes=1))
    assert (read_waiting(), waiting().exists()) == (0, False)
    Blob.objects.update(words_lease_until=now() - timedelta(seconds=1))
    assert read_waiting() == 1


def test_one_message_reads_some_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch):
    fill({"a.md": "one", "b.md": "two", "c.md": "three"})
    sent: list[object] = []
    monkeypatch.setattr(tasks, "MOST_READ", 2)
    monkeypatch.setattr(working, "send", sent.append)
    monkeypatch.setattr(tasks, "connections", ConnectionHandler({}))
    tasks.run_reading()
    assert (sorted(states().values()), sent) == (["read", "read", "waiting"], [tasks.run_reading])
    assert read_waiting(seconds=0) == 0
    tasks.run_reading()
    assert (set(states().values()), len(sent)) == ({"read"}, 1)


def test_a_worker_that_lost_its_lease_keeps_nothing(monkeypatch: pytest.MonkeyPatch):
    fill({"a.md": "closing day"})
    words = reading._words

    def slow(blob: Any) -> Any:
        Blob.objects.update(words_lease_until=now() + timedelta(hours=1))
        return words(blob)

    monkeypatch.setattr(reading, "_words", slow)
    read_waiting()
    assert (states(), BlobText.objects.count()) == ({"a.md": "waiting"}, 0)


def test_a_content_that_the_disk_lost_fails_and_says_so(library: Path):
    fill({"a.md": "closing day"})
    for path in (library / "blobs").rglob("*"):
        if path.is_file():
            path.unlink()
    read_waiting()
    assert Blob.objects.get().words_reason == "Its content could not be opened."


@pytest.mark.parametrize(
    "text", ["it’s Größe 'quoted' \\ back", "中文文档 と かな", "a " * 60_000, " ".join(map(str, range(90_000)))]
)
def test_postgresql_takes_the_words_of_any_text(text: str):
    fill({"a.md": text}, read=True)
    assert states() == {"a.md": "read"}


@given(st.text(max_size=200))
def test_a_vector_names_each_word_once(text: str):
    words = vector_of(text)
    assert words == "" or all(part.startswith("'") for part in words.split(" "))


def test_a_query_asks_for_all_words():
    assert query_of(["close", "it's"]) == "'close' & 'it''s'"
