"""What can be done with a content of a type: how it is shown, and whether a browser may be given it as it is."""

from typing import Literal

Shown = Literal["markdown", "separated", "sheets", "text", "image", "pdf", "words", "nothing"]

# Types that do nothing but show a picture; SVG and HTML are programs as well.
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"})
_PDF = "application/pdf"
_WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_WORDS = {
    _PDF: "PDF",
    _WORKBOOK: "Excel",
    f"{_OPEN_XML}wordprocessingml.document": "Word",
    f"{_OPEN_XML}presentationml.presentation": "PowerPoint",
    "application/zip": "ZIP archive",
    "application/octet-stream": "unknown",
}
_EMPTY = "application/x-empty"
_MARKDOWN = (".md", ".markdown")
_SEPARATED = (".csv", ".tsv")


def way_to_show(path: str, media_type: str, *, has_text: bool) -> Shown:
    """How a file is shown; `has_text` says that its words were read. A text's name says what kind of text it is."""
    if is_text(media_type):
        named = path.casefold()
        if named.endswith(_MARKDOWN):
            return "markdown"
        return "separated" if named.endswith(_SEPARATED) else "text"
    if media_type in _IMAGES:
        return "image"
    if media_type == _PDF:
        return "pdf"
    if not has_text:
        return "nothing"
    return "sheets" if media_type == _WORKBOOK else "words"


def is_text(media_type: str) -> bool:
    """Whether a content is text that may be edited as such; an empty one is."""
    return media_type.startswith("text/") or media_type == _EMPTY


def opens_in_browser(media_type: str) -> bool:
    """Whether a browser may open the content in place; everything else is handed over as a file."""
    return media_type in _IMAGES or media_type == _PDF


def kind_words(media_type: str) -> str:
    """A type in a word or two; the type itself where people have no word for it."""
    if is_text(media_type):
        return "empty" if media_type == _EMPTY else "text"
    if media_type.startswith("image/"):
        return f"image, {media_type[6:].upper()}"
    return _WORDS.get(media_type, media_type)
