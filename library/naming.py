"""Whether a path may be taken, as the rows of the Library say under its lock."""

from collections.abc import Iterable

from common.errors import Conflict, Invalid
from common.folders.names import BadName, checked_path, folded
from library.models import LibraryFile, LibraryFolder
from library.rules.names import folders_of, name_hash


def require_path(given: str, field: str = "path") -> str:
    """The path in the form it is kept in. Raises Invalid with the reason."""
    try:
        return checked_path(given)
    except BadName as error:
        raise Invalid(error.reason, field=field) from None


class Names:
    """The files and folders that some paths meet; loaded once for all of them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._folded = {name: name_hash(folded(name)) for path in paths for name in (*folders_of(path), path)}
        wanted = set(self._folded.values())
        live = LibraryFile.objects.filter(deleted_at=None, folded__in=wanted).select_related("blob")
        self._files = {file.folded: file for file in live}
        self._folders = dict(LibraryFolder.objects.filter(folded__in=wanted).values_list("folded", "path"))
        self._made: dict[str, str] = {}

    def file_at(self, path: str) -> LibraryFile | None:
        """The file that has this path, letter for letter; or None. Raises Conflict for one that only looks like it."""
        file = self._files.get(self._folded[path])
        if file is not None and file.path != path:
            raise Conflict(
                f"“{file.path}” is there already: the two names would differ by case or look alone.",
                field="path",
                type="name_taken",
                taken=file.path,
            )
        return file

    def take(self, path: str, file: LibraryFile) -> str:
        """Let `file` have `path`, and return how the path is found.

        Raises Conflict where another file, or a folder, is in the way.
        """
        other = self._files.get(self._folded[path])
        if other is not None and other.pk != file.pk:
            self.file_at(path)
            raise Conflict("A file with this path is there already.", field="path", type="name_taken", taken=other.path)
        for folder in folders_of(path):
            self._take_folder(folder, file)
        there = self._folders.get(self._folded[path])
        if there is not None and self._holds_files(there, file):
            raise Conflict("A folder has this path.", field="path", type="name_taken", taken=there)
        self._files[self._folded[path]] = file
        return self._folded[path]

    def leave(self, path: str) -> None:
        """Let the file at `path` not have it any more."""
        self._files.pop(self._folded[path], None)

    def save(self) -> None:
        """Write the rows of folders that were made."""
        rows = [LibraryFolder(folded=key, path=path) for key, path in self._made.items()]
        LibraryFolder.objects.bulk_create(
            rows, update_conflicts=True, update_fields=["path"], unique_fields=["folded"]
        ) if rows else None

    def _take_folder(self, folder: str, file: LibraryFile) -> None:
        key = self._folded[folder]
        in_the_way = self._files.get(key)
        if in_the_way is not None and in_the_way.pk != file.pk:
            raise Conflict(f"“{in_the_way.path}” is a file.", field="path", type="name_taken", taken=in_the_way.path)
        there = self._folders.get(key)
        if there == folder:
            return
        if there is not None and self._holds_files(there, file):
            raise Conflict(
                f"The folder “{there}” is there already: the two names would differ by case or look alone.",
                field="path",
                type="name_taken",
                taken=there,
            )
        self._folders[key] = self._made[key] = folder

    def _holds_files(self, folder: str, but: LibraryFile) -> bool:
        """Whether a file other than `but` is in the folder, or comes into it with this write."""
        prefix = folder + "/"
        if any(file.path.startswith(prefix) and file.pk != but.pk for file in self._files.values()):
            return True
        return LibraryFile.objects.filter(deleted_at=None, path__startswith=prefix).exclude(pk=but.pk).exists()
