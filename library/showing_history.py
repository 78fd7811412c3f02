"""Who changed what, and when, in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from common.actors import shown_names
from library.models import FileRevision, LibraryFile, LibraryRevision
from library.reading import revisions_of

VERSIONS = 50
REVISIONS = 100
FILES_OF_A_REVISION = 5

_ACTS = {
    "add": "added",
    "replace": "replaced",
    "edit": "edited",
    "move": "moved",
    "delete": "deleted",
    "restore": "restored",
    "upload": "uploaded",
}


@dataclass(frozen=True)
class Version:
    """A version of a file, and who made it; `earlier` is the version before it that has a content."""

    row: FileRevision
    who: str
    act: str
    earlier: int | None


@dataclass(frozen=True)
class Revision:
    """A revision of the Library, who made it, and the first of the files it changed."""

    row: LibraryRevision
    who: str
    act: str
    files: list[FileRevision]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.files)


def versions_of(file: LibraryFile, before: int | None = None) -> tuple[list[Version], int | None]:
    """The newest versions of a file, those before the version `before`; and where to go on."""
    rows = revisions_of(file)
    if before is not None:
        rows = rows.filter(version__lt=before)
    found = list(rows[: VERSIONS + 1])
    names = _names(row.revision for row in found)
    shown = []
    for place, row in enumerate(found[:VERSIONS]):
        earlier = next((older.version for older in found[place + 1 :] if older.blob_id), None)
        shown.append(Version(row, names[_actor(row.revision)], act_in_words(row.act), earlier if row.blob_id else None))
    return shown, found[VERSIONS - 1].version if len(found) > VERSIONS else None


def revisions(before: int | None = None) -> tuple[list[Revision], int | None]:
    """The newest revisions of the Library, those before `before`; and where to go on."""
    rows = LibraryRevision.objects.order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    found = list(rows[: REVISIONS + 1])
    shown = found[:REVISIONS]
    names = _names(shown)
    changed = _files_of(shown)
    found_rows = [_revision(row, names, changed.get(row.number, [])) for row in shown]
    return found_rows, shown[-1].number if len(found) > REVISIONS else None


def act_in_words(act: str) -> str:
    """What a write did, as the end of "it was"."""
    return _ACTS.get(act, act.replace("_", " "))


def _revision(row: LibraryRevision, names: dict[str, str], files: list[tuple[FileRevision, int]]) -> Revision:
    count = files[0][1] if files else 0
    return Revision(row, names[_actor(row)], act_in_words(row.act), [file for file, _ in files], count)


def _files_of(rows: list[LibraryRevision]) -> dict[int, list[tuple[FileRevision, int]]]:
    """The first files of each revision, by path, each with the number of all that the revision changed."""
    of_one = [F("revision_id")]
    changed = (
        FileRevision.objects.filter(revision__in=[row.number for row in rows])
        .annotate(
            place=Window(RowNumber(), partition_by=of_one, order_by="path"),
            of=Window(Count("pk"), partition_by=of_one),
        )
        .filter(place__lte=FILES_OF_A_REVISION)
        .order_by("revision_id", "place")
    )
    found: dict[int, list[tuple[FileRevision, int]]] = {}
    for file in changed:
        found.setdefault(file.revision_id, []).append((file, file.of))
    return found


def _names(rows: Iterable[LibraryRevision]) -> dict[str, str]:
    return shown_names(_actor(row) for row in rows)


def _actor(row: LibraryRevision) -> str:
    return f"{row.actor_kind}:{row.actor_id}"
