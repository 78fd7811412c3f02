"""What is read of a file, and what a file that means harm can do."""

import io
import signal
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from library.words import limits, outside
from library.words.gathering import Full, Gathered
from library.words.outside import Words, words_of
from library.words.plain import decoded
from tests.library.filling import archive, opened, pdf, png, slides, word, workbook


def read(tmp_path: Path, content: bytes) -> Words:
    with opened(tmp_path, content) as stream:
        return words_of(stream)


def locked(content: bytes, password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_a_word_file_is_read_with_its_tables(tmp_path: Path):
    assert read(tmp_path, word("Closing day", "the fifth")) == Words("read", "Closing day\nthe fifth\n")


def test_slides_are_read_with_their_notes(tmp_path: Path):
    assert read(tmp_path, slides("one", "two")) == Words("read", "one\n\ftwo\na note on two\n\f")


def test_a_workbook_is_read_sheet_by_sheet(tmp_path: Path):
    sheets = workbook(Prices=[["Item", "Price"], ["Bolt\nlong", 2.5], [None, None], ["Nut", True]], Notes=[["x"]])
    assert read(tmp_path, sheets).text == "\fPrices\nItem\tPrice\nBolt long\t2.5\nNut\tTrue\n\fNotes\nx\n"


def test_a_pdf_is_read_page_by_page_and_a_scan_has_no_text(tmp_path: Path):
    assert read(tmp_path, pdf("first page", "", "third page")) == Words("read", "first page\n\fthird page\n\f")
    assert read(tmp_path, pdf("")) == Words("none")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Größe".encode(), "Größe"),
        ("Größe".encode("utf-8-sig"), "Größe"),
        ("Größe".encode("utf-16"), "Größe"),
        ("Größe".encode("cp1252"), "Größe"),
        (b"a;b\n1;2\n", "a;b\n1;2\n"),
    ],
)
def test_text_is_read_in_the_encodings_people_have(tmp_path: Path, content: bytes, text: str):
    assert read(tmp_path, content) == Words("read", text)


@pytest.mark.parametrize("content", [b"", b" \n", png(), bytes(range(256)), archive({"a": "text in an archive"})])
def test_what_has_no_text_is_marked_so(tmp_path: Path, content: bytes):
    assert read(tmp_path, content) == Words("none")


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_not_and_never_a_fault(content: bytes):
    text = decoded(content)
    assert text is None or isinstance(text.encode("utf-8", "surrogatepass"), bytes)


def test_text_is_gathered_up_to_its_limit():
    gathered = Gathered(5)
    gathered.add("abc\0")
    with pytest.raises(Full):
        gathered.add("\ud800xyz")
    assert gathered.text() == "abc?"


def test_a_pdf_that_is_encrypted_fails_unless_it_opens_without_a_password(tmp_path: Path):
    assert read(tmp_path, locked(pdf("secret"), "key")) == Words("failed", reason="It is encrypted.")
    assert read(tmp_path, locked(pdf("open"), "")).text == "open\n\f"


def test_broken_files_fail_with_a_reason(tmp_path: Path):
    cut = word("some text", "more")[:-400]
    for content in (b"%PDF-1.7 nothing more", pdf("x")[:60], cut, archive({"word/document.xml": "<not xml"})):
        words = read(tmp_path, content)
        assert (words.state, words.text) == ("failed", "")
        assert words.reason == "It is broken, or not what it seems to be."


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path):
    bomb = archive({"word/document.xml": b"0" * 30_000_000})
    assert read(tmp_path, bomb).reason == "A part of it unpacks to more than 200 times its size."


def test_an_archive_that_lies_about_its_parts_gives_no_more_than_it_said(tmp_path: Path):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("xl/workbook.xml", b"0" * 3_000_000)
        made.infolist()[0].file_size = 10
    assert read(tmp_path, stream.getvalue()).state == "failed"


def test_entities_that_multiply_do_not(tmp_path: Path):
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 20}">' for n in range(1, 12))
    document = f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "ha">{levels}]><d>&e11;</d>'
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word("a", "b"))) as good, zipfile.ZipFile(stream, "w") as made:
        for name in good.namelist():
            made.writestr(name, document if name == "word/document.xml" else good.read(name))
    words = read(tmp_path, stream.getvalue())
    assert len(words.text) < 1_000


def test_a_sheet_that_claims_to_be_huge_ends_at_the_limit_of_cells(tmp_path: Path):
    row = '<row r="{0}"><c r="XFD{0}" t="inlineStr"><is><t>far</t></is></c></row>'
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook(S=[["a"]]))) as good, zipfile.ZipFile(stream, "w") as made:
        for name in good.namelist():
            rows = "".join(row.format(number) for number in range(1, 400))
            sheet = (
                '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
                f'<dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>'
            )
            made.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else good.read(name))
    words = read(tmp_path, stream.getvalue())
    assert words.state == "read"
    assert 1 <= words.text.count("far") <= limits.MOST_CELLS // 16_384 + 1


def test_files_of_the_old_office_are_refused_in_words(tmp_path: Path):
    words = read(tmp_path, bytes.fromhex("d0cf11e0a1b11ae1") + bytes(2_000))
    assert words.reason == "Office files of before 2007 are not read, nor are encrypted ones."


def test_a_reader_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(outside, "_PATIENCE", 0.01)
    assert read(tmp_path, pdf("slow")) == Words("failed", reason="Reading it takes too long.")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGXCPU])
def test_a_reader_that_the_system_stopped_failed(number: int):
    assert outside._understood(-number, b"").reason == "Reading it takes too long, or too much memory."


@pytest.mark.parametrize(("status", "answer"), [(1, b""), (0, b""), (-signal.SIGSEGV, b'{"state": "read"}\nhalf')])
def test_a_reader_that_broke_down_failed(status: int, answer: bytes):
    assert outside._understood(status, answer) == Words("failed", reason="Its reader broke down.")
