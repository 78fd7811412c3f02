"""What is in a file, as its page shows it."""

from dataclasses import dataclass, field
from itertools import islice

from django.utils.safestring import SafeString

from common import markdown
from library.models import Blob, BlobText
from library.reading import open_blob
from library.rules.media import Shown, is_text, way_to_show
from library.rules.tables import Table, separated, sheets
from library.words.plain import decoded

MOST_EDITED = 500_000
_MOST_SHOWN = 200_000
_MOST_SHEETS = 20


@dataclass(frozen=True)
class Preview:
    """How a content is shown, and what of it; `is_cut` says that there is more."""

    way: Shown
    text: str = ""
    html: SafeString | None = None
    tables: list[Table] = field(default_factory=list)
    is_cut: bool = False


def preview_of(path: str, blob: Blob) -> Preview:
    """The beginning of a content, in the way of its type."""
    way = way_to_show(path, blob.media_type, has_text=blob.words == Blob.Words.READ)
    if way in {"nothing", "image"}:
        return Preview(way)
    text = _own_text(blob) if is_text(blob.media_type) else _read_text(blob)
    is_cut = len(text) > _MOST_SHOWN or (is_text(blob.media_type) and blob.size > _bytes_shown())
    text = text[:_MOST_SHOWN]
    if way == "markdown" and len(text) <= markdown.MOST_CHARACTERS:
        return Preview(way, html=markdown.as_html(text), is_cut=is_cut)
    if way == "separated":
        table = separated(text)
        return Preview(way, tables=[table], is_cut=is_cut or table.is_cut)
    if way == "sheets":
        tables = list(islice(sheets(text), _MOST_SHEETS))
        return Preview(way, tables=tables, is_cut=is_cut or any(table.is_cut for table in tables))
    return Preview("text" if way == "markdown" else way, text=text.replace("\f", "\n"), is_cut=is_cut)


def whole_text(blob: Blob) -> str | None:
    """The text of a content that may be edited or compared; None for what is no text, or more than 500,000 bytes."""
    if blob.size > MOST_EDITED or not is_text(blob.media_type):
        return None
    with open_blob(blob) as stream:
        return decoded(stream.read())


def compared_texts(*blobs: Blob) -> list[str | None]:
    """The texts of contents as far as they can be compared: their own, or what was read of them; else None."""
    read = [blob.pk for blob in blobs if not is_text(blob.media_type) and blob.words == Blob.Words.READ]
    texts = dict(BlobText.objects.filter(pk__in=read).values_list("pk", "text")) if read else {}
    return [whole_text(blob) if is_text(blob.media_type) else texts.get(blob.pk) for blob in blobs]


def _own_text(blob: Blob) -> str:
    with open_blob(blob) as stream:
        return decoded(stream.read(_bytes_shown())) or ""


def _read_text(blob: Blob) -> str:
    """What was read of a content that is no text itself."""
    return BlobText.objects.filter(pk=blob.pk).values_list("text", flat=True).first() or ""


def _bytes_shown() -> int:
    return 4 * _MOST_SHOWN
