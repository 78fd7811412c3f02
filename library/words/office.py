"""Word, PowerPoint and Excel files of the kinds that are ZIP archives."""

from collections.abc import Iterator
from typing import Any, BinaryIO
from zipfile import ZipFile

from docx import Document
from docx.oxml.ns import qn
from openpyxl import load_workbook
from pptx import Presentation

from library.words.gathering import Gathered
from library.words.limits import MOST_CELLS, MOST_ROWS, check_archive

SHEET = "\f"
"""Begins the line with a sheet's name; the lines after it are its rows, their cells parted by tabs."""


def read(stream: BinaryIO, gathered: Gathered) -> None:
    """Gather the text of an Office file; nothing of any other archive. Raises Refused for one that is too much."""
    with ZipFile(stream) as archive:
        check_archive(archive)
        names = set(archive.namelist())
    for part, read_kind in _KINDS.items():
        if part in names:
            stream.seek(0)
            read_kind(stream, gathered)


def _read_document(stream: BinaryIO, gathered: Gathered) -> None:
    document = Document(stream)
    parts = [document.element.body]
    for section in document.sections:
        parts += [part._element for part in (section.header, section.footer) if not part.is_linked_to_previous]
    for part in parts:
        for paragraph in part.iter(qn("w:p")):
            if text := "".join(run.text or "" for run in paragraph.iter(qn("w:t"))):
                gathered.add(f"{text}\n")


def _read_slides(stream: BinaryIO, gathered: Gathered) -> None:
    for slide in Presentation(stream).slides:
        for text in _texts(slide.shapes):
            gathered.add(f"{text}\n")
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            gathered.add(f"{slide.notes_slide.notes_text_frame.text}\n")
        gathered.add("\f")


def _texts(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if shape.shape_type is not None and hasattr(shape, "shapes"):
            yield from _texts(shape.shapes)
        elif shape.has_text_frame and shape.text_frame.text:
            yield shape.text_frame.text
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield "\t".join(_cell(cell.text) for cell in row.cells)


def _read_workbook(stream: BinaryIO, gathered: Gathered) -> None:
    workbook = load_workbook(stream, read_only=True, data_only=True)
    cells = 0
    for sheet in workbook.worksheets:
        gathered.add(f"{SHEET}{_cell(sheet.title)}\n")
        for row in sheet.iter_rows(max_row=MOST_ROWS, values_only=True):
            cells += len(row)
            if any(value is not None for value in row):
                gathered.add("\t".join(_cell(value) for value in row).rstrip("\t") + "\n")
            if cells > MOST_CELLS:
                return


def _cell(value: object) -> str:
    """A cell's value on one line."""
    return "" if value is None else " ".join(str(value).split())


_KINDS = {
    "word/document.xml": _read_document,
    "ppt/presentation.xml": _read_slides,
    "xl/workbook.xml": _read_workbook,
}
