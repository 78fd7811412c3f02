"""The REST routes of the room, under /api/v1/."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter

from library.api import files, history, limits, one_file, reading


class AnyPathConverter(StringConverter):
    """A path with whatever is in it, so that what is wrong with it can be said."""

    regex = r"(?s:.+)"


register_converter(AnyPathConverter, "any_path")

urlpatterns = [
    path("library/files", files.FilesView.as_view(), name="library-files"),
    path("library/files/<any_path:path>/revisions", history.FileVersionsView.as_view(), name="library-file-versions"),
    path(
        "library/files/<any_path:path>/revisions/<int:version>",
        history.FileVersionView.as_view(),
        name="library-file-version",
    ),
    path("library/files/<any_path:path>/restore", history.RestoreView.as_view(), name="library-file-restore"),
    path("library/files/<any_path:path>", one_file.FileView.as_view(), name="library-file"),
    path("library/revisions", history.RevisionsView.as_view(), name="library-revisions"),
    path("library/limits", limits.LimitsView.as_view(), name="library-limits"),
    path("library/manifest", reading.ManifestView.as_view(), name="library-manifest"),
    path("library/archive", reading.ArchiveView.as_view(), name="library-archive"),
    path("library/search", reading.SearchView.as_view(), name="library-search"),
]
