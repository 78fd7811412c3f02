"""The pages of the room, under /spaces/<space>/."""

from django.urls import path

from library.pages import (
    changing,
    file,
    panel,
    revisions,
    rights,  # noqa: F401 - registers who may do what
)

urlpatterns = [
    path("library", panel.panel, name="library_page"),
    path("library/add", panel.add_files, name="library_add"),
    path("library/revisions", revisions.revisions_page, name="library_revisions"),
    path("library/deleted", revisions.deleted_page, name="library_deleted"),
    path("library/prompt", revisions.prompt_page, name="library_prompt"),
    path("library/limits", revisions.limits_page, name="library_limits"),
    path("library/files/<uuid:file>", file.one_file, name="library_file"),
    path("library/files/<uuid:file>/content", file.content, name="library_content"),
    path("library/files/<uuid:file>/difference", file.file_difference, name="library_difference"),
    path("library/files/<uuid:file>/edit", changing.edit, name="library_edit"),
    path("library/files/<uuid:file>/replace", changing.replace, name="library_replace"),
    path("library/files/<uuid:file>/move", changing.move, name="library_move"),
    path("library/files/<uuid:file>/delete", changing.delete, name="library_delete"),
    path("library/files/<uuid:file>/restore", changing.restore, name="library_restore"),
]
