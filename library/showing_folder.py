"""One folder of the Library as the panel shows it: its folders with what is in them, then its files."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, Literal

from django.db.models import Case, CharField, Count, F, Func, Max, Q, QuerySet, Sum, Value, When
from django.db.models.functions import StrIndex, Substr

from library.models import Blob, LibraryFile, LibraryRevision
from library.rules.sizes import size_words

ROWS = 100
Kind = Literal["text", "pdf", "office", "image", "other"]
Sort = Literal["name", "-name", "size", "-size", "changed", "-changed"]

_KINDS: dict[str, Q] = {
    "text": Q(blob__media_type__startswith="text/"),
    "pdf": Q(blob__media_type="application/pdf"),
    "office": Q(blob__media_type__contains="officedocument"),
    "image": Q(blob__media_type__startswith="image/"),
}
_MOST_KEPT = 200
_lock = Lock()
_kept: dict[object, list[dict[str, Any]]] = {}
_ORDERS = {"name": "path", "size": "blob__size", "changed": "changed_at"}


@dataclass(frozen=True)
class Folder:
    """A folder: its whole path with the slash at its end, and what is in it at any depth."""

    path: str
    name: str
    files: int
    size: str
    changed_at: datetime


@dataclass(frozen=True)
class Shown:
    """A page of a folder. `count` counts rows, `files` and `size` what is in the folder at any depth."""

    folders: list[Folder]
    files: Sequence[LibraryFile]
    count: int
    page: int
    all_files: int
    size: str

    @property
    def first(self) -> int:
        return (self.page - 1) * ROWS + 1

    @property
    def last(self) -> int:
        return self.first + len(self.folders) + len(self.files) - 1

    @property
    def next(self) -> int | None:
        return self.page + 1 if self.last < self.count else None

    @property
    def previous(self) -> int | None:
        return self.page - 1 if self.page > 1 else None


def shown_folder(folder: str, *, kind: Kind | None, no_text: bool, sort: Sort, page: int) -> Shown:
    """A page of `folder`, a path that ends with a slash, or nothing for the top."""
    within = _within(folder, kind, no_text=no_text)
    parts = _parts(folder, kind, no_text=no_text)
    key = sort.lstrip("-")
    inner = [part for part in parts if part["name"] is not None]
    inner.sort(key=lambda part: (part[key], part["name"]), reverse=sort.startswith("-"))
    loose = next((part["files"] for part in parts if part["name"] is None), 0)
    skipped = (page - 1) * ROWS
    first = inner[skipped : skipped + ROWS]
    start = max(skipped - len(inner), 0)
    files = within.filter(slash=0).select_related("blob").order_by(*_order(sort))
    return Shown(
        folders=[_folder(folder, part) for part in first],
        files=list(files[start : start + ROWS - len(first)]) if len(first) < ROWS and start < loose else [],
        count=len(inner) + loose,
        page=page,
        all_files=sum(part["files"] for part in parts),
        size=size_words(sum(part["size"] for part in parts)),
    )


def crumbs(folder: str) -> list[tuple[str, str]]:
    """The folders on the way to a path: each name with its whole path, that ends with a slash."""
    names = folder.split("/")[:-1]
    return [(name, "/".join(names[: place + 1]) + "/") for place, name in enumerate(names)]


def _within(folder: str, kind: Kind | None, *, no_text: bool) -> QuerySet[Any]:
    """The files of a folder at any depth; `rest` is their path from there on, `slash` where its first part ends."""
    files = LibraryFile.objects.filter(deleted_at=None)
    if folder:
        files = files.filter(path__startswith=folder)
    if kind == "other":
        for known in _KINDS.values():
            files = files.exclude(known)
    elif kind is not None:
        files = files.filter(_KINDS[kind])
    if no_text:
        files = files.filter(blob__words__in=[Blob.Words.NONE, Blob.Words.FAILED])
    return files.annotate(rest=Substr("path", len(folder) + 1)).annotate(slash=StrIndex("rest", Value("/")))


def _parts(folder: str, kind: Kind | None, *, no_text: bool) -> list[dict[str, Any]]:
    """What is in each folder of a folder, and without a name what is loose there; as long as a revision, in memory.

    Whether a content has text becomes known without a revision.
    """
    if no_text:
        return _counted(folder, kind, no_text=True)
    last = LibraryRevision.objects.order_by("-number").values_list("number", "at").first()
    key = (last, folder, kind)
    with _lock:
        kept = _kept.get(key)
    if kept is None:
        kept = _counted(folder, kind, no_text=False)
        with _lock:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[key] = kept
    return kept


def _counted(folder: str, kind: Kind | None, *, no_text: bool) -> list[dict[str, Any]]:
    first = Func(F("rest"), Value("/"), Value(1), function="split_part", output_field=CharField())
    name = Case(When(slash__gt=0, then=first), default=None)
    parts = _within(folder, kind, no_text=no_text).annotate(name=name).values("name")
    return list(parts.annotate(files=Count("pk"), size=Sum("blob__size"), changed=Max("changed_at")))


def _folder(folder: str, part: dict[str, Any]) -> Folder:
    return Folder(f"{folder}{part['name']}/", part["name"], part["files"], size_words(part["size"]), part["changed"])


def _order(sort: Sort) -> tuple[str, str]:
    sign = "-" if sort.startswith("-") else ""
    return sign + _ORDERS[sort.lstrip("-")], "pk"
