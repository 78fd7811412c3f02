"""PDF files that hold their text beside the picture of it."""

from typing import BinaryIO

from pypdf import PdfReader

from library.words.gathering import Gathered
from library.words.limits import MOST_PAGES, Refused


def read(stream: BinaryIO, gathered: Gathered) -> None:
    """Gather the text of the pages, each followed by a form feed; nothing of a page that is a scan.

    Raises Refused when a password is needed.
    """
    reader = PdfReader(stream)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Refused("It is encrypted.")
    for number, page in enumerate(reader.pages):
        if number == MOST_PAGES:
            return
        if text := page.extract_text().strip():
            gathered.add(f"{text}\n\f")
