"""A Library with files in it, and files of each kind, made by the libraries that people make them with."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
from pptx.util import Inches

from library.models import LibraryFile
from library.words.reading import read_waiting
from library.writing import add_many
from spaces.access import SYSTEM_CALLER


def fill(files: Mapping[str, bytes | str], *, read: bool = False, **more: Any) -> dict[str, LibraryFile]:
    """Add files as one revision, and with `read` read their words; the live files by path."""
    contents = {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}
    add_many(more.pop("caller", SYSTEM_CALLER), [(path, io.BytesIO(c)) for path, c in contents.items()], **more)
    if read:
        read_waiting()
    live = LibraryFile.objects.filter(deleted_at=None).select_related("blob", "revision")
    return {file.path: file for file in live}


def word(*paragraphs: str) -> bytes:
    """A Word file, the last paragraph in a table."""
    document = docx.Document()
    for text in paragraphs[:-1]:
        document.add_paragraph(text)
    document.add_table(1, 1).cell(0, 0).text = paragraphs[-1]
    return saved(document)


def slides(*texts: str) -> bytes:
    """A PowerPoint file with a text on each slide, and a note on the last."""
    presentation = pptx.Presentation()
    slide: Any = None
    for text in texts:
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        slide.shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1)).text_frame.text = text
    slide.notes_slide.notes_text_frame.text = f"a note on {texts[-1]}"
    return saved(presentation)


def workbook(**sheets: list[list[Any]]) -> bytes:
    """An Excel file."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return saved(book)


def saved(document: Any) -> bytes:
    """The bytes of an Office file."""
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def pdf(*pages: str) -> bytes:
    """A PDF file with a line of text on each page; an empty one is as a scan is: a page without words."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
    return _pdf_of(objects)


def _pdf_of(objects: list[bytes]) -> bytes:
    written = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(written))
    return written + head + table + tail


def archive(parts: Mapping[str, bytes | str]) -> bytes:
    """A ZIP archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return stream.getvalue()


def png() -> bytes:
    """A picture of one pixel."""
    return bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
        "5a4d7fb70000000049454e44ae426082"
    )


def opened(tmp_path: Path, content: bytes) -> Any:
    """A content as a file on the disk, open for reading."""
    path = tmp_path / "content"
    path.write_bytes(content)
    return path.open("rb")
