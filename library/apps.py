from django.apps import AppConfig


class LibraryConfig(AppConfig):
    name = "library"
    verbose_name = "Library"

    def ready(self) -> None:
        from common.registries import instance_ticks
        from library import permissions  # noqa: F401 - registers who may do what
        from library.checking import check_folder
        from library.pages.navigation import register_pages
        from library.sweeping import sweep
        from library.words.tasks import wake

        register_pages()
        instance_ticks.add("library_folder", check_folder)
        instance_ticks.add("library_sweep", sweep)
        instance_ticks.add("library_words", wake)
