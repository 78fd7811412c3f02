"""How sizes, kinds and addresses of files are written on pages."""

from django import template

from library.models import LibraryFile
from library.rules.media import kind_words
from library.rules.sizes import size_words

register = template.Library()
register.filter(size_words)
register.filter(kind_words)


@register.filter
def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


@register.filter
def has_no_text(file: LibraryFile) -> bool:
    """Whether a file can't be found by what it says."""
    return file.blob.words in {"none", "failed"}
